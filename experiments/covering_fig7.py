"""Figure 7: end-to-end latency against k, 250 and 500 subscribers."""

from experiments.covering_common import COLOURS, SOURCE
from experiments.covering_latency import STRATEGIES, latency

from rankcast.reproduce import Experiment, Report

SUBSCRIBERS = (250, 500)
SELECTIVITIES = (0.4, 0.8, 1.2, 1.6, 2.0)
PUBLICATIONS = 60


def run(report: Report, publications: int = PUBLICATIONS) -> None:
    """The time that brokers spend, and the work that they do, per delivery."""
    rows = []
    steps = len(SUBSCRIBERS) * len(SELECTIVITIES)
    for subscribers in SUBSCRIBERS:
        for percent in SELECTIVITIES:
            k = round(subscribers * percent / 100)
            found = [latency(name, k, subscribers, publications) for name in STRATEGIES]
            rows.append(
                (
                    subscribers,
                    percent,
                    *(round(one.milliseconds, 4) for one in found),
                    *(round(one.matched, 1) for one in found),
                )
            )
            report.progress(len(rows) / steps)
    names = list(STRATEGIES)
    report.table(
        "latency",
        [
            "subscribers",
            "k, %",
            *(f"{name}, ms" for name in names),
            *(f"{name}, subscriptions ranked" for name in names),
        ],
        rows,
    )
    gains = [1 - row[8] / row[7] for row in rows]
    report.compare(
        "AncestorCoverK ranks fewer subscriptions than RegularK on the way",
        "latency 25 % lower on average",
        f"{100 * sum(gains) / len(gains):.0f} % fewer on average, from {100 * gains[0]:.0f} % at the lowest k "
        f"to {100 * gains[4]:.0f} % at the highest",
        gains[0] > gains[4] > 0,
        "the benefit lessens as k grows, as in the paper; counted, so that it does not depend on the machine",
    )
    quicker = [row[4] < row[3] for row in rows]
    report.compare(
        "AncestorCoverK quicker than RegularK, in time",
        "yes at low k",
        f"at {sum(quicker)} of {len(quicker)} points",
        quicker[0],
        "time in our brokers, without the network",
    )
    cost = [row[5] / row[4] - 1 for row in rows]
    report.compare(
        "the fair ranker's cost over AncestorCoverK",
        "significant at higher k",
        f"{100 * sum(cost) / len(cost):+.0f} % on average",
        sum(cost) > 0,
        "mostly longer ways, for a fair choice reaches farther subscribers; a draw is one hash per subscription for both",
    )
    _figure(report, rows)


def _figure(report: Report, rows: list[tuple[float, ...]]) -> None:
    from matplotlib.figure import Figure

    figure = Figure(figsize=(9.6, 4.2), layout="constrained")
    for axes, subscribers in zip(figure.subplots(1, 2), SUBSCRIBERS, strict=True):
        own = [row for row in rows if row[0] == subscribers]
        for number, name in enumerate(STRATEGIES):
            axes.plot([row[1] for row in own], [row[2 + number] for row in own], "o-", color=COLOURS[name], label=name)
        axes.set_ylim(0)
        axes.set_xticks(SELECTIVITIES)
        axes.set_xlabel("k, % of the subscribers")
        axes.set_ylabel("time in the brokers on the way, ms")
        axes.set_title(f"{subscribers} subscribers")
        axes.grid(alpha=0.3)
    figure.legend(*axes.get_legend_handles_labels(), loc="outside lower center", ncols=4, frameon=False)
    report.figure("latency", figure)


EXPERIMENT = Experiment("covering_fig7", "End-to-end latency", f"{SOURCE}, Figure 7", run)

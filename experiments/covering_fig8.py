"""Figure 8: how latency grows with the number of subscribers."""

from experiments.covering_common import COLOURS, SOURCE
from experiments.covering_latency import STRATEGIES, latency

from rankcast.reproduce import Experiment, Report

SUBSCRIBERS = (125, 250, 500, 1000)
SELECTIVITIES = (0.8, 2.0)
PUBLICATIONS = 40


def run(report: Report, publications: int = PUBLICATIONS) -> None:
    """Time and work per delivery at a low and at a high k."""
    rows = []
    for percent in SELECTIVITIES:
        for subscribers in SUBSCRIBERS:
            k = round(subscribers * percent / 100)
            found = [latency(name, k, subscribers, publications) for name in STRATEGIES]
            rows.append(
                (
                    percent,
                    subscribers,
                    *(round(one.milliseconds, 4) for one in found),
                    *(round(one.matched, 1) for one in found),
                )
            )
            report.progress(len(rows) / len(SUBSCRIBERS) / len(SELECTIVITIES))
    names = list(STRATEGIES)
    report.table(
        "growth",
        [
            "k, %",
            "subscribers",
            *(f"{name}, ms" for name in names),
            *(f"{name}, subscriptions ranked" for name in names),
        ],
        rows,
    )
    for at, percent in enumerate(SELECTIVITIES):
        first, last = rows[at * len(SUBSCRIBERS)], rows[(at + 1) * len(SUBSCRIBERS) - 1]
        grown, work = last[5] / first[5], last[9] / first[9]
        subscribers = last[1] / first[1]
        report.compare(
            f"AncestorFairK at k {percent:g} %, from {first[1]} to {last[1]} subscribers ({subscribers:g} times)",
            "superlinear",
            f"{grown:.1f} times the time, {work:.1f} times the subscriptions ranked",
            work > subscribers,
            "superlinear in the work, for more are forwarded to each broker; a draw itself is O(n log k), not O(n log n)",
        )
    fewer = [row[8] < row[7] for row in rows]
    report.compare(
        "with k below 1 %, AncestorFairK does less than RegularK",
        "yes",
        "yes" if all(row[9] < row[7] for row in rows if row[0] < 1) else "no",
        all(row[9] < row[7] for row in rows if row[0] < 1),
        f"subscriptions ranked on the way; AncestorCoverK at {sum(fewer)} of {len(fewer)} points",
    )
    _figure(report, rows)


def _figure(report: Report, rows: list[tuple[float, ...]]) -> None:
    from matplotlib.figure import Figure

    figure = Figure(figsize=(9.6, 4.2), layout="constrained")
    for axes, percent in zip(figure.subplots(1, 2), SELECTIVITIES, strict=True):
        own = [row for row in rows if row[0] == percent]
        for number, name in enumerate(STRATEGIES):
            axes.plot([row[1] for row in own], [row[2 + number] for row in own], "o-", color=COLOURS[name], label=name)
        axes.set_xlim(0)
        axes.set_ylim(0)
        axes.set_xlabel("subscribers")
        axes.set_ylabel("time in the brokers on the way, ms")
        axes.set_title(f"k = {percent:g} % of the subscribers")
        axes.grid(alpha=0.3)
    figure.legend(*axes.get_legend_handles_labels(), loc="outside lower center", ncols=4, frameon=False)
    report.figure("growth", figure)


EXPERIMENT = Experiment("covering_fig8", "Growth of latency", f"{SOURCE}, Figure 8", run)

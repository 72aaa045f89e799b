"""Figure 7: end-to-end latency against k, 250 and 500 subscribers."""

from experiments.covering_common import SOURCE
from experiments.covering_latency import HEADINGS, draw, figures

from rankcast.lab.reproduce import Experiment, ExperimentReport

SUBSCRIBERS = (250, 500)
SELECTIVITIES = (0.4, 0.8, 1.2, 1.6, 2.0)
PUBLICATIONS = 60


def run(report: ExperimentReport, publications: int = PUBLICATIONS) -> None:
    """Measure the time and the work of the brokers per delivery."""
    rows = []
    steps = len(SUBSCRIBERS) * len(SELECTIVITIES)
    for subscribers in SUBSCRIBERS:
        for percent in SELECTIVITIES:
            rows.append((subscribers, percent, *figures(percent, subscribers, publications)))
            report.progress(len(rows) / steps)
    report.table("latency", ["subscribers", "k, %", *HEADINGS], rows)
    gains = [1 - row[8] / row[7] for row in rows]
    report.compare(
        "AncestorCoverK ranks fewer subscriptions than RegularK on the way",
        "latency 25 % lower on average",
        f"{100 * sum(gains) / len(gains):.0f} % fewer on average, from {100 * gains[0]:.0f} % at the lowest k "
        f"to {100 * gains[4]:.0f} % at the highest",
        gains[0] > gains[4] > 0,
        "the benefit shrinks as k grows, as in the paper; we count subscriptions, so the machine does not matter",
    )
    quicker = [row[4] < row[3] for row in rows]
    report.compare(
        "AncestorCoverK is faster than RegularK",
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
        "mostly longer paths, because a fair choice reaches farther subscribers; both draw with one hash per subscription",
    )
    draw(report, "latency", rows, "{} subscribers", "k, % of the subscribers")


EXPERIMENT = Experiment("covering_fig7", "End-to-end latency", f"{SOURCE}, Figure 7", run)

"""Figure 8: how latency grows with the number of subscribers."""

from experiments.covering_common import SOURCE
from experiments.covering_latency import HEADINGS, draw, figures

from rankcast.lab.reproduce import Experiment, ExperimentReport

SUBSCRIBERS = (125, 250, 500, 1000)
SELECTIVITIES = (0.8, 2.0)
PUBLICATIONS = 40


def run(report: ExperimentReport, publications: int = PUBLICATIONS) -> None:
    """Time and work per delivery at a low and at a high k."""
    rows = []
    for percent in SELECTIVITIES:
        for subscribers in SUBSCRIBERS:
            rows.append((percent, subscribers, *figures(percent, subscribers, publications)))
            report.progress(len(rows) / len(SUBSCRIBERS) / len(SELECTIVITIES))
    report.table("growth", ["k, %", "subscribers", *HEADINGS], rows)
    for at, percent in enumerate(SELECTIVITIES):
        first, last = rows[at * len(SUBSCRIBERS)], rows[(at + 1) * len(SUBSCRIBERS) - 1]
        grown, work = last[5] / first[5], last[9] / first[9]
        subscribers = last[1] / first[1]
        report.compare(
            f"AncestorFairK at k {percent:g} %, from {first[1]} to {last[1]} subscribers ({subscribers:g} times)",
            "superlinear",
            f"{grown:.1f} times the time, {work:.1f} times the subscriptions ranked",
            work > subscribers,
            "the work is superlinear, because each broker receives more subscriptions; a draw is O(n log k), not O(n log n)",
        )
    fewer = [row[8] < row[7] for row in rows]
    report.compare(
        "with k below 1 %, AncestorFairK does less than RegularK",
        "yes",
        "yes" if all(row[9] < row[7] for row in rows if row[0] < 1) else "no",
        all(row[9] < row[7] for row in rows if row[0] < 1),
        f"subscriptions ranked on the way; AncestorCoverK at {sum(fewer)} of {len(fewer)} points",
    )
    draw(report, "growth", rows, "k = {:g} % of the subscribers", "subscribers")


EXPERIMENT = Experiment("covering_fig8", "Growth of latency", f"{SOURCE}, Figure 8", run)

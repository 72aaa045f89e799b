"""Figure 8: how latency grows with the number of subscribers."""

from statistics import fmean

from experiments.covering_common import SOURCE
from experiments.covering_latency import HEADINGS, draw, measured, row

from rankcast.lab.reproduce import Experiment, ExperimentReport, Rule

SUBSCRIBERS = (125, 250, 500, 1000)
SELECTIVITIES = (0.8, 2.0)
PUBLICATIONS = 6

SUPERLINEAR = Rule(
    "the time that AncestorFairK takes grows by a larger factor than the number of subscribers",
    lambda times, subscribers: times[-1] / times[0] > subscribers[-1] / subscribers[0],
    example=([0.1, 0.9], (125, 1000)),
    contradiction=([0.1, 0.77], (125, 1000)),
)


def run(report: ExperimentReport, publications: int = PUBLICATIONS, counts: tuple[int, ...] = SUBSCRIBERS) -> None:
    """Time and work per delivery at a low and at a high k."""
    cells = [(percent, subscribers) for percent in SELECTIVITIES for subscribers in counts]
    found = report.each_seed(lambda seed: {cell: measured(*cell, publications, seed) for cell in cells})
    rows = [(*cell, *row([one[cell] for one in found])) for cell in cells]
    report.table("growth", ["k, %", "subscribers", *HEADINGS], rows)
    times = {cell: row[5] for cell, row in zip(cells, rows, strict=True)}
    for percent in SELECTIVITIES:
        lines = [[one[percent, count]["AncestorFairK"] for count in counts] for one in found]
        grown = times[percent, counts[-1]] / times[percent, counts[0]]
        report.shape(
            SUPERLINEAR,
            [([one.milliseconds for one in line], counts) for line in lines],
            "seeds",
            "a superlinear growth with the number of subscriptions",
            f"{grown:.1f} times the time for {counts[-1] / counts[0]:g} times the subscribers",
            "a part of our time does not depend on the subscribers: visiting a broker, and comparing arrays",
            of=f"k = {percent:g} %",
        )
        work = [line[-1].matched / line[0].matched for line in lines]
        report.ours(
            f"k = {percent:g} %: growth of the subscriptions that AncestorFairK ranks",
            f"{fmean(work):.1f} times",
            note="a draw costs O((n + k) log n) for n that match",
        )
    draw(report, "growth", rows, "k = {:g} % of the subscribers", "subscribers")


EXPERIMENT = Experiment(
    "covering_fig8", "Growth of latency: the processing part", f"{SOURCE}, Figure 8", run, is_timed=True
)

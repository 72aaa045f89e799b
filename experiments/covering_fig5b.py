"""Figure 5(b): share of 50,000 subscriptions forwarded, k 1 to 10."""

from experiments.covering_common import SOURCE
from experiments.covering_fig5a import check_strategies, draw

from rankcast.lab.reproduce import Experiment, ExperimentReport

COUNT = 50_000
PAPER = {"cover": 0.69, "rank": 60.53, "ancestor": 2.5}


def run(report: ExperimentReport) -> None:
    """As Figure 5(a), with more subscriptions."""
    draw(report, COUNT, PAPER, seeds=1)
    check_strategies(report, COUNT)


EXPERIMENT = Experiment("covering_fig5b", "Forwarded subscriptions, 50,000, low k", f"{SOURCE}, Figure 5(b)", run)

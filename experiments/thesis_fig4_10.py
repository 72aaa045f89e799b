"""Thesis Figure 4.10: aging of the rate form: threshold."""

from experiments.novelty_common import EVENTS, SOURCE, aged, compare_aged

from rankcast.lab.reproduce import Experiment, ExperimentReport, Rule
from rankcast.model import FilterKind, Scoring

NO_BETTER = Rule(
    "with aging the entropy is at most 0.001 bits above that without, for both factors",
    lambda none, some, much: max(some, much) <= none + 0.001,
    example=(3.3219, 3.3219, 3.321),
    contradiction=(3.31, 3.315, 3.30),
)
LESS_STEADY = Rule(
    "with aging the standard deviation of the interdelivery distance is higher than without, for both factors",
    lambda none, some, much: min(some, much) > none,
    example=(7.4, 8.0, 12.0),
    contradiction=(7.4, 8.0, 7.3),
)


def run(report: ExperimentReport, events: int = EVENTS) -> None:
    """Aging factors 1 (none), 0.5 and 0.1."""
    found = aged(
        report, "fig4_10", "Figure 4.10: aging of the rate form: threshold", FilterKind.THRESHOLD, Scoring.RATE, events
    )
    for rule, measure, paper in (
        (NO_BETTER, "entropy", "aging does not improve the measured entropy"),
        (LESS_STEADY, "deviation", "deteriorates a bit when aging is used"),
    ):
        compare_aged(report, rule, found, measure, paper)


EXPERIMENT = Experiment("thesis_fig4_10", "Aging of the rate form: threshold", f"{SOURCE}, Figure 4.10", run)

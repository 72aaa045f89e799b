"""Thesis Figure 4.11: aging of the interval form: threshold."""

from experiments.novelty_common import EVENTS, SOURCE, aged, compare_aged

from rankcast.lab.reproduce import Experiment, ExperimentReport, Rule
from rankcast.model import FilterKind, Scoring

RISES = Rule(
    "the entropy rises as gamma falls from 1 to 0.5 to 0.1",
    lambda none, some, much: none < some < much,
    example=(3.27, 3.30, 3.31),
    contradiction=(3.27, 3.31, 3.30),
)
FALLS = Rule(
    "the standard deviation of the interdelivery distance falls as gamma falls from 1 to 0.5 to 0.1",
    lambda none, some, much: none > some > much,
    example=(9.0, 8.0, 7.0),
    contradiction=(9.0, 7.0, 8.0),
)


def run(report: ExperimentReport, events: int = EVENTS) -> None:
    """Aging factors 1 (none), 0.5 and 0.1."""
    title = "Figure 4.11: aging of the interval form: threshold"
    found = aged(report, "fig4_11", title, FilterKind.THRESHOLD, Scoring.INTERVAL, events)
    for rule, measure in ((RISES, "entropy"), (FALLS, "deviation")):
        compare_aged(report, rule, found, measure, "the lower gamma, the higher the improvement")


EXPERIMENT = Experiment("thesis_fig4_11", "Aging of the interval form: threshold", f"{SOURCE}, Figure 4.11", run)

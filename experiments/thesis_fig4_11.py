"""Thesis Figure 4.11: aging of the interval form: threshold."""

from experiments.novelty_common import EVENTS, aged

from rankcast.lab.reproduce import Experiment, ExperimentReport
from rankcast.model import FilterKind, Scoring


def run(report: ExperimentReport, events: int = EVENTS) -> None:
    """Aging factors 1 (none), 0.5 and 0.1."""
    runs = aged(
        report,
        "fig4_11",
        "Figure 4.11: aging of the interval form: threshold",
        FilterKind.THRESHOLD,
        Scoring.INTERVAL,
        events,
    )
    none, some, much = (each.measures() for each in runs)
    report.compare(
        "more aging gives higher entropy",
        "rises as gamma falls",
        f"{none['entropy']:.4f}, {some['entropy']:.4f}, {much['entropy']:.4f}",
        none["entropy"] < some["entropy"] < much["entropy"],
    )
    report.compare(
        "more aging gives a lower deviation of the distance",
        "falls as gamma falls",
        f"{none['deviation of means']:.3f}, {some['deviation of means']:.3f}, {much['deviation of means']:.3f}",
        none["deviation of means"] > some["deviation of means"] > much["deviation of means"],
    )


EXPERIMENT = Experiment("thesis_fig4_11", "Aging of the interval form: threshold", "Thesis 2011, Figure 4.11", run)

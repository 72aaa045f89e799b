"""Thesis Figure 4.10: aging of the rate form: threshold."""

from experiments.novelty_common import EVENTS, aged

from rankcast.lab.reproduce import Experiment, ExperimentReport
from rankcast.model import FilterKind, Scoring


def run(report: ExperimentReport, events: int = EVENTS) -> None:
    """Aging factors 1 (none), 0.5 and 0.1."""
    runs = aged(
        report, "fig4_10", "Figure 4.10: aging of the rate form: threshold", FilterKind.THRESHOLD, Scoring.RATE, events
    )
    none, some, much = (each.measures() for each in runs)
    report.compare(
        "aging does not help the entropy",
        "no improvement",
        f"{none['entropy']:.4f}, {some['entropy']:.4f}, {much['entropy']:.4f}",
        max(some["entropy"], much["entropy"]) < none["entropy"] + 0.0005,
    )
    report.compare(
        "the deviation of the distance gets slightly worse",
        "a bit worse",
        f"{none['deviation']:.3f}, {some['deviation']:.3f}, {much['deviation']:.3f} (single distances)",
        none["deviation"] < much["deviation"],
    )


EXPERIMENT = Experiment("thesis_fig4_10", "Aging of the rate form: threshold", "Thesis 2011, Figure 4.10", run)

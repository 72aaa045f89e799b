"""Thesis Figure 4.12: aging of the rate form: sampling."""

from experiments.novelty_common import EVENTS, aged

from rankcast.lab.reproduce import Experiment, ExperimentReport
from rankcast.model import FilterKind, Scoring


def run(report: ExperimentReport, events: int = EVENTS) -> None:
    """Aging factors 1 (none), 0.5 and 0.1."""
    runs = aged(
        report, "fig4_12", "Figure 4.12: aging of the rate form: sampling", FilterKind.SAMPLING, Scoring.RATE, events
    )
    when = []
    for each in runs:
        lines = each.series()["entropy"]
        when.append(int((abs(lines - lines[-1]) > 0.01).nonzero()[0].max(initial=-1)) + 2)
    report.compare(
        "with more aging the entropy settles later (within 0.01 of its last value)",
        "slower as gamma falls",
        f"in period {when[0]}, {when[1]}, {when[2]}",
        when[0] <= when[1] <= when[2],
    )
    later = [each.measures(events // 2)["entropy"] for each in runs]
    report.compare(
        "entropy of the second half, when all have settled",
        "the same",
        ", ".join(f"{each:.4f}" for each in later),
        max(later) - min(later) < 0.01,
    )


EXPERIMENT = Experiment("thesis_fig4_12", "Aging of the rate form: sampling", "Thesis 2011, Figure 4.12", run)

"""Thesis Figure 4.6: the stream becomes more skewed halfway."""

from experiments.novelty_changes import KINDS, UNAFFECTED, VARIES_A_LITTLE, compare_change, halves, skew_transient
from experiments.novelty_common import EVENTS, SOURCE

from rankcast.lab.reproduce import Experiment, ExperimentReport


def run(report: ExperimentReport, events: int = EVENTS) -> None:
    """First zipf 0.75, then zipf 1.25."""
    found = halves(report, "fig4_6", "Figure 4.6: skew-transient", skew_transient, events)
    for kind in KINDS:
        for rule, scoring, paper in (
            (UNAFFECTED, "rate", "remains unaffected as the skew of the distribution changes"),
            (VARIES_A_LITTLE, "interval", "small variations when the time-based scoring mode is used"),
        ):
            names = [f"{update}, {scoring}" for update in ("lazy", "eager")]
            compare_change(report, rule, found[kind], names, paper, kind.value)


EXPERIMENT = Experiment("thesis_fig4_6", "Skew-transient", f"{SOURCE}, Figure 4.6", run)

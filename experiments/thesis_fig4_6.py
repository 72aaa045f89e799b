"""Thesis Figure 4.6: the stream becomes more skewed halfway."""

from experiments.novelty_changes import halves, run_until, skew_transient
from experiments.novelty_common import EVENTS

from rankcast.lab.reproduce import Experiment, ExperimentReport
from rankcast.model import FilterKind


def run(report: ExperimentReport, events: int = EVENTS) -> None:
    """First zipf 0.75, then zipf 1.25."""
    found = halves(report, "fig4_6", "Figure 4.6: skew-transient", skew_transient(events))
    for kind in (FilterKind.THRESHOLD, FilterKind.SAMPLING):
        for name in ("lazy, rate", "eager, rate", "lazy, interval"):
            each = found[kind][name]
            before = run_until(each, events // 2).entropy
            report.compare(
                f"{kind.value}, {name}: entropy at the end equals that before the change",
                "unaffected" if "rate" in name else "small variations",
                f"{before:.4f}, then {each.entropy:.4f}",
                abs(before - each.entropy) < 0.06,
            )


EXPERIMENT = Experiment("thesis_fig4_6", "Skew-transient", "Thesis 2011, Figure 4.6", run)

"""Thesis Figure 4.8: a user removes five of ten subscriptions; the threshold filter."""

from experiments.novelty_changes import leaving_runs
from experiments.novelty_common import EVENTS

from rankcast.lab.reproduce import Experiment, ExperimentReport
from rankcast.model import FilterKind


def run(report: ExperimentReport, events: int = EVENTS) -> None:
    """Entropy and mean distance of each half."""
    found = leaving_runs(report, "fig4_8", "Figure 4.8: five of ten subscriptions left", FilterKind.THRESHOLD, events)
    before, after = found["lazy, rate"]
    report.compare(
        "lazy, rate: entropy of each half",
        "log2 10 = 3.3219, then log2 5 = 2.3219",
        f"{before['entropy']:.4f}, then {after['entropy']:.4f}",
        before["entropy"] > 3.31 and after["entropy"] > 2.31,
    )
    report.compare(
        "lazy, rate: mean distance after the change",
        "5",
        f"{before['distance']:.3f}, then {after['distance']:.3f}",
        abs(after["distance"] - 5) < 0.05,
    )
    _, after = found["lazy, interval"]
    report.compare(
        "lazy, interval: mean distance after the change",
        "5",
        f"{after['distance']:.3f}",
        abs(after["distance"] - 5) < 0.05,
    )


EXPERIMENT = Experiment("thesis_fig4_8", "Subscriptions left: threshold", "Thesis 2011, Figure 4.8", run)

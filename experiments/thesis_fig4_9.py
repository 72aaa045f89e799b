"""Thesis Figure 4.9: a user removes five of ten subscriptions; the sampling filter."""

from experiments.novelty_changes import leaving_runs
from experiments.novelty_common import EVENTS

from rankcast.lab.reproduce import Experiment, ExperimentReport
from rankcast.model import FilterKind


def run(report: ExperimentReport, events: int = EVENTS) -> None:
    """Entropy and mean distance of each half."""
    found = leaving_runs(report, "fig4_9", "Figure 4.9: five of ten subscriptions left", FilterKind.SAMPLING, events)
    before, after = found["lazy, rate"]
    report.compare(
        "lazy, rate: mean distance after the change",
        "affected by the change",
        f"{before['distance']:.3f}, then {after['distance']:.3f}",
        abs(after["distance"] - 5) < 0.1,
        "a removed subscription is forgotten at once here, so the remaining ones share the rate",
    )
    _, interval = found["lazy, interval"]
    report.compare(
        "interval is hurt more than rate: entropy after the change",
        "more",
        f"{interval['entropy']:.4f} and {after['entropy']:.4f}",
        interval["entropy"] < after["entropy"] - 0.001,
        "a removed subscription is forgotten at once, with its matches, so neither form is affected",
    )


EXPERIMENT = Experiment("thesis_fig4_9", "Subscriptions left: sampling", "Thesis 2011, Figure 4.9", run)

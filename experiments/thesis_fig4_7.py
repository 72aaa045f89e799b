"""Thesis Figure 4.7: the popularity of the subscriptions is reversed halfway."""

from experiments.novelty_changes import halves, skew_reverse
from experiments.novelty_common import EVENTS, HIGHEST, yardstick

from rankcast.lab.reproduce import Experiment, ExperimentReport
from rankcast.model import FilterKind


def run(report: ExperimentReport, events: int = EVENTS) -> None:
    """The most popular becomes the least popular."""
    stream = skew_reverse(events)
    found = halves(report, "fig4_7", "Figure 4.7: skew-reverse", stream)
    half = events // 2
    threshold = found[FilterKind.THRESHOLD]["lazy, rate"]
    sampling = found[FilterKind.SAMPLING]["lazy, rate"]
    best = yardstick(stream, len(threshold.at))
    report.compare(
        "threshold (lazy, rate) is not hurt",
        "unaffected",
        f"{threshold.entropy:.4f} at the end, optimum {best:.4f}",
        HIGHEST - threshold.entropy < 0.01,
    )
    after = sampling.series()["entropy"]
    lowest = after[half // 1000 :].min()
    report.compare(
        "sampling (lazy, rate) is hurt",
        "deteriorates",
        f"{after[half // 1000 - 1]:.4f} before, {lowest:.4f} at the lowest after",
        bool(lowest < after[half // 1000 - 1] - 0.05),
    )
    second = {kind: found[kind]["lazy, rate"].measures(half)["entropy"] for kind in found}
    report.compare(
        "entropy of the second half alone, threshold and sampling",
        "threshold higher",
        f"{second[FilterKind.THRESHOLD]:.4f} and {second[FilterKind.SAMPLING]:.4f}",
        second[FilterKind.THRESHOLD] > second[FilterKind.SAMPLING] + 0.1,
    )
    share = sampling.measures(half)["delivered"]
    report.compare(
        "sampling delivers less after the change than threshold (3.2.4)",
        "less",
        f"{share:.4f} and {threshold.measures(half)['delivered']:.4f}",
        share < threshold.measures(half)["delivered"],
        "subscriptions that were rare keep a probability near 1 for long, so the wrong subscriptions use up the "
        "budget; the thesis discusses a popular subscription that stops matching, which none of its scenarios has",
    )


EXPERIMENT = Experiment("thesis_fig4_7", "Skew-reverse", "Thesis 2011, Figure 4.7", run)

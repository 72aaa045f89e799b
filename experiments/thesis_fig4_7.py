"""Thesis Figure 4.7: the popularity of the subscriptions is reversed halfway."""

from statistics import fmean

from experiments.novelty_changes import DETERIORATES, UNAFFECTED, compare_change, halves, skew_reverse
from experiments.novelty_common import EVENTS, SOURCE

from rankcast.lab.reproduce import Experiment, ExperimentReport
from rankcast.model import FilterKind


def run(report: ExperimentReport, events: int = EVENTS) -> None:
    """The most popular becomes the least popular."""
    found = halves(report, "fig4_7", "Figure 4.7: skew-reverse", skew_reverse, events)
    for kind, rule, paper in (
        (FilterKind.THRESHOLD, UNAFFECTED, "the different variants of the threshold-based algorithm remain unaffected"),
        (FilterKind.SAMPLING, DETERIORATES, "very sensitive; the value of the output entropy deteriorates"),
    ):
        compare_change(report, rule, found[kind], list(found[kind][0]), paper, kind.value)
    second = {kind: fmean(one["lazy, rate"].measures(events // 2)["entropy"] for one in found[kind]) for kind in found}
    report.ours(
        "entropy of the second half alone: threshold, sampling (lazy, rate)",
        f"{second[FilterKind.THRESHOLD]:.4f}, {second[FilterKind.SAMPLING]:.4f}",
        note="mean over seeds",
    )


EXPERIMENT = Experiment("thesis_fig4_7", "Skew-reverse", f"{SOURCE}, Figure 4.7", run)

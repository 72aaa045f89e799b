"""Thesis Figure 4.16: the sampling filter on the news."""

from experiments.novelty_common import SOURCE
from experiments.novelty_news import compare_news, on_news
from experiments.thesis_fig4_15 import SAMPLES

from rankcast.lab.reproduce import Experiment, ExperimentReport, Rule
from rankcast.model import FilterKind

EAGER_BETTER = Rule(
    "eager has a higher entropy than lazy, by rate and by interval",
    lambda entropies: all(
        entropies[f"eager, {scoring}"] > entropies[f"lazy, {scoring}"] for scoring in ("rate", "interval")
    ),
    example=({"lazy, rate": 3.30, "eager, rate": 3.32, "lazy, interval": 3.1, "eager, interval": 3.3},),
    contradiction=({"lazy, rate": 3.33, "eager, rate": 3.32, "lazy, interval": 3.1, "eager, interval": 3.3},),
)


def run(report: ExperimentReport) -> None:
    """Entropy and deviation of the four variants."""
    found = on_news(report, "fig4_16", "Figure 4.16: sampling filter on the news", FilterKind.SAMPLING)
    compare_news(report, EAGER_BETTER, found, "the lazy mode is less effective than the eager mode")
    report.remark(SAMPLES)


EXPERIMENT = Experiment("thesis_fig4_16", "The news: sampling", f"{SOURCE}, Figure 4.16", run)

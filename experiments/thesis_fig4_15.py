"""Thesis Figure 4.15: the threshold filter on the news."""

from experiments.novelty_common import SOURCE
from experiments.novelty_news import compare_news, on_news

from rankcast.lab.reproduce import Experiment, ExperimentReport, Rule
from rankcast.model import FilterKind

EAGER_RATE_BEST = Rule(
    "eager, rate has the highest entropy of the four variants",
    lambda entropies: max(entropies, key=entropies.get) == "eager, rate",
    example=({"lazy, rate": 3.30, "eager, rate": 3.32, "eager, interval": 3.31},),
    contradiction=({"lazy, rate": 3.30, "eager, rate": 3.32, "eager, interval": 3.33},),
)
INTERVAL_WORST = Rule(
    "both interval forms have a lower entropy than both rate forms",
    lambda entropies: (
        max(entropies["lazy, interval"], entropies["eager, interval"])
        < min(entropies["lazy, rate"], entropies["eager, rate"])
    ),
    example=({"lazy, rate": 3.31, "eager, rate": 3.32, "lazy, interval": 3.2, "eager, interval": 3.3},),
    contradiction=({"lazy, rate": 3.31, "eager, rate": 3.32, "lazy, interval": 3.2, "eager, interval": 3.315},),
)


def run(report: ExperimentReport) -> None:
    """Entropy and deviation of the four variants."""
    found = on_news(report, "fig4_15", "Figure 4.15: threshold filter on the news", FilterKind.THRESHOLD)
    compare_news(report, EAGER_RATE_BEST, found, "eager, rate outperforms all variants in terms of the entropy")
    compare_news(
        report, INTERVAL_WORST, found, "interval achieves the worst entropy for both the eager and the lazy mode"
    )
    report.remark(SAMPLES)


SAMPLES = "A sample is the posts without one tenth of them: ten samples show what depends on single posts."
EXPERIMENT = Experiment("thesis_fig4_15", "The news: threshold", f"{SOURCE}, Figure 4.15", run)

"""Thesis Figure 4.16: the sampling filter on the news."""

from experiments.novelty_news import entropies, on_news

from rankcast.lab.reproduce import Experiment, ExperimentReport
from rankcast.model import FilterKind


def run(report: ExperimentReport) -> None:
    """Entropy and deviation of the four variants."""
    found = on_news(report, "fig4_16", "Figure 4.16: sampling filter on the news", FilterKind.SAMPLING)
    value = entropies(found)
    for scoring in ("rate", "interval"):
        lazy, eager = value[f"lazy, {scoring}"], value[f"eager, {scoring}"]
        report.compare(f"{scoring}: eager is better than lazy", "better", f"{eager:.4f} and {lazy:.4f}", eager > lazy)


EXPERIMENT = Experiment("thesis_fig4_16", "The news: sampling", "Thesis 2011, Figure 4.16", run)

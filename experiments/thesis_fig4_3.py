"""Thesis Figure 4.3: the threshold filter with short periods."""

from experiments import novelty_common as novelty
from rankcast.lab.reproduce import Experiment, ExperimentReport
from rankcast.model import FilterKind


def run(report: ExperimentReport, events: int = novelty.EVENTS) -> None:
    """Like Figure 4.1, with P = 100."""
    short = novelty.variants(report, FilterKind.THRESHOLD, events, period=100)
    longer = novelty.variants(report, FilterKind.THRESHOLD, events)
    first = list(short[0].values())
    novelty.summary(report, "fig4_3", novelty.plain(events, 0), first)
    novelty.picture(report, "fig4_3", "Figure 4.3: threshold filter with P = 100", first)
    cases = [
        (novelty.of_scoring(one, "interval", "entropy"), novelty.of_scoring(other, "interval", "entropy"))
        for one, other in zip(longer, short, strict=True)
    ]
    paper = "a smaller period results in a lower entropy for the interval-based scoring"
    novelty.compare(report, novelty.HIGHER_ENTROPY, cases, paper, "interval, lazy and eager, P 1,000 over P 100")
    novelty.rate_is_steadier(report, short, "rate outperforms interval in the standard deviation")
    cases = novelty.by_scoring(short, "rate", "interval", "delivered")
    novelty.compare(
        report, novelty.DELIVERS_MORE, cases, "rate outperforms interval", "rate against interval, lazy and eager"
    )
    distances = novelty.by_scoring(short, "rate", "interval", "distance")
    report.ours(
        "mean interdelivery distance, rate against interval, lazy and eager",
        novelty.told(distances),
        note=novelty.ANY_FILTER,
    )


EXPERIMENT = Experiment("thesis_fig4_3", "The threshold filter, short periods", f"{novelty.SOURCE}, Figure 4.3", run)

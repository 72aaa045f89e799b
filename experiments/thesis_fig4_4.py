"""Thesis Figure 4.4: the four variants of the sampling filter on the default stream."""

from experiments import novelty_common as novelty
from rankcast.lab.reproduce import Experiment, ExperimentReport
from rankcast.model import FilterKind


def run(report: ExperimentReport, events: int = novelty.EVENTS) -> None:
    """Entropy, share delivered, and distances between deliveries, against time."""
    found = novelty.variants(report, FilterKind.SAMPLING, events)
    first = list(found[0].values())
    novelty.summary(report, "fig4_4", novelty.plain(events, 0), first)
    novelty.picture(report, "fig4_4", "Figure 4.4: sampling filter, zipf 1.25, r = 0.2, P = 1,000", first)
    cases = [(novelty.of_update(one, "eager", "entropy"), novelty.of_update(one, "lazy", "entropy")) for one in found]
    paper = "the entropy converges to the same final value for both modes"
    novelty.compare(report, novelty.SAME_ENTROPY, cases, paper, "eager and lazy, by rate and by interval")
    for scoring in ("rate", "interval"):
        when = [
            tuple(
                novelty.settles(one[f"{update}, {scoring}"].series()["entropy"], novelty.VISIBLE)
                for update in ("eager", "lazy")
            )
            for one in found
        ]
        report.shape(
            novelty.SETTLES_SOONER,
            when,
            "seeds",
            "the eager update mode results in a faster conversion",
            f"eager and lazy in period {', '.join(f'{eager} and {lazy}' for eager, lazy in when)}",
            f"settled: the entropy stays within {novelty.VISIBLE} bits of its last value",
            of=scoring,
        )
    cases = novelty.by_scoring(found, "rate", "interval", "entropy")
    paper = "rate-based seems to be a bit more effective"
    novelty.compare(report, novelty.HIGHER_ENTROPY, cases, paper, "rate over interval, lazy and eager", SAME)
    novelty.rate_is_steadier(report, found, "rate clearly results in a lower standard deviation")
    cases = novelty.by_scoring(found, "interval", "rate", "delivered")
    paper = "with interval-based scoring, more events are delivered"
    novelty.compare(report, novelty.DELIVERS_MORE, cases, paper, "interval over rate, lazy and eager", SAME)


SAME = "both forms estimate the same number: the mean distance of matches is the inverse of the match rate"
EXPERIMENT = Experiment("thesis_fig4_4", "The sampling filter", f"{novelty.SOURCE}, Figure 4.4", run)

"""Thesis Figure 4.1: the four variants of the threshold filter on the default stream."""

from statistics import fmean

from experiments import novelty_common as novelty
from rankcast.lab.reproduce import Experiment, ExperimentReport, Rule
from rankcast.model import FilterKind

AROUND_ZERO = Rule(
    "by rate, the standard deviation of the interdelivery distance is below 0.5, for the lazy and the eager form",
    lambda deviations: all(one < 0.5 for one in deviations),
    example=((0.02, 0.3),),
    contradiction=((0.02, 7.4),),
)
WHY_EAGER = (
    "any common delivery rate is stable: subscriptions delivered at the same rate have about the same score, and "
    "the threshold, the k-th highest of these scores, equals it. So the first window sets the share"
)


def run(report: ExperimentReport, events: int = novelty.EVENTS) -> None:
    """Entropy, share delivered, and distances between deliveries, against time."""
    found = novelty.variants(report, FilterKind.THRESHOLD, events)
    first = list(found[0].values())
    novelty.summary(report, "fig4_1", novelty.plain(events, 0), first)
    novelty.picture(report, "fig4_1", "Figure 4.1: threshold filter, zipf 1.25, r = 0.2, P = 1,000", first)
    for name in found[0]:
        share = fmean(one[name].share for one in found)
        note = WHY_EAGER if name == "eager, rate" else ""
        report.printed(f"{name}: share delivered, mean over seeds", novelty.RATE, share, digits=4, note=note)
    cases = [(novelty.of_update(one, "eager", "entropy"), novelty.of_update(one, "lazy", "entropy")) for one in found]
    paper = "both update modes achieve the same output entropy"
    novelty.compare(report, novelty.SAME_ENTROPY, cases, paper, "eager and lazy, by rate and by interval")
    cases = novelty.by_scoring(found, "rate", "interval", "entropy")
    paper = "rate-based outperforms interval-based for both"
    novelty.compare(report, novelty.HIGHER_ENTROPY, cases, paper, "rate over interval, lazy and eager")
    deviations = [novelty.of_scoring(one, "rate", "deviation") for one in found]
    report.shape(
        AROUND_ZERO,
        [(one,) for one in deviations],
        "seeds",
        "a value around 0.0, which is the optimal value",
        f"{fmean(one[0] for one in deviations):.2f} and {fmean(one[1] for one in deviations):.2f} on average",
        novelty.over_means(AROUND_ZERO, [(novelty.of_scoring(one, "rate", "deviation of means"),) for one in found]),
    )
    novelty.rate_is_steadier(report, found, "rate-based is optimal")
    report.ours(
        "mean interdelivery distance, lazy, rate",
        f"{fmean(one['lazy, rate'].measures()['distance'] for one in found):.3f}",
        note="the thesis: 10, the number of subscriptions; it is so for any filter, as the distances of a subscription "
        "add up to the number of deliveries",
    )


EXPERIMENT = Experiment("thesis_fig4_1", "The threshold filter", f"{novelty.SOURCE}, Figure 4.1", run)

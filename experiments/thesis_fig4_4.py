"""Thesis Figure 4.4: the four variants of the sampling filter on the default stream."""

from experiments.novelty_common import (
    DELIVERS_MORE,
    EVENTS,
    HIGHER_ENTROPY,
    SAME_ENTROPY,
    SETTLES_SOONER,
    SOURCE,
    VISIBLE,
    of_scoring,
    of_update,
    picture,
    plain,
    settles,
    steadier,
    summary,
    told,
    variants,
)

from rankcast.lab.reproduce import Experiment, ExperimentReport
from rankcast.model import FilterKind


def run(report: ExperimentReport, events: int = EVENTS) -> None:
    """Entropy, share delivered, and distances between deliveries, against time."""
    found = variants(report, FilterKind.SAMPLING, events)
    first = list(found[0].values())
    summary(report, "fig4_4", plain(events, 0), first)
    picture(report, "fig4_4", "Figure 4.4: sampling filter, zipf 1.25, r = 0.2, P = 1,000", first)
    cases = [(of_update(one, "eager", "entropy"), of_update(one, "lazy", "entropy")) for one in found]
    report.shape(
        SAME_ENTROPY,
        cases,
        "seeds",
        "the entropy converges to the same final value for both modes",
        told(cases, 4),
        of="eager and lazy, by rate and by interval",
    )
    for scoring in ("rate", "interval"):
        when = [
            tuple(settles(one[f"{update}, {scoring}"].series()["entropy"], VISIBLE) for update in ("eager", "lazy"))
            for one in found
        ]
        report.shape(
            SETTLES_SOONER,
            when,
            "seeds",
            "the eager update mode results in a faster conversion",
            f"eager and lazy in period {', '.join(f'{eager} and {lazy}' for eager, lazy in when)}",
            f"settled: the entropy stays within {VISIBLE} bits of its last value",
            of=scoring,
        )
    cases = [(of_scoring(one, "rate", "entropy"), of_scoring(one, "interval", "entropy")) for one in found]
    report.shape(
        HIGHER_ENTROPY,
        cases,
        "seeds",
        "rate-based seems to be a bit more effective",
        told(cases, 4),
        SAME,
        "rate over interval, lazy and eager",
    )
    rate, interval = (
        [one[f"{update}, {scoring}"] for one in found for update in ("lazy", "eager")]
        for scoring in ("rate", "interval")
    )
    steadier(
        report,
        rate,
        interval,
        "rate clearly results in a lower standard deviation",
        "rate against interval, lazy and eager",
        2,
    )
    cases = [(of_scoring(one, "interval", "delivered"), of_scoring(one, "rate", "delivered")) for one in found]
    report.shape(
        DELIVERS_MORE,
        cases,
        "seeds",
        "with interval-based scoring, more events are delivered",
        told(cases, 4),
        SAME,
        "interval over rate, lazy and eager",
    )


SAME = "both forms estimate the same number: the mean distance of matches is the inverse of the match rate"
EXPERIMENT = Experiment("thesis_fig4_4", "The sampling filter", f"{SOURCE}, Figure 4.4", run)

"""Thesis Figure 4.3: the threshold filter with short periods."""

from experiments.novelty_common import (
    DELIVERS_MORE,
    EVENTS,
    HIGHER_ENTROPY,
    SOURCE,
    SUBSCRIPTIONS,
    of_scoring,
    picture,
    plain,
    steadier,
    summary,
    told,
    variants,
)

from rankcast.lab.reproduce import Experiment, ExperimentReport, Rule
from rankcast.model import FilterKind

NEARER = Rule(
    "the mean interdelivery distance is nearer to the optimum, 10",
    lambda near, far: all(abs(one - 10) < abs(other - 10) for one, other in zip(near, far, strict=True)),
    example=((9.99, 10.0), (9.9, 9.8)),
    contradiction=((9.99, 9.8), (9.9, 9.8)),
)


def run(report: ExperimentReport, events: int = EVENTS) -> None:
    """Like Figure 4.1, with P = 100."""
    short = variants(report, FilterKind.THRESHOLD, events, period=100)
    longer = variants(report, FilterKind.THRESHOLD, events)
    first = list(short[0].values())
    summary(report, "fig4_3", plain(events, 0), first)
    picture(report, "fig4_3", "Figure 4.3: threshold filter with P = 100", first)
    cases = [
        (of_scoring(one, "interval", "entropy"), of_scoring(other, "interval", "entropy"))
        for one, other in zip(longer, short, strict=True)
    ]
    report.shape(
        HIGHER_ENTROPY,
        cases,
        "seeds",
        "a smaller period results in a lower entropy for the interval-based scoring",
        told(cases, 4),
        of="interval, lazy and eager, P 1,000 over P 100",
    )
    rate, interval = (
        [one[f"{update}, {scoring}"] for one in short for update in ("lazy", "eager")]
        for scoring in ("rate", "interval")
    )
    steadier(
        report,
        rate,
        interval,
        "rate outperforms interval in the standard deviation",
        "rate against interval, lazy and eager",
        2,
    )
    for rule, measure, digits in ((NEARER, "distance", 3), (DELIVERS_MORE, "delivered", 4)):
        cases = [(of_scoring(one, "rate", measure), of_scoring(one, "interval", measure)) for one in short]
        report.shape(
            rule,
            cases,
            "seeds",
            "rate outperforms interval",
            told(cases, digits),
            f"both are {SUBSCRIPTIONS} to the first decimal, as for any filter" if rule is NEARER else "",
            of="rate against interval, lazy and eager",
        )


EXPERIMENT = Experiment("thesis_fig4_3", "The threshold filter, short periods", f"{SOURCE}, Figure 4.3", run)

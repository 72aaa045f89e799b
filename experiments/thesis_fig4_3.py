"""Thesis Figure 4.3: the threshold filter with short periods."""

from experiments.novelty_common import (
    ANY_FILTER,
    DELIVERS_MORE,
    EVENTS,
    HIGHER_ENTROPY,
    SOURCE,
    of_scoring,
    picture,
    plain,
    steadier,
    summary,
    told,
    variants,
)

from rankcast.lab.reproduce import Experiment, ExperimentReport
from rankcast.model import FilterKind


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
    cases = [(of_scoring(one, "rate", "delivered"), of_scoring(one, "interval", "delivered")) for one in short]
    report.shape(
        DELIVERS_MORE,
        cases,
        "seeds",
        "rate outperforms interval",
        told(cases, 4),
        of="rate against interval, lazy and eager",
    )
    distances = [(of_scoring(one, "rate", "distance"), of_scoring(one, "interval", "distance")) for one in short]
    report.ours("mean interdelivery distance, rate against interval, lazy and eager", told(distances), note=ANY_FILTER)


EXPERIMENT = Experiment("thesis_fig4_3", "The threshold filter, short periods", f"{SOURCE}, Figure 4.3", run)

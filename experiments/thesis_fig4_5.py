"""Thesis Figure 4.5: the best threshold filter, the best sampling filter, and the random filter."""

from dataclasses import replace

from experiments.novelty_common import (
    DELIVERS_MORE,
    EVENTS,
    HIGHER_ENTROPY,
    SAME_ENTROPY,
    SOURCE,
    measured,
    picture,
    plain,
    settings,
    steadier,
    summary,
    told,
)
from experiments.thesis_fig4_3 import NEARER

from rankcast.lab.reproduce import Experiment, ExperimentReport, Rule
from rankcast.model import FilterKind, Update

NAMES = ("threshold (lazy, rate)", "sampling (eager, rate)", "random")
SAME_DISTANCE = Rule(
    "the mean interdelivery distances of both filters differ by less than 1 %",
    lambda one, other: abs(one[0] - other[0]) < 0.01 * other[0],
    example=((9.99,), (9.95,)),
    contradiction=((9.99,), (9.8,)),
)

ANY_FILTER = "near 10 for any filter that delivers all ten; the difference comes from the first and last events"


def run(report: ExperimentReport, events: int = EVENTS) -> None:
    """Compare both with the random filter."""
    chosen = dict(
        zip(
            NAMES,
            (
                settings(FilterKind.THRESHOLD),
                settings(FilterKind.SAMPLING, update=Update.EAGER),
                settings(FilterKind.RANDOM),
            ),
            strict=True,
        )
    )
    found = [
        {name: replace(measured(plain, events, seed, how), label=name) for name, how in chosen.items()}
        for seed in range(report.seeds)
    ]
    report.progress(0.8)
    first = list(found[0].values())
    summary(report, "fig4_5", plain(events, 0), first)
    picture(report, "fig4_5", "Figure 4.5: threshold, sampling and chance", first)
    threshold, sampling, by_chance = ([one[name] for one in found] for name in NAMES)

    def cases(lefts: list, rights: list, measure: str) -> list[tuple[tuple[float], tuple[float]]]:
        return [((a.measures()[measure],), (b.measures()[measure],)) for a, b in zip(lefts, rights, strict=True)]

    for name, runs in (("threshold", threshold), ("sampling", sampling)):
        of = f"{name} against random"
        given = cases(runs, by_chance, "entropy")
        report.shape(
            HIGHER_ENTROPY, given, "seeds", "outperform random sampling in terms of the entropy", told(given, 4), of=of
        )
        given = cases(runs, by_chance, "distance")
        report.shape(
            NEARER, given, "seeds", "outperform it in terms of the average distance", told(given), ANY_FILTER, of=of
        )
        steadier(report, runs, by_chance, "outperform it in terms of the standard deviation", of)
    of = "threshold and sampling"
    given = cases(threshold, sampling, "entropy")
    report.shape(SAME_ENTROPY, given, "seeds", "equally effective in terms of the entropy", told(given, 4), of=of)
    given = cases(threshold, sampling, "distance")
    report.shape(
        SAME_DISTANCE,
        given,
        "seeds",
        "equally effective in terms of the average distance",
        told(given),
        ANY_FILTER,
        of=of,
    )
    steadier(
        report,
        sampling,
        threshold,
        "the sampling algorithm outperforms the threshold-based one",
        "sampling against threshold",
    )
    given = cases(threshold, sampling, "delivered")
    report.shape(
        DELIVERS_MORE,
        given,
        "seeds",
        "with threshold, a bit more events are delivered",
        told(given, 4),
        of="threshold over sampling",
    )


EXPERIMENT = Experiment("thesis_fig4_5", "Threshold, sampling and chance", f"{SOURCE}, Figure 4.5", run)

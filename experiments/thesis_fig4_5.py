"""Thesis Figure 4.5: the best threshold filter, the best sampling filter, and the random filter."""

from dataclasses import replace

from experiments.novelty_common import (
    ANY_FILTER,
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

from rankcast.lab.reproduce import Experiment, ExperimentReport
from rankcast.model import FilterKind, Update

NAMES = ("threshold (lazy, rate)", "sampling (eager, rate)", "random")


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
        steadier(report, runs, by_chance, "outperform it in terms of the standard deviation", of)
    of = "threshold and sampling"
    given = cases(threshold, sampling, "entropy")
    report.shape(SAME_ENTROPY, given, "seeds", "equally effective in terms of the entropy", told(given, 4), of=of)
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
    distances = [cases(runs, by_chance, "distance") for runs in (threshold, sampling)]
    report.ours(
        "mean interdelivery distance, threshold and sampling against random",
        "; ".join(map(told, distances)),
        note=f"{ANY_FILTER}; the thesis says that both outperform random, and are equally effective",
    )


EXPERIMENT = Experiment("thesis_fig4_5", "Threshold, sampling and chance", f"{SOURCE}, Figure 4.5", run)

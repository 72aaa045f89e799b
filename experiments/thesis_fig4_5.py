"""Thesis Figure 4.5: the best threshold filter, the best sampling filter, and the random filter."""

from dataclasses import replace

from experiments import novelty_common as novelty
from rankcast.lab.reproduce import Experiment, ExperimentReport
from rankcast.model import FilterKind, Update

NAMES = ("threshold (lazy, rate)", "sampling (eager, rate)", "random")


def run(report: ExperimentReport, events: int = novelty.EVENTS) -> None:
    """Compare both with the random filter."""
    eager = novelty.settings(FilterKind.SAMPLING, update=Update.EAGER)
    chosen = dict(
        zip(NAMES, (novelty.settings(FilterKind.THRESHOLD), eager, novelty.settings(FilterKind.RANDOM)), strict=True)
    )

    def of_seed(seed: int) -> dict[str, novelty.Run]:
        return {
            name: replace(novelty.measured(novelty.plain, events, seed, how), label=name)
            for name, how in chosen.items()
        }

    found = report.each_seed(of_seed, 0.8)
    first = list(found[0].values())
    novelty.summary(report, "fig4_5", novelty.plain(events, 0), first)
    novelty.picture(report, "fig4_5", "Figure 4.5: threshold, sampling and chance", first)
    threshold, sampling, by_chance = ([one[name] for one in found] for name in NAMES)

    def cases(lefts: list, rights: list, measure: str) -> list[tuple[tuple[float], tuple[float]]]:
        return [((a.measures()[measure],), (b.measures()[measure],)) for a, b in zip(lefts, rights, strict=True)]

    for name, runs in (("threshold", threshold), ("sampling", sampling)):
        of = f"{name} against random"
        paper = "outperform random sampling in terms of the entropy"
        novelty.compare(report, novelty.HIGHER_ENTROPY, cases(runs, by_chance, "entropy"), paper, of)
        novelty.steadier(report, runs, by_chance, "outperform it in terms of the standard deviation", of)
    given, paper = cases(threshold, sampling, "entropy"), "equally effective in terms of the entropy"
    novelty.compare(report, novelty.SAME_ENTROPY, given, paper, "threshold and sampling")
    paper = "the sampling algorithm outperforms the threshold-based one"
    novelty.steadier(report, sampling, threshold, paper, "sampling against threshold")
    given, paper = cases(threshold, sampling, "delivered"), "with threshold, a bit more events are delivered"
    novelty.compare(report, novelty.DELIVERS_MORE, given, paper, "threshold over sampling")
    distances = [cases(runs, by_chance, "distance") for runs in (threshold, sampling)]
    report.ours(
        "mean interdelivery distance, threshold and sampling against random",
        "; ".join(map(novelty.told, distances)),
        note=f"{novelty.ANY_FILTER}; the thesis says that both outperform random, and are equally effective",
    )


EXPERIMENT = Experiment("thesis_fig4_5", "Threshold, sampling and chance", f"{novelty.SOURCE}, Figure 4.5", run)

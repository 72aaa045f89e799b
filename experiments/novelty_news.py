"""Shared by the experiments on the news: the posts of ten agencies as a stream."""

from collections import Counter
from collections.abc import Mapping, Sequence
from functools import cache

import numpy as np
from experiments.novelty_common import RATE, VARIANTS, Stream, picture, summary
from experiments.novelty_common import run as run_filter

from rankcast.lab.datasets import TEN_AGENCIES, news
from rankcast.lab.reproduce import ExperimentReport, Rule
from rankcast.model import Filter, FilterKind, Scoring, Update

PERIODS = (1_000, 500, 100)
"""Events per period: the thesis's default first, then others. 8,172 posts make 8 periods; the thesis has 17,362."""
PERIOD = PERIODS[0]


@cache
def agencies() -> tuple[list[str], Stream]:
    """The agencies from the most to the least active, and the posts as a stream over them."""
    posted = [post.source for post in news(TEN_AGENCIES)]
    names = [name for name, _ in Counter(posted).most_common()]
    number = {name: place for place, name in enumerate(names)}
    return names, Stream(np.array([number[name] for name in posted]), ids=names)


def without(part: int, parts: int) -> Stream:
    """The posts without one of `parts` parts of equal length: a sample, to see what depends on single posts."""
    names, stream = agencies()
    limits = np.linspace(0, len(stream.places), parts + 1).astype(int)
    kept = np.delete(stream.places, np.arange(limits[part], limits[part + 1]))
    return Stream(kept, ids=names)


def on_news(report: ExperimentReport, name: str, title: str, kind: FilterKind) -> dict[int, list[dict[str, float]]]:
    """The entropies of the four variants by period, for as many samples of the posts as there are seeds.

    The interval form has an aging factor of 0.1, as in the thesis. Table and picture are those of all posts.
    """
    _, stream = agencies()
    whole = [run_filter(stream, how(kind, update, scoring, PERIOD)) for update, scoring in VARIANTS]
    summary(report, name, stream, whole)
    picture(report, name, title, whole, ["entropy", "deviation"])
    found: dict[int, list[dict[str, float]]] = {}
    for number, period in enumerate(PERIODS, 1):
        found[period] = []
        for part in range(report.seeds):
            sample = without(part, report.seeds) if report.seeds > 1 else stream
            runs = [
                run_filter(sample, how(kind, update, scoring, period), user=f"reader {part}")
                for update, scoring in VARIANTS
            ]
            found[period].append({each.label: each.entropy for each in runs})
        report.progress(number / len(PERIODS))
    return found


def how(kind: FilterKind, update: Update, scoring: Scoring, period: int) -> Filter:
    """A filter on the news."""
    return Filter(kind, RATE, period, scoring, update, 0.1 if scoring is Scoring.INTERVAL else 1.0)


def compare_news(
    report: ExperimentReport, rule: Rule, found: Mapping[int, Sequence[Mapping[str, float]]], paper: str
) -> None:
    """Check a rule on the entropies of all samples with the thesis's period; the note counts it for the others."""
    means = {name: np.mean([one[name] for one in found[PERIOD]]) for name in found[PERIOD][0]}
    others = [
        f"P {period}: {sum(rule(one) for one in found[period])} of {len(found[period])}" for period in PERIODS[1:]
    ]
    report.shape(
        rule,
        [(one,) for one in found[PERIOD]],
        "samples",
        paper,
        ", ".join(f"{name} {value:.4f}" for name, value in means.items()),
        "; ".join([*others, "other posts than the thesis's"]),
    )

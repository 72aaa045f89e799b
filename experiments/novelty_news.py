"""Shared by the experiments on the news: the posts of ten agencies as a stream."""

from collections import Counter

import numpy as np
from experiments.novelty_common import RATE, VARIANTS, Run, Stream, picture, summary
from experiments.novelty_common import run as run_filter

from rankcast.lab.datasets import TEN_AGENCIES, news
from rankcast.lab.reproduce import ExperimentReport
from rankcast.model import Filter, FilterKind, Scoring

PERIOD = 500
"""Events per period: 8,172 posts make 16 periods. The thesis has 17,362 posts."""


def agencies() -> tuple[list[str], Stream]:
    """The agencies from the most to the least active, and the posts as a stream over them."""
    posted = [post.source for post in news(TEN_AGENCIES)]
    names = [name for name, _ in Counter(posted).most_common()]
    number = {name: place for place, name in enumerate(names)}
    return names, Stream(np.array([number[name] for name in posted]), ids=names)


def on_news(report: ExperimentReport, name: str, title: str, kind: FilterKind) -> dict[str, Run]:
    """The four variants on the news; the interval form has an aging factor of 0.1, as in the thesis."""
    _, stream = agencies()
    found = {}
    for number, (update, scoring) in enumerate(VARIANTS, 1):
        aging = 0.1 if scoring is Scoring.INTERVAL else 1.0
        each = run_filter(stream, Filter(kind, RATE, PERIOD, scoring, update, aging))
        found[each.label] = each
        report.progress(number / len(VARIANTS))
    summary(report, name, stream, list(found.values()))
    picture(report, name, title, list(found.values()), ["entropy", "deviation of means"])
    return found


def entropies(found: dict[str, Run]) -> dict[str, float]:
    """The entropy of each variant."""
    return {name: each.entropy for name, each in found.items()}

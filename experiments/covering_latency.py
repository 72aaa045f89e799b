"""The processing part of the latency for Figures 7 and 8: the time that the brokers on a path spend on a publication.

The paper measures from the publisher to the subscriber, network included, in a cluster. We have no network.
"""

import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, partial
from statistics import fmean
from time import thread_time
from typing import TypeVar

from experiments.covering_common import COLOURS, chain

from rankcast.lab.reproduce import ExperimentReport
from rankcast.model import Ranking
from rankcast.overlay import (
    AncestorCoverK,
    AncestorFairK,
    RegularCover,
    RegularK,
    Standing,
    Strategy,
)
from rankcast.overlay.broker import LOCAL

STRATEGIES: dict[str, Callable[[], Strategy]] = {
    "RegularCover": RegularCover,
    "RegularK": RegularK,
    "AncestorCoverK": lambda: AncestorCoverK(Standing.COVER),
    "AncestorFairK": AncestorFairK,
}
REPEATS = 5
Found = TypeVar("Found")
HEADINGS = (*(f"{name}, ms" for name in STRATEGIES), *(f"{name}, subscriptions ranked" for name in STRATEGIES))


@dataclass(frozen=True)
class Latency:
    """Means per delivery: milliseconds, those of matching alone, and how many subscriptions the brokers ranked.

    `calls` is how many functions they called, which is the same in every run. `deliveries` is how many there were.
    """

    milliseconds: float
    matching: float
    matched: float
    calls: float
    deliveries: int


@cache
def latency(name: str, k: int, subscribers: int, publications: int, seed: int = 0) -> Latency:
    """The latency from the publisher's broker to the subscriber's; each broker matches and chooses, as in the paper.

    The time is the CPU time of our brokers in one process, the best of a few runs. It excludes the network.
    """
    given = chain(subscribers, publications, seed)
    strategy = STRATEGIES[name]()
    overlay = given.overlay(strategy, k)
    decided_upstream = strategy.is_top_k and strategy.is_exact(Ranking.FAIR)
    totals = [0.0, 0.0, 0.0, 0.0]
    deliveries = 0
    for event in given.events:
        pending: list[tuple[str, list[str] | None, tuple[float, ...]]] = [("publisher", None, (0.0,) * len(totals))]
        while pending:
            at, ids, before = pending.pop()
            broker = overlay.broker("a1", at)
            count = k if ids is None else len(ids)
            choose = partial(broker.choose, event, count)
            took, chosen = _timed(choose)
            of_matching, found = _timed(partial(broker.match, event))
            if ids is not None and decided_upstream:
                # The broker ranks all that it knows, but the publisher's broker has chosen.
                chosen = broker.by_origin(ids)
            here = (took, of_matching, float(len(found)), float(_calls_of(choose)))
            spent = tuple(one + other for one, other in zip(before, here, strict=True))
            for neighbour, names in chosen.items():
                if neighbour == LOCAL:
                    deliveries += len(names)
                    for number, value in enumerate(spent):
                        totals[number] += value * len(names)
                else:
                    pending.append((neighbour, names, spent))
    means = [total / deliveries for total in totals]
    return Latency(1000 * means[0], 1000 * means[1], means[2], means[3], deliveries)


def measured(percent: float, subscribers: int, publications: int, seed: int) -> dict[str, Latency]:
    """The latency with each strategy, for k in percent of the subscribers."""
    k = round(subscribers * percent / 100)
    return {name: latency(name, k, subscribers, publications, seed) for name in STRATEGIES}


def row(found: Sequence[Mapping[str, Latency]]) -> tuple[float, ...]:
    """The values of the columns `HEADINGS`, as means over seeds."""
    return (
        *(round(fmean(one[name].milliseconds for one in found), 4) for name in STRATEGIES),
        *(round(fmean(one[name].matched for one in found), 1) for name in STRATEGIES),
    )


def draw(report: ExperimentReport, name: str, rows: list[tuple[float, ...]], title: str, along: str) -> None:
    """Draw the milliseconds against the second column, with a panel for each value of the first."""
    from matplotlib.figure import Figure

    panels = sorted({row[0] for row in rows})
    figure = Figure(figsize=(9.6, 4.2), layout="constrained")
    for axes, value in zip(figure.subplots(1, len(panels)), panels, strict=True):
        own = [row for row in rows if row[0] == value]
        for number, strategy in enumerate(STRATEGIES):
            ways = [row[1] for row in own], [row[2 + number] for row in own]
            axes.plot(*ways, "o-", color=COLOURS[strategy], label=strategy)
        axes.set_xlim(0)
        axes.set_ylim(0)
        axes.set_xlabel(along)
        axes.set_ylabel("time in the brokers on the way, ms")
        axes.set_title(title.format(value))
        axes.grid(alpha=0.3)
    figure.legend(*axes.get_legend_handles_labels(), loc="outside lower center", ncols=4, frameon=False)
    report.figure(name, figure)


def _timed(do: Callable[[], Found]) -> tuple[float, Found]:
    best = float("inf")
    for _ in range(REPEATS):
        start = thread_time()
        result = do()
        best = min(best, thread_time() - start)
    return best, result


def _calls_of(do: Callable[[], object]) -> int:
    """How many functions, Python's own included, a call calls. It ran before, so caches are filled."""
    calls = 0

    def count(frame: object, event: str, argument: object) -> None:
        nonlocal calls
        calls += event in ("call", "c_call")

    before = sys.getprofile()
    sys.setprofile(count)
    try:
        do()
    finally:
        sys.setprofile(before)
    return calls

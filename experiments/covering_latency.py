"""The processing part of the latency for Figures 7 and 8: the time that the brokers on a path spend on a publication.

The paper measures from the publisher to the subscriber, network included, in a cluster. We have no network.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
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
REPEATS = 3
Found = TypeVar("Found")
HEADINGS = (*(f"{name}, ms" for name in STRATEGIES), *(f"{name}, subscriptions ranked" for name in STRATEGIES))


@dataclass(frozen=True)
class Latency:
    """Means per delivery: milliseconds, those of matching alone, and how many subscriptions the brokers ranked.

    `deliveries` is how many there were.
    """

    milliseconds: float
    matching: float
    matched: float
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
    totals = [0.0, 0.0, 0.0]
    deliveries = 0
    for event in given.events:
        pending: list[tuple[str, list[str] | None, float, float, float]] = [("publisher", None, 0.0, 0.0, 0.0)]
        while pending:
            at, ids, seconds, matching, matched = pending.pop()
            broker = overlay.broker("a1", at)
            count = k if ids is None else len(ids)
            took, chosen = _timed(lambda broker=broker, event=event, count=count: broker.choose(event, count))
            of_matching, found = _timed(lambda broker=broker, event=event: broker.match(event))
            if ids is not None and decided_upstream:
                # The broker ranks all that it knows, but the publisher's broker has chosen.
                chosen = broker.by_origin(ids)
            seconds, matching, matched = seconds + took, matching + of_matching, matched + len(found)
            for neighbour, names in chosen.items():
                if neighbour == LOCAL:
                    deliveries += len(names)
                    for number, value in enumerate((seconds, matching, matched)):
                        totals[number] += value * len(names)
                else:
                    pending.append((neighbour, names, seconds, matching, matched))
    means = [total / deliveries for total in totals]
    return Latency(1000 * means[0], 1000 * means[1], means[2], deliveries)


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

"""The latency of a publication for Figures 7 and 8: the time that the brokers on its path spend on it."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from time import thread_time

from experiments.covering_common import COLOURS, chain

from rankcast.lab.reproduce import ExperimentReport
from rankcast.model import Event, Ranking
from rankcast.overlay import (
    AncestorCoverK,
    AncestorFairK,
    Overlay,
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
HEADINGS = (*(f"{name}, ms" for name in STRATEGIES), *(f"{name}, subscriptions ranked" for name in STRATEGIES))


@dataclass(frozen=True)
class Latency:
    """Means per delivery: milliseconds, and how many subscriptions the brokers on the way knew and how many matched.

    `deliveries` is how many there were.
    """

    milliseconds: float
    known: float
    matched: float
    deliveries: int


@cache
def latency(name: str, k: int, subscribers: int, publications: int) -> Latency:
    """The latency from the publisher's broker to the subscriber's; each broker matches and chooses, as in the paper.

    The time is the CPU time of our brokers in one process, the best of a few runs. It excludes the network.
    """
    given = chain(subscribers, publications)
    strategy = STRATEGIES[name]()
    overlay = given.overlay(strategy, k)
    decided_upstream = strategy.is_top_k and strategy.is_exact(Ranking.FAIR)
    totals = [0.0, 0.0, 0.0]
    deliveries = 0
    for event in given.events:
        pending: list[tuple[str, list[str] | None, float, float, float]] = [("publisher", None, 0.0, 0.0, 0.0)]
        while pending:
            at, ids, seconds, known, matched = pending.pop()
            took, chosen = _timed(overlay, event, at, k if ids is None else len(ids))
            broker = overlay.broker("a1", at)
            if ids is not None and decided_upstream:
                chosen = broker.by_origin(
                    ids
                )  # the broker ranks all that it knows, but the publisher's broker has chosen
            seconds, known = seconds + took, known + len(broker.known())
            matched += len(broker.match(event))
            for neighbour, names in chosen.items():
                if neighbour == LOCAL:
                    deliveries += len(names)
                    for number, value in enumerate((seconds, known, matched)):
                        totals[number] += value * len(names)
                else:
                    pending.append((neighbour, names, seconds, known, matched))
    means = [total / deliveries for total in totals]
    return Latency(1000 * means[0], means[1], means[2], deliveries)


def figures(percent: float, subscribers: int, publications: int) -> tuple[float, ...]:
    """The values of the columns `HEADINGS`, for k in percent of the subscribers."""
    k = round(subscribers * percent / 100)
    found = [latency(name, k, subscribers, publications) for name in STRATEGIES]
    return (*(round(one.milliseconds, 4) for one in found), *(round(one.matched, 1) for one in found))


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


def _timed(overlay: Overlay, event: Event, at: str, count: int) -> tuple[float, dict[str, list[str]]]:
    broker = overlay.broker("a1", at)
    best = float("inf")
    for _ in range(REPEATS):
        start = thread_time()
        chosen = broker.choose(event, count)
        best = min(best, thread_time() - start)
    return best, chosen

"""The processing part of the latency for Figures 7 and 8: the time that the brokers on a path spend on a publication.

The paper measures from the publisher to the subscriber, network included, in a cluster. We have no network.
"""

import sys
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, partial
from itertools import zip_longest
from statistics import fmean
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
    """Means per delivery: milliseconds, those of matching alone, and how many subscriptions the brokers ranked.

    `calls` is how many functions they called, which is the same in every run. `deliveries` is how many there were.
    """

    milliseconds: float
    matching: float
    matched: float
    calls: float
    deliveries: int


@dataclass
class _Visit:
    """A publication at a broker: what the broker does, for how many deliveries, and the best times of it so far."""

    choose: Callable[[], Mapping[str, list[str]]]
    match: Callable[[], Collection[object]]
    deliveries: int = 0
    choosing: float = float("inf")
    matching: float = float("inf")

    def measure(self) -> None:
        """Do it once more."""
        self.choosing = min(self.choosing, _seconds(self.choose))
        self.matching = min(self.matching, _seconds(self.match))


@cache
def latencies(k: int, subscribers: int, publications: int, seed: int = 0) -> dict[str, Latency]:
    """The latency from the publisher's broker to the subscriber's, with each strategy, as in the paper.

    The time is the CPU time of our brokers in one process, the best of a few rounds. It excludes the network. A machine
    has slow and fast seconds, so the strategies take turns after each visit of a broker.
    """
    given = chain(subscribers, publications, seed)
    visits: dict[str, list[_Visit]] = {}
    deliveries: dict[str, int] = {}
    for name, make in STRATEGIES.items():
        strategy = make()
        overlay = given.overlay(strategy, k)
        decided_upstream = strategy.is_top_k and strategy.is_exact(Ranking.FAIR)
        visits[name] = []
        deliveries[name] = sum(
            _publish(overlay, event, k, decided_upstream, "publisher", None, visits[name]) for event in given.events
        )
    for _ in range(REPEATS):
        for turn in zip_longest(*visits.values()):
            for visit in turn:
                if visit is not None:
                    visit.measure()
    return {name: _means(each, deliveries[name]) for name, each in visits.items()}


def _publish(
    overlay: Overlay,
    event: Event,
    k: int,
    decided_upstream: bool,
    at: str,
    ids: list[str] | None,
    visits: list[_Visit],
) -> int:
    """Each broker on the way matches and chooses. Adds its visits, and returns the number of deliveries."""
    broker = overlay.broker("a1", at)
    visit = _Visit(partial(broker.choose, event, k if ids is None else len(ids)), partial(broker.match, event))
    visits.append(visit)
    # Where the publisher's broker has chosen, the others rank all that they know, but change nothing.
    chosen = visit.choose() if ids is None or not decided_upstream else broker.by_origin(ids)
    for neighbour, names in chosen.items():
        if neighbour == LOCAL:
            visit.deliveries += len(names)
        else:
            visit.deliveries += _publish(overlay, event, k, decided_upstream, neighbour, names, visits)
    return visit.deliveries


def _means(visits: Sequence[_Visit], deliveries: int) -> Latency:
    """Per delivery, over the visits on its way."""
    return Latency(
        1000 * sum(visit.choosing * visit.deliveries for visit in visits) / deliveries,
        1000 * sum(visit.matching * visit.deliveries for visit in visits) / deliveries,
        sum(len(visit.match()) * visit.deliveries for visit in visits) / deliveries,
        sum(_calls_of(visit.choose) * visit.deliveries for visit in visits) / deliveries,
        deliveries,
    )


def measured(percent: float, subscribers: int, publications: int, seed: int) -> dict[str, Latency]:
    """The latency with each strategy, for k in percent of the subscribers."""
    return latencies(round(subscribers * percent / 100), subscribers, publications, seed)


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
        axes.set(xlim=0, ylim=0, xlabel=along, ylabel="time in the brokers on the way, ms", title=title.format(value))
        axes.grid(alpha=0.3)
    figure.legend(*axes.get_legend_handles_labels(), loc="outside lower center", ncols=4, frameon=False)
    report.figure(name, figure)


def _seconds(do: Callable[[], object]) -> float:
    start = thread_time()
    do()
    return thread_time() - start


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

"""Shared by the experiments on covering: the workload of the paper's section V, and its measurement."""

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import cache
from typing import Any

import numpy as np

from rankcast.cover.box_poset import BoxPoset
from rankcast.lab.reproduce import ExperimentReport
from rankcast.language import parse
from rankcast.model import Advertisement, Between, Event, Predicate, Ranking, Subscription
from rankcast.overlay import (
    AncestorCoverK,
    AncestorFairK,
    Overlay,
    RegularK,
    Standing,
    Strategy,
    Tree,
    lot,
    parse_topology,
)

SOURCE = "Covering for top-k filtering (Zhang et al.)"
NOW = datetime(2026, 1, 1, tzinfo=UTC)
WITHIN = 0.10
"""The largest relative difference from the paper at which a figure agrees."""

COLOURS = {
    "RegularCover": "#888888",
    "RankCoverK": "#d1495b",
    "AncestorCoverK": "#00798c",
    "AncestorFairK": "#edae49",
    "RegularK": "#333333",
}

Interval = tuple[float, float]


@cache
def intervals(count: int, shortest: float = 0.3, longest: float = 0.6, seed: int = 0) -> tuple[Interval, ...]:
    """Intervals in [0, 1], with uniform length between two bounds and uniform position."""
    found = []
    for number in range(count):
        length = shortest + (longest - shortest) * lot("length", str(seed), str(number))
        start = lot("place", str(seed), str(number)) * (1 - length)
        found.append((start, start + length))
    return tuple(found)


def subscriptions(drawn: Sequence[Interval]) -> list[Subscription]:
    """One subscription per interval, on the attribute x."""
    return [
        Subscription(f"s{number}", f"u{number}", Predicate("x", Between(low, high)))
        for number, (low, high) in enumerate(drawn)
    ]


@cache
def poset(count: int, shortest: float = 0.3, longest: float = 0.6, seed: int = 0) -> tuple[Any, Any]:
    """The number of intervals that cover each interval, and its depth by the longest chain."""
    made = BoxPoset(
        {str(number): {"x": interval} for number, interval in enumerate(intervals(count, shortest, longest, seed))}
    )
    depths = made.depths()
    return np.array([made.count(key) for key in made]), np.array([depths[key] for key in made])


@cache
def one_parent_depths(count: int, seed: int = 0) -> Any:
    """The depth of each interval if the poset keeps one parent, drawn at random from those directly above."""
    rows = sorted(intervals(count, seed=seed), key=lambda interval: (interval[0], -interval[1]))
    highs = np.array([high for _, high in rows])
    depths = np.ones(count, np.int64)
    for number in range(count):
        above = np.flatnonzero(highs[:number] >= highs[number])[::-1]
        if len(above):
            # Going outwards from the nearest lower bound, a direct parent ends before all that were seen.
            ends = highs[above]
            nearest = np.concatenate([[np.inf], np.minimum.accumulate(ends)[:-1]])
            parents = above[ends < nearest]
            chosen = parents[int(lot("parent", str(seed), str(number)) * len(parents))]
            depths[number] = depths[chosen] + 1
    return depths


def share(values: Any, limit: int) -> float:
    """The percentage of the values that are at most the limit."""
    return round(100 * float((values <= limit).mean()), 3)


def near(paper: float, ours: float, within: float = WITHIN) -> bool:
    """Whether the relative difference of our figure from the paper's is at most `within`."""
    return abs(ours - paper) <= within * abs(paper)


def compare_share(report: ExperimentReport, what: str, paper: float, ours: float, note: str = "") -> None:
    """Compare a percentage with the paper's."""
    report.compare(what, f"{paper:g} %", f"{ours:.2f} %", near(paper, ours), note)


# the overlay of the paper's fairness and latency experiments


@dataclass(frozen=True)
class Chain:
    """Subscribers on a chain of brokers, and publications."""

    tree: Tree
    placed: tuple[tuple[Subscription, str], ...]
    events: tuple[Event, ...]

    def overlay(self, strategy: Strategy, k: int) -> Overlay:
        """The overlay with everybody subscribed."""
        made = Overlay(self.tree)
        space = parse("x between 0 and 1")
        made.advertise(Advertisement("a1", "publisher", space, k, Ranking.FAIR), "publisher", strategy)
        made.subscribe_all(self.placed)
        return made

    def distance(self, broker: str) -> int:
        """The number of core brokers between the publisher and a subscriber of this edge broker."""
        return len(self.tree.path(broker, "publisher")) - 2


FAIRNESS: dict[str, Callable[[], Strategy]] = {
    "RegularK": RegularK,
    "AncestorCoverK": lambda: AncestorCoverK(Standing.COVER),
    "AncestorFairK": AncestorFairK,
}
"""The strategies as the paper compares them: under a random ranking, which AncestorCoverK ignores."""


@cache
def chain(subscribers: int, publications: int, cores: int = 5, edges: int = 5) -> Chain:
    """Distribute subscribers over the edge brokers of a chain."""
    tree = parse_topology(f"chain:{cores}x{edges}")
    homes = [name for name in tree.leaves if name != "publisher"]
    drawn = subscriptions(intervals(subscribers))
    return Chain(
        tree,
        tuple((one, homes[number % len(homes)]) for number, one in enumerate(drawn)),
        tuple(
            Event(f"e{number}", NOW, {"x": (lot("publication", str(number)),)}, advertisement="a1")
            for number in range(publications)
        ),
    )


@dataclass(frozen=True)
class Received:
    """The publications that each subscription received, and the mean that it would receive under RegularK."""

    received: dict[str, int]
    due: dict[str, float]

    def deviation(self, ids: Sequence[str] | None = None) -> float:
        """The sum of the absolute differences, relative to what these subscriptions should have received."""
        names = list(self.due) if ids is None else ids
        wrong = sum(abs(self.received.get(name, 0) - self.due[name]) for name in names)
        return wrong / sum(self.due[name] for name in names)


@cache
def fairness(name: str, k: int, subscribers: int = 250, publications: int = 1500) -> Received:
    """The publications that each subscription receives in the overlay with a strategy."""
    given = chain(subscribers, publications)
    overlay = given.overlay(FAIRNESS[name](), k)
    received: Counter[str] = Counter()
    due: Counter[str] = Counter()
    for event in given.events:
        received.update(overlay.publish(event).recipients)
        value = event.attributes["x"][0]
        matching = [one.id for one, _ in given.placed if one.where.test.low <= value <= one.where.test.high]
        for each in matching:
            due[each] += min(1.0, k / len(matching))
    return Received(dict(received), {one.id: float(due[one.id]) for one, _ in given.placed})

"""The reference for filters: the k events with the highest entropy, chosen with knowledge of the whole stream.

See thesis 3.1. If the user's subscriptions are disjoint, the result is exact for any size. If an event counts at
several places, it is exact only for small streams. For others it is a greedy choice improved by swaps, with an upper
bound.
"""

import math
from collections import Counter
from collections.abc import Collection, Hashable, Iterable, Sequence
from functools import partial
from typing import NamedTuple

from rankcast.errors import ModelError
from rankcast.rank.measures import entropy

_SMALL = 200_000
"""The most choices that are tried one by one."""


class Optimum(NamedTuple):
    """The highest entropy found for k events, and an upper bound for any choice; `exact` if both are equal."""

    entropy: float
    bound: float
    exact: bool


def optimal_counts(available: Sequence[int], k: int) -> list[int]:
    """How many events to take from each place, k in total (or all of them), for the highest entropy.

    Water-filling: take up to a common level from every place, and everything from places below the level. In any
    other choice of the same size, moving one event from a fuller place to a less full one raises the entropy. O(n log
    n).

    >>> optimal_counts([50, 3, 20], 30)
    [14, 3, 13]
    """
    if k < 0 or any(count < 0 for count in available):
        raise ModelError(f"cannot take {k} out of {list(available)}; neither may be negative")
    left = min(k, sum(available))
    taken = [0] * len(available)
    order = sorted(range(len(available)), key=lambda place: (available[place], -place))
    for done, place in enumerate(order):
        share, over = divmod(left, len(order) - done)
        # The remaining places share evenly; the remainder goes to the last of them, which have the most events.
        taken[place] = min(available[place], share + (1 if over and done + over >= len(order) else 0))
        left -= taken[place]
    return taken


def entropy_bound(available: Sequence[int], k: int) -> float:
    """An upper bound on the entropy of any k events, each counted at one or more places.

    The events count at least k times in total, and at no place more often than it has events. The highest entropy for
    a given total is reached by filling all places up to a common (fractional) level. It falls as the total grows.
    """
    left, filled = float(min(k, sum(available))), []
    for done, count in enumerate(sorted(available)):
        filled.append(min(float(count), left / (len(available) - done)))
        left -= filled[-1]
    return entropy(filled)


def optimum(events: Iterable[Collection[Hashable]], k: int) -> Optimum:
    """The highest entropy of any k of these events.

    Each event is given as the places at which it counts (`rankcast.rank.places`).

    >>> optimum(["a"] * 8 + ["b"] * 2, 4)
    Optimum(entropy=1.0, bound=1.0, exact=True)
    """
    kinds = Counter(tuple(sorted(set(event), key=str)) for event in events)
    k = min(k, sum(kinds.values()))
    places = Counter[Hashable]()
    for kind, count in kinds.items():
        places.update(dict.fromkeys(kind, count))
    if all(len(kind) == 1 for kind in kinds):
        best = entropy(optimal_counts([kinds[kind] for kind in kinds], k))
        return Optimum(best, best, True)
    bound = entropy_bound(list(places.values()), k)
    if math.comb(k + len(kinds) - 1, len(kinds) - 1) <= _SMALL:
        best = max(map(partial(_entropy, list(kinds)), _choices(list(kinds.values()), k)))
        return Optimum(best, best, True)
    return Optimum(_improved(kinds, k), bound, False)


def _choices(available: Sequence[int], k: int) -> Iterable[tuple[int, ...]]:
    """All ways to take k events."""
    if len(available) == 1:
        if k <= available[0]:
            yield (k,)
        return
    for count in range(max(0, k - sum(available[1:])), min(k, available[0]) + 1):
        for rest in _choices(available[1:], k - count):
            yield (count, *rest)


def _entropy(kinds: Sequence[tuple[Hashable, ...]], taken: Sequence[int]) -> float:
    counts: dict[Hashable, int] = {}
    for kind, count in zip(kinds, taken, strict=True):
        for place in kind:
            counts[place] = counts.get(place, 0) + count
    return entropy(counts.values())


def _improved(known: "Counter[tuple[Hashable, ...]]", k: int) -> float:
    """A greedy choice, then swaps of halving size as long as they help."""
    kinds, available = list(known), list(known.values())
    taken = [0] * len(kinds)
    step = max(1, k // 1000)
    while (left := k - sum(taken)) > 0:
        options = [place for place in range(len(kinds)) if taken[place] < available[place]]
        best = max(
            options, key=lambda place: (_entropy(kinds, _moved(taken, place, 1)), available[place] - taken[place])
        )
        taken[best] += min(step, left, available[best] - taken[best])
    size, value = step * 8, _entropy(kinds, taken)
    while size:
        swaps = [
            _moved(_moved(taken, giver, -size), receiver, size)
            for giver in range(len(kinds))
            for receiver in range(len(kinds))
            if giver != receiver and taken[giver] >= size and taken[receiver] + size <= available[receiver]
        ]
        better = max(swaps, key=partial(_entropy, kinds), default=taken)
        if _entropy(kinds, better) > value + 1e-12:
            taken, value = better, _entropy(kinds, better)
        else:
            size //= 2
    return value


def _moved(taken: Sequence[int], place: int, by: int) -> list[int]:
    moved = list(taken)
    moved[place] += by
    return moved

"""The yardstick for filters: the entropy-maximal choice of k events by one who knows the whole stream (thesis 3.1).

For a user whose subscriptions exclude each other this is exact for any size. Where an event counts at several places it is
exact on small streams only; on others a greedy choice improved by swaps, beside a bound that no choice exceeds.
"""

import math
from collections import Counter
from collections.abc import Collection, Hashable, Iterable, Sequence
from functools import partial
from typing import NamedTuple

from rankcast.errors import ModelError
from rankcast.rank.measures import entropy

__all__ = ["Optimum", "entropy_bound", "optimal_counts", "optimum"]

_SMALL = 200_000
"""How many choices are tried one by one."""


class Optimum(NamedTuple):
    """The highest entropy that was found for k events, and the most that any choice can have; `exact` if they are one."""

    entropy: float
    bound: float
    exact: bool


def optimal_counts(available: Sequence[int], k: int) -> list[int]:
    """How many to take from each place, k in all (or all there are), so that the entropy is the highest.

    Water-filling: everything up to a common level, and all of what does not reach it. Any other choice of as many has
    a place that could give one to a lower one, which raises the entropy. O(n log n).

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
        # The places that are left share evenly; what is over goes to the last of them, which have the most.
        taken[place] = min(available[place], share + (1 if over and done + over >= len(order) else 0))
        left -= taken[place]
    return taken


def entropy_bound(available: Sequence[int], k: int) -> float:
    """No k events, each counted at one place or more, have a higher entropy.

    They count k times at least, at no place more than it has. Of so many counts the highest entropy is that of a level (in
    fractions) up to which all places are filled, and it only falls as the counts grow in number.
    """
    left, filled = float(min(k, sum(available))), []
    for done, count in enumerate(sorted(available)):
        filled.append(min(float(count), left / (len(available) - done)))
        left -= filled[-1]
    return entropy(filled)


def optimum(events: Iterable[Collection[Hashable]], k: int) -> Optimum:
    """The entropy-maximal k of these events, each given by the places at which it counts (`rankcast.rank.places`).

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
    """All ways to take k."""
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
    """Greedy, then swaps of halving size while one helps."""
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

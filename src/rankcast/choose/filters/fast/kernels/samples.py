"""Events drawn by how often their subscriptions match."""

from typing import Any

import numpy as np

from rankcast.choose.filters.fast.kernels.budget import ACTIVE, PASSED, START, T, count
from rankcast.choose.numbers import kernel

__all__ = ["probability_of", "sample"]


@kernel
def probability_of(share: float, count: int, events: int, first: int, last: int, interval: bool) -> float:
    """That of a subscription which matched `count` of so many events, the first and last of them at these positions."""
    matches = count / events if count > 0 else 0.0
    if matches < share:
        return 1.0
    if not interval:
        return float(min(1.0, share / matches))
    if count < 2:
        return 1.0
    return float(min(1.0, share * ((last - first) / (count - 1))))


@kernel
def sample(
    patterns: Any,
    starts: Any,
    places: Any,
    draws: Any,
    interval: bool,
    aging: float,
    eager: bool,
    by_period: bool,
    rate: float,
    k: int,
    period: int,
    whole: Any,
    ring: Any,
    probability: Any,
    counts: Any,
    first: Any,
    last: Any,
    out: Any,
) -> None:
    """Which events are drawn while the budget has room; a probability that is no number is that of a subscription never
    matched."""
    for event in range(len(patterns)):
        begin, end = starts[patterns[event]], starts[patterns[event] + 1]
        if eager:
            for number in range(begin, end):
                place = places[number]
                if not np.isnan(probability[place]):
                    now = probability_of(
                        rate / whole[ACTIVE],
                        counts[place],
                        whole[T] - whole[START],
                        first[place],
                        last[place],
                        interval,
                    )
                    probability[place] = aging * now + (1 - aging) * probability[place]
        chance = -np.inf
        for number in range(begin, end):
            known = probability[places[number]]
            chance = max(chance, 1.0 if np.isnan(known) else known)
        passed = draws[event] < chance and whole[PASSED] < k
        out[event] = passed
        position = whole[T] + 1
        for number in range(begin, end):
            place = places[number]
            if np.isnan(probability[place]):
                probability[place] = 1.0
                whole[ACTIVE] += 1
            if counts[place] == 0:
                first[place] = position
            counts[place] += 1
            last[place] = position
        count(passed, whole, ring, k, period, eager)
        if not eager and whole[T] % period == 0:
            for place in range(len(probability)):
                if not np.isnan(probability[place]):
                    now = probability_of(
                        rate / whole[ACTIVE],
                        counts[place],
                        whole[T] - whole[START],
                        first[place],
                        last[place],
                        interval,
                    )
                    probability[place] = aging * now + (1 - aging) * probability[place]
            if by_period:
                whole[START] = whole[T]
                counts[:] = 0

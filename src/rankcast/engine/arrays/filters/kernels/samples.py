"""Sampling events by how often their subscriptions match."""

import numpy as np

from rankcast.compiling import kernel
from rankcast.engine.arrays.filters.kernels.budget import ACTIVE, PASSED, START, T, count
from rankcast.plain import Array


@kernel
def draw_exactly(draws: Array, budget: int, events: int, out: Array) -> None:
    """Which events of a period pass, if `budget` of its last `events` do; these are the next of them."""
    for event in range(len(draws)):
        out[event] = draws[event] < budget / (events - event)
        if out[event]:
            budget -= 1


@kernel
def probability_of(share: float, count: int, events: int, first: int, last: int, interval: bool) -> float:
    """The probability for a subscription that matched `count` of `events` events.

    `first` and `last` are the positions of its first and last match.
    """
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
    patterns: Array,
    starts: Array,
    places: Array,
    draws: Array,
    interval: bool,
    aging: float,
    eager: bool,
    by_period: bool,
    rate: float,
    k: int,
    period: int,
    whole: Array,
    ring: Array,
    probability: Array,
    counts: Array,
    first: Array,
    last: Array,
    out: Array,
) -> None:
    """Which events are drawn while the budget lasts.

    A probability of NaN means that the subscription never matched.
    """
    everything = np.arange(len(probability))
    for event in range(len(patterns)):
        begin, end = starts[patterns[event]], starts[patterns[event] + 1]
        if eager:
            _renew(places[begin:end], interval, aging, rate, whole, probability, counts, first, last)
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
            _renew(everything, interval, aging, rate, whole, probability, counts, first, last)
            if by_period:
                whole[START] = whole[T]
                counts[:] = 0


@kernel
def _renew(
    places: Array,
    interval: bool,
    aging: float,
    rate: float,
    whole: Array,
    probability: Array,
    counts: Array,
    first: Array,
    last: Array,
) -> None:
    """Update the probabilities of all subscriptions that have matched."""
    for place in places:
        if not np.isnan(probability[place]):
            share, events = rate / whole[ACTIVE], whole[T] - whole[START]
            now = probability_of(share, counts[place], events, first[place], last[place], interval)
            probability[place] = aging * now + (1 - aging) * probability[place]

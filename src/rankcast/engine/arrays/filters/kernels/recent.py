"""Sampling events by how often their subscriptions matched recently."""

import numpy as np

from rankcast.compiling import kernel
from rankcast.engine.arrays.filters.kernels.budget import ACTIVE, PASSED, START, T, count
from rankcast.engine.arrays.filters.kernels.samples import probability_of
from rankcast.plain import Array


@kernel
def sample_recent(
    ends: Array,
    recent: Array,
    at: Array,
    old: int,
    draws: Array,
    interval: bool,
    aging: float,
    rate: float,
    k: int,
    period: int,
    whole: Array,
    ring: Array,
    probability: Array,
    known: Array,
    kept: Array,
    out: Array,
) -> None:
    """As `sample`, eager, with rates over the last `period` events.

    `recent` and `at` hold `old` recent matches, then those of the batch, event by event. Matches that are not
    forgotten are marked as kept. The matches of a subscription form a chain from `head` to `tail`; those that have
    left the window are removed when the subscription is next examined.
    """
    following = np.zeros(len(recent), np.int64)
    head = np.zeros(len(probability), np.int64)
    tail = np.zeros(len(probability), np.int64)
    counts = np.zeros(len(probability), np.int64)
    for slot in range(old):
        _chain(slot, recent[slot], following, head, tail, counts)
    for event in range(len(ends)):
        begin = old + (ends[event - 1] if event > 0 else 0)
        end = old + ends[event]
        chance = -np.inf
        for slot in range(begin, end):
            place = recent[slot]
            if not np.isnan(probability[place]):
                _forget(place, whole[T] - period, at, following, head, counts)
                events = min(whole[T] - whole[START], period)
                first, last = at[head[place]], at[tail[place]]
                now = probability_of(rate / whole[ACTIVE], counts[place], events, first, last, interval)
                probability[place] = aging * now + (1 - aging) * probability[place]
                chance = max(chance, probability[place])
            else:
                chance = max(chance, 1.0)
        passed = draws[event] < chance and whole[PASSED] < k
        out[event] = passed
        for slot in range(begin, end):
            place = recent[slot]
            if np.isnan(probability[place]):
                probability[place] = 1.0
                whole[ACTIVE] += 1
            _forget(place, whole[T] + 1 - period, at, following, head, counts)
            _chain(slot, place, following, head, tail, counts)
            known[place] = True
        count(passed, whole, ring, k, period, True)
    for place in range(len(counts)):
        slot = head[place]
        for _ in range(counts[place]):
            kept[slot] = True
            slot = following[slot]


@kernel
def _chain(slot: int, place: int, following: Array, head: Array, tail: Array, counts: Array) -> None:
    """Append a match to a subscription's chain."""
    if counts[place] == 0:
        head[place] = slot
    else:
        following[tail[place]] = slot
    tail[place] = slot
    counts[place] += 1


@kernel
def _forget(place: int, until: int, at: Array, following: Array, head: Array, counts: Array) -> None:
    """Remove the matches up to a position from a subscription's chain."""
    while counts[place] > 0 and at[head[place]] <= until:
        head[place] = following[head[place]]
        counts[place] -= 1

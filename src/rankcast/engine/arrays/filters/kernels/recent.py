"""Events drawn by how often their subscriptions matched of late."""

import numpy as np

from rankcast.compiling import kernel
from rankcast.engine.arrays.filters.kernels.budget import ACTIVE, PASSED, T, count
from rankcast.engine.arrays.filters.kernels.samples import probability_of
from rankcast.plain import Array

__all__ = ["sample_recent"]


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
    """As `sample`, eager, with rates of the last `period` events. `recent` and `at` are matches of late, `old` of them, then
    those of the batch, an event's up to its end; those that are not forgotten are marked as kept.

    The matches of a subscription are a chain from `head` to `tail`; those that leave the window are taken off when it is
    looked at.
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
                events = min(whole[T], period)
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
    """One more match at the end of a subscription's chain."""
    if counts[place] == 0:
        head[place] = slot
    else:
        following[tail[place]] = slot
    tail[place] = slot
    counts[place] += 1


@kernel
def _forget(place: int, until: int, at: Array, following: Array, head: Array, counts: Array) -> None:
    """Take the matches up to a position off a subscription's chain."""
    while counts[place] > 0 and at[head[place]] <= until:
        head[place] = following[head[place]]
        counts[place] -= 1

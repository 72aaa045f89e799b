"""The loops of the filters, compiled: one user, one batch of matching events.

Every float is computed by the formula, and in the order, of the filters that these stand for (`threshold`, `sampling`), so the
decisions are the same to the last bit. An event is given by the number of its *pattern*, the set of the user's
subscriptions that it matches; the places of pattern p are ``places[starts[p]:starts[p + 1]]``.

This imports numba; import it where a kernel is about to run, not before.
"""

from typing import Any

import numpy as np

from rankcast.choose.numbers import kernel

__all__ = ["sample", "sample_by_score", "sample_recent", "threshold"]

# What the whole numbers of a state are; the same in both kernels as far as both have them.
T, HEAD, PASSED, SEEN, ABOVE, BELOW, ARRIVED, ACTIVE, START, SUM = range(10)

# What a threshold scores by.
RATE, INTERVAL, GIVEN = range(3)

# Where the bar of a threshold lies.
LAZY, EAGER, FIXED = range(3)


# ---- heaps of slots: `heap` holds slots, `at` says where each slot is, the lowest of sign * score on top


@kernel
def _up(heap: Any, at: Any, scores: Any, place: int, sign: float) -> None:
    slot = heap[place]
    while place > 0:
        parent = (place - 1) // 2
        if sign * scores[heap[parent]] <= sign * scores[slot]:
            break
        heap[place] = heap[parent]
        at[heap[place]] = place
        place = parent
    heap[place] = slot
    at[slot] = place


@kernel
def _down(heap: Any, at: Any, scores: Any, place: int, size: int, sign: float) -> None:
    slot = heap[place]
    while True:
        child = 2 * place + 1
        if child >= size:
            break
        if child + 1 < size and sign * scores[heap[child + 1]] < sign * scores[heap[child]]:
            child += 1
        if sign * scores[slot] <= sign * scores[heap[child]]:
            break
        heap[place] = heap[child]
        at[heap[place]] = place
        place = child
    heap[place] = slot
    at[slot] = place


@kernel
def _push(heap: Any, at: Any, scores: Any, size: int, slot: int, sign: float) -> None:
    heap[size] = slot
    at[slot] = size
    _up(heap, at, scores, size, sign)


@kernel
def _remove(heap: Any, at: Any, scores: Any, size: int, place: int, sign: float) -> None:
    """Take out what is at a place of a heap of `size`."""
    last = heap[size - 1]
    if place < size - 1:
        heap[place] = last
        at[last] = place
        _down(heap, at, scores, place, size - 1, sign)
        _up(heap, at, scores, at[last], sign)


@kernel
def _slide(score: float, k: int, whole: Any, scores: Any, above: Any, below: Any, at: Any, is_above: Any) -> None:
    """One more score into the window of an eager threshold; the k highest are `above`. O(log window)."""
    length = len(scores)
    slot = whole[ARRIVED] % length
    if whole[ARRIVED] >= length:
        if is_above[slot]:
            _remove(above, at, scores, whole[ABOVE], at[slot], 1.0)
            whole[ABOVE] -= 1
        else:
            _remove(below, at, scores, whole[BELOW], at[slot], -1.0)
            whole[BELOW] -= 1
    whole[ARRIVED] += 1
    scores[slot] = score
    if whole[ABOVE] == k and score > scores[above[0]]:
        lowest = above[0]
        _remove(above, at, scores, k, 0, 1.0)
        _push(below, at, scores, whole[BELOW], lowest, -1.0)
        is_above[lowest] = False
        whole[BELOW] += 1
        _push(above, at, scores, k - 1, slot, 1.0)
        is_above[slot] = True
        return
    _push(below, at, scores, whole[BELOW], slot, -1.0)
    is_above[slot] = False
    whole[BELOW] += 1
    if whole[ABOVE] < k:
        highest = below[0]
        _remove(below, at, scores, whole[BELOW], 0, -1.0)
        whole[BELOW] -= 1
        _push(above, at, scores, whole[ABOVE], highest, 1.0)
        is_above[highest] = True
        whole[ABOVE] += 1


@kernel
def _count(passed: bool, whole: Any, ring: Any, k: int, period: int, eager: bool) -> None:
    """One more event in the budget; `ring` holds the positions of those that passed of late."""
    whole[T] += 1
    if passed:
        ring[(whole[HEAD] + whole[PASSED]) % k] = whole[T]
        whole[PASSED] += 1
    start = whole[T] - period if eager else whole[T] // period * period
    while whole[PASSED] > 0 and ring[whole[HEAD]] <= start:
        whole[HEAD] = (whole[HEAD] + 1) % k
        whole[PASSED] -= 1


@kernel
def threshold(
    patterns: Any,
    starts: Any,
    places: Any,
    given: Any,
    scoring: int,
    aging: float,
    bar_kind: int,
    eager: bool,
    k: int,
    period: int,
    whole: Any,
    bar: Any,
    ring: Any,
    delivered: Any,
    last: Any,
    previous: Any,
    scores: Any,
    above: Any,
    below: Any,
    at: Any,
    is_above: Any,
    out: Any,
) -> None:
    """Which events reach the bar while the budget has room; `given` are their scores if novelty does not make them."""
    for event in range(len(patterns)):
        first, end = starts[patterns[event]], starts[patterns[event] + 1]
        t = whole[T] + 1
        score = -np.inf
        if scoring == GIVEN:
            score = given[event]
        else:
            for number in range(first, end):
                place = places[number]
                if scoring == INTERVAL:
                    now = float(t - last[place])
                elif t == 1:
                    now = 1.0
                else:
                    now = 1 - delivered[place] / (t - 1)
                if aging < 1:
                    if not np.isnan(previous[place]):
                        now = aging * now + (1 - aging) * previous[place]
                    else:
                        now = aging * now + (1 - aging) * now
                    previous[place] = now
                score = max(score, now)
        passed = score >= bar[0] and whole[PASSED] < k
        out[event] = passed
        if passed:
            for number in range(first, end):
                delivered[places[number]] += 1
                last[places[number]] = t
        if bar_kind == EAGER:
            _slide(score, k, whole, scores, above, below, at, is_above)
            bar[0] = scores[above[0]] if whole[ABOVE] == k else 0.0
        elif bar_kind == LAZY:
            slot = whole[SEEN]
            scores[slot] = score
            whole[SEEN] += 1
            if whole[ABOVE] < k:
                _push(above, at, scores, whole[ABOVE], slot, 1.0)
                whole[ABOVE] += 1
            elif score > scores[above[0]]:
                above[0] = slot
                at[slot] = 0
                _down(above, at, scores, 0, k, 1.0)
            if whole[SEEN] == period:
                bar[0] = scores[above[0]]
                whole[SEEN] = 0
                whole[ABOVE] = 0
        _count(passed, whole, ring, k, period, eager)


@kernel
def _probability(share: float, count: int, events: int, first: int, last: int, interval: bool) -> float:
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
                    now = _probability(
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
        _count(passed, whole, ring, k, period, eager)
        if not eager and whole[T] % period == 0:
            for place in range(len(probability)):
                if not np.isnan(probability[place]):
                    now = _probability(
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


@kernel
def sample_recent(
    ends: Any,
    recent: Any,
    at: Any,
    old: int,
    draws: Any,
    interval: bool,
    aging: float,
    rate: float,
    k: int,
    period: int,
    whole: Any,
    ring: Any,
    probability: Any,
    known: Any,
    kept: Any,
    out: Any,
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
                now = _probability(rate / whole[ACTIVE], counts[place], events, first, last, interval)
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
        _count(passed, whole, ring, k, period, True)
    for place in range(len(counts)):
        slot = head[place]
        for _ in range(counts[place]):
            kept[slot] = True
            slot = following[slot]


@kernel
def _chain(slot: int, place: int, following: Any, head: Any, tail: Any, counts: Any) -> None:
    """One more match at the end of a subscription's chain."""
    if counts[place] == 0:
        head[place] = slot
    else:
        following[tail[place]] = slot
    tail[place] = slot
    counts[place] += 1


@kernel
def _forget(place: int, until: int, at: Any, following: Any, head: Any, counts: Any) -> None:
    """Take the matches up to a position off a subscription's chain."""
    while counts[place] > 0 and at[head[place]] <= until:
        head[place] = following[head[place]]
        counts[place] -= 1


@kernel
def sample_by_score(
    given: Any,
    draws: Any,
    eager: bool,
    rate: float,
    k: int,
    period: int,
    whole: Any,
    ring: Any,
    steps: Any,
    mean: Any,
    out: Any,
) -> None:
    """Which events are drawn by their score against the mean, which is no number before there is one; `steps` is a ring of the
    scores of late in steps of 1e-12."""
    for event in range(len(given)):
        score = max(0.0, given[event])
        chance = 1.0
        if not np.isnan(mean[0]):
            chance = min(1.0, rate * score / mean[0]) if mean[0] > 0 else rate
        passed = draws[event] < chance and whole[PASSED] < k
        out[event] = passed
        _count(passed, whole, ring, k, period, eager)
        slot = whole[ARRIVED] % period
        if eager and whole[SEEN] == period:
            whole[SUM] -= steps[slot]
            whole[SEEN] -= 1
        steps[slot] = int(np.rint(score * 1e12))
        whole[SUM] += steps[slot]
        whole[SEEN] += 1
        whole[ARRIVED] += 1
        if eager or whole[T] % period == 0:
            mean[0] = float(whole[SUM]) / (1e12 * whole[SEEN])
        if not eager and whole[T] % period == 0:
            whole[SEEN] = 0
            whole[SUM] = 0

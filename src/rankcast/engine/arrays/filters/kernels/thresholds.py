"""Events that reach a threshold, which follows the scores of others."""

import numpy as np

from rankcast.compiling import kernel
from rankcast.engine.arrays.filters.kernels.budget import (
    ABOVE,
    ARRIVED,
    BELOW,
    PASSED,
    SEEN,
    SPENT,
    T,
    count,
)
from rankcast.engine.arrays.filters.kernels.heaps import down, push, remove
from rankcast.plain import Array

# The ways of scoring.
RATE, INTERVAL, GIVEN = range(3)

# The kinds of threshold.
LAZY, EAGER, FIXED, PACED = range(4)


@kernel
def slide(
    score: float,
    k: int,
    length: int,
    whole: Array,
    scores: Array,
    above: Array,
    below: Array,
    at: Array,
    is_above: Array,
) -> None:
    """Add a score to the window of an eager or paced threshold; the k highest scores are `above`. O(log window)."""
    slot = whole[ARRIVED] % length
    if whole[ARRIVED] >= length:
        if is_above[slot]:
            remove(above, at, scores, whole[ABOVE], at[slot], 1.0)
            whole[ABOVE] -= 1
        else:
            remove(below, at, scores, whole[BELOW], at[slot], -1.0)
            whole[BELOW] -= 1
    whole[ARRIVED] += 1
    scores[slot] = score
    if whole[ABOVE] == k and score > scores[above[0]]:
        lowest = above[0]
        remove(above, at, scores, k, 0, 1.0)
        push(below, at, scores, whole[BELOW], lowest, -1.0)
        is_above[lowest] = False
        whole[BELOW] += 1
        push(above, at, scores, k - 1, slot, 1.0)
        is_above[slot] = True
        return
    push(below, at, scores, whole[BELOW], slot, -1.0)
    is_above[slot] = False
    whole[BELOW] += 1
    if whole[ABOVE] < k:
        highest = below[0]
        remove(below, at, scores, whole[BELOW], 0, -1.0)
        whole[BELOW] -= 1
        push(above, at, scores, whole[ABOVE], highest, 1.0)
        is_above[highest] = True
        whole[ABOVE] += 1


@kernel
def paced_bar(
    rate: float,
    slack: float,
    few: float,
    length: int,
    whole: Array,
    scores: Array,
    above: Array,
    below: Array,
    at: Array,
    is_above: Array,
) -> float:
    """The threshold of a paced filter for the event after `whole[T]` events; minus infinity if every event may pass."""
    half = slack / 2
    unspent = rate * (whole[T] + 1) - whole[SPENT]
    if unspent <= half:
        level = max(0.0, rate * min(1.0, unspent / few))
    else:
        level = min(1.0, rate + (1 - rate) * (unspent - half) / half)
    size = min(whole[ARRIVED], length)
    place = max(1, int(np.floor(level * size)))
    if level >= 1 or place >= size:
        return -np.inf
    while whole[ABOVE] > place:
        lowest = above[0]
        remove(above, at, scores, whole[ABOVE], 0, 1.0)
        whole[ABOVE] -= 1
        push(below, at, scores, whole[BELOW], lowest, -1.0)
        is_above[lowest] = False
        whole[BELOW] += 1
    while whole[ABOVE] < place:
        highest = below[0]
        remove(below, at, scores, whole[BELOW], 0, -1.0)
        whole[BELOW] -= 1
        push(above, at, scores, whole[ABOVE], highest, 1.0)
        is_above[highest] = True
        whole[ABOVE] += 1
    return float(scores[above[0]])


@kernel
def threshold(
    patterns: Array,
    starts: Array,
    places: Array,
    given: Array,
    scoring: int,
    aging: float,
    bar_kind: int,
    eager: bool,
    k: int,
    period: int,
    rate: float,
    slack: float,
    few: float,
    whole: Array,
    bar: Array,
    ring: Array,
    delivered: Array,
    last: Array,
    previous: Array,
    scores: Array,
    above: Array,
    below: Array,
    at: Array,
    is_above: Array,
    out: Array,
) -> None:
    """Which events reach the threshold while the budget lasts.

    `given` are their scores, unless novelty computes them.
    """
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
        if bar_kind == PACED:
            low = paced_bar(rate, slack, few, period, whole, scores, above, below, at, is_above)
            passed = score >= low and rate * t - whole[SPENT] > 0
        else:
            passed = score >= bar[0] and whole[PASSED] < k
        out[event] = passed
        if passed:
            for number in range(first, end):
                delivered[places[number]] += 1
                last[places[number]] = t
        if bar_kind == EAGER:
            slide(score, k, period, whole, scores, above, below, at, is_above)
            bar[0] = scores[above[0]] if whole[ABOVE] == k else 0.0
        elif bar_kind == LAZY:
            slot = whole[SEEN]
            scores[slot] = score
            whole[SEEN] += 1
            if whole[ABOVE] < k:
                push(above, at, scores, whole[ABOVE], slot, 1.0)
                whole[ABOVE] += 1
            elif score > scores[above[0]]:
                above[0] = slot
                at[slot] = 0
                down(above, at, scores, 0, k, 1.0)
            if whole[SEEN] == period:
                bar[0] = scores[above[0]]
                whole[SEEN] = 0
                whole[ABOVE] = 0
        if bar_kind == PACED:
            slide(score, max(1, whole[ABOVE]), period, whole, scores, above, below, at, is_above)
            whole[T] = t
            whole[SPENT] += passed
        else:
            count(passed, whole, ring, k, period, eager)

"""Distances of events, to the last bit as `rankcast.choose.distance` computes them."""

from typing import Any

import numpy as np

from rankcast.choose.numbers import exact_sum, kernel

__all__ = ["distance_of", "distances"]


@kernel
def _similarity(one: int, other: int, set_start: Any, set_values: Any) -> float:
    """Jaccard similarity of two sets of values, each a sorted run."""
    if one == other:
        return 1.0
    i, end_i = set_start[one], set_start[one + 1]
    j, end_j = set_start[other], set_start[other + 1]
    both = end_i - i + end_j - j
    common = 0
    while i < end_i and j < end_j:
        if set_values[i] == set_values[j]:
            common += 1
            i += 1
            j += 1
        elif set_values[i] < set_values[j]:
            i += 1
        else:
            j += 1
    return 0.0 if common == 0 else common / (both - common)


@kernel
def distance_of(one: int, other: int, codes: Any, weights: Any, room: Any) -> float:
    """The distance of two events; a weight below 0 leaves an attribute out. `room` is three rows of floats.

    Most often all weights are 1. Then attributes with the same values are counted, and the similarities of sets that only
    share some add up without loss, mostly because there is no more than one; adding the count rounds once, as the
    oracle does. Else every sum is taken with care.
    """
    start, end, names, sets, set_start, set_values = codes
    i, end_i = start[one], end[one]
    j, end_j = start[other], end[other]
    count = 0
    same = 0
    alike = 0.0
    while i < end_i and j < end_j:
        name, other_name = names[i], names[j]
        weight = weights[min(name, other_name)]
        if weight == 1.0:
            count += 1
        elif weight >= 0.0:
            return _weighed_distance(one, other, codes, weights, room)
        if name < other_name:
            i += 1
        elif other_name < name:
            j += 1
        else:
            mine, theirs = sets[i], sets[j]
            i += 1
            j += 1
            if weight < 0.0:
                continue
            if mine == theirs:
                same += 1
            elif set_start[mine + 1] - set_start[mine] > 1 or set_start[theirs + 1] - set_start[theirs] > 1:
                similarity = _similarity(mine, theirs, set_start, set_values)
                after = alike + similarity
                back = after - alike
                if (alike - (after - back)) + (similarity - back) != 0.0:
                    return _weighed_distance(one, other, codes, weights, room)
                alike = after
    while i < end_i or j < end_j:
        if i < end_i:
            weight = weights[names[i]]
            i += 1
        else:
            weight = weights[names[j]]
            j += 1
        if weight == 1.0:
            count += 1
        elif weight >= 0.0:
            return _weighed_distance(one, other, codes, weights, room)
    return 0.0 if count == 0 else 1.0 - (same + alike) / count


@kernel
def _weighed_distance(one: int, other: int, codes: Any, weights: Any, room: Any) -> float:
    """The distance of two events, whatever the weights."""
    start, end, names, sets, set_start, set_values = codes
    i, end_i = start[one], end[one]
    j, end_j = start[other], end[other]
    shares, alike, parts = room[0], room[1], room[2]
    count = 0
    largest = 0.0
    while i < end_i or j < end_j:
        similarity = 0.0
        if j >= end_j or (i < end_i and names[i] < names[j]):
            weight = weights[names[i]]
            i += 1
        elif i >= end_i or names[j] < names[i]:
            weight = weights[names[j]]
            j += 1
        else:
            weight = weights[names[i]]
            if weight >= 0.0:
                similarity = _similarity(sets[i], sets[j], set_start, set_values)
            i += 1
            j += 1
        if weight >= 0.0:
            shares[count] = weight
            alike[count] = similarity
            count += 1
            largest = max(largest, weight)
    if largest == 0.0:
        return 0.0
    for place in range(count):
        shares[place] = shares[place] / largest
        alike[place] = shares[place] * alike[place]
    return float(1.0 - exact_sum(alike, count, parts) / exact_sum(shares, count, parts))


@kernel
def distances(rows: Any, others: Any, codes: Any, weights: Any, room: Any) -> Any:
    """The distances of pairs of events, by row."""
    found = np.empty(len(rows))
    for place in range(len(rows)):
        found[place] = distance_of(rows[place], others[place], codes, weights, room)
    return found

"""Distances of events, equal to the last bit to those of `rankcast.choose.distance`.

Kernels receive a *space*: the entries' rows in the table, their attributes as a matrix (`spread`), everything that the
table encoded (`rankcast.engine.arrays.table.EventTable.encoded`), and the columns of a window (`columns_of`;
`rankcast.choose.codes.NO_COLUMNS` if there is none).
"""

import numpy as np

from rankcast.choose.numbers import exact_sum
from rankcast.compiling import kernel
from rankcast.plain import Array, Arrays

_WIDEST = 32
"""The largest number of attribute names for which attributes are stored as a matrix."""


_LARGEST = 2**31 - 1


@kernel
def spread(rows: Array, codes: Arrays, weights: Array) -> Array:
    """One row per entry, one column per attribute name with weight 1.

    A cell is ``2 * set + (1 if the set has several values)``, or -1 if the entry lacks the attribute. There are no
    columns if there are too many names, or if an attribute that is not left out has another weight.
    """
    start, end, names, sets, set_start, _ = codes
    column = np.full(len(weights), -1, np.int64)
    width = 0
    for name in range(len(weights)):
        if weights[name] == 1.0:
            column[name] = width
            width += 1
        elif weights[name] >= 0.0:
            width = _WIDEST + 1
    if width > _WIDEST:
        return np.empty((len(rows), 0), np.int64)
    lines = np.full((len(rows), width), -1, np.int64)
    for entry in range(len(rows)):
        for at in range(start[rows[entry]], end[rows[entry]]):
            if column[names[at]] >= 0:
                values = sets[at]
                several = 1 if set_start[values + 1] - set_start[values] > 1 else 0
                lines[entry, column[names[at]]] = 2 * values + several
    return lines


@kernel
def _similarity(one: int, other: int, set_start: Array, set_values: Array) -> float:
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
def _weighed_distance(one: int, other: int, codes: Arrays, weights: Array, room: Array) -> float:
    """The distance of two events with any weights. A weight below 0 leaves an attribute out.

    `room` is scratch space: three rows of floats.
    """
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
def _set_distance(one: int, other: int, count: int, same: int, space: Arrays) -> float:
    """The distance of two lines in which some sets of several values differ.

    The similarities of partly equal sets add up exactly, mostly because there is at most one. Adding the number of
    equal attributes then rounds once, as in the oracle. In all other cases sums are computed exactly and rounded once.
    """
    rows, lines, codes, weights, room, _ = space
    set_start, set_values = codes[4], codes[5]
    alike = 0.0
    for column in range(lines.shape[1]):
        mine, theirs = lines[one, column], lines[other, column]
        if mine != theirs and mine >= 0 and theirs >= 0 and (mine | theirs) & 1:
            similarity = _similarity(mine >> 1, theirs >> 1, set_start, set_values)
            after = alike + similarity
            back = after - alike
            if (alike - (after - back)) + (similarity - back) != 0.0:
                return float(_weighed_distance(rows[one], rows[other], codes, weights, room))
            alike = after
    return 1.0 - (same + alike) / count


@kernel
def measure(one: int, others: Array, space: Arrays, found: Array) -> None:
    """Write the distances of an entry from others into `found`; 10 ns each if attributes are stored as a matrix.

    In a matrix all weights are 1. Attributes with equal values are counted, without branches, so that several are
    compared at a time. Only sets of several values need a closer look.
    """
    rows, lines, codes, weights, room, _ = space
    width = lines.shape[1]
    line = lines[one]
    for place in range(len(others)):
        other = others[place]
        count = same = several = 0
        for column in range(width):
            mine, theirs = line[column], lines[other, column]
            is_there = (mine & theirs) >= 0
            is_same = mine == theirs
            count += is_there
            same += is_there & is_same
            several |= (mine | theirs) * (((mine | theirs) >= 0) & (mine != theirs))
        if width == 0:
            found[place] = _weighed_distance(rows[one], rows[other], codes, weights, room)
        elif several & 1:
            found[place] = _set_distance(one, other, count, same, space)
        elif count == 0:
            found[place] = 0.0
        else:
            found[place] = 1.0 - same / count


@kernel
def columns_of(places: Array, lines: Array) -> Array:
    """The attributes of some entries, given by their lines: one row per attribute name, then two rows of scratch space.

    Empty if there is no matrix, or if an entry has a set of several values.
    """
    width = lines.shape[1]
    columns = np.zeros((width + 2, len(places)), np.int32)
    several = width == 0
    for entry in range(len(places)):
        for column in range(width):
            cell = lines[places[entry], column]
            several |= cell > _LARGEST or (cell >= 0 and cell & 1 == 1)
            columns[column, entry] = cell
    return np.empty((0, 0), np.int32) if several else columns


@kernel
def measure_range(one: int, begin: int, end: int, columns: Array, found: Array) -> None:
    """Write the distances of an entry from those in `begin`..`end` into `found`; about 1 ns each.

    Each attribute is compared for many entries at a time.
    """
    width = len(columns) - 2
    same, more = columns[width, begin:end], columns[width + 1, begin:end]
    same[:] = 0
    count = 0
    for name in range(width):
        mine, theirs = columns[name, one], columns[name, begin:end]
        if mine >= 0:
            count += 1
            for entry in range(len(theirs)):
                same[entry] += np.int32(theirs[entry] == mine)
    if count == width:
        for entry in range(len(found)):
            found[entry] = 1.0 - same[entry] / count
        return
    more[:] = count
    for name in range(width):
        if columns[name, one] < 0:
            theirs = columns[name, begin:end]
            for entry in range(len(theirs)):
                more[entry] += np.int32(theirs[entry] >= 0)
    for entry in range(len(found)):
        found[entry] = 1.0 - same[entry] / more[entry] if more[entry] > 0 else 0.0


@kernel
def fill(new: Array, known: Array, space: Arrays, table: Array) -> None:
    """Write the distances of new rows from known rows and from each other into a table."""
    others = np.concatenate((known, new))
    row = np.empty(len(others))
    for place in range(len(new)):
        own, count = new[place], len(known) + place
        measure(own, others[:count], space, row)
        for at in range(count):
            table[own, others[at]] = row[at]
            table[others[at], own] = row[at]
        table[own, own] = 0.0

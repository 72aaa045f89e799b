"""The greedy choice of k entries by rank and distance (semantics: Diversity)."""

from typing import NamedTuple

import numpy as np

from rankcast.choose.kernels.distances import measure, measure_range
from rankcast.choose.numbers import grid_steps
from rankcast.compiling import kernel
from rankcast.plain import Array, Arrays

NONE = -(2**62)
"""Smaller than every value on the grid."""

NEAR = 1e-11
"""Values closer than this may be equal on the grid."""


class Pool(NamedTuple):
    """Entries to choose among, in order of `seq`.

    `order` has their places in the space, and `slots` those in the table of distances, which is empty if there is none.
    `row` and `nearest` are scratch space.
    """

    order: Array
    slots: Array
    ranks: Array
    seqs: Array
    sigma: float
    table: Array
    space: Arrays
    row: Array
    nearest: Array


@kernel
def later(newer: int, older: int, best_newer: int, best_older: int) -> bool:
    """Whether a pair is more recent than another: by the sum of positions, then by the newer member."""
    one, other = newer + older, best_newer + best_older
    return one > other or (one == other and newer > best_newer)


@kernel
def _measure_entries(pool: Pool, one: int, begin: int, end: int, row: Array) -> None:
    """Write the distances of an entry from those in `begin`..`end` to `row`."""
    columns = pool.space[5]
    if len(columns) > 0:
        measure_range(one, begin, end, columns, row[begin:end])
    else:
        measure(pool.order[one], pool.order[begin:end], pool.space, row[begin:end])


@kernel
def remember_distances(pool: Pool, entry: int, begin: int) -> None:
    """Write the distances of an entry from the earlier ones, from `begin` on, to the row and the table."""
    row, slots, table = pool.row, pool.slots, pool.table
    _measure_entries(pool, entry, begin, entry, row)
    if len(table) > 0:
        own = slots[entry]
        line = table[own]
        for older in range(begin, entry):
            line[slots[older]] = row[older]
            table[slots[older], own] = row[older]


@kernel
def look_up(pool: Pool, one: int, begin: int, end: int, row: Array) -> None:
    """Write the distances of an entry from those in `begin`..`end` to `row`, from the table if there is one."""
    if len(pool.table) == 0:
        _measure_entries(pool, one, begin, end, row)
        return
    slots, line = pool.slots, pool.table[pool.slots[one]]
    for entry in range(begin, end):
        row[entry] = line[slots[entry]]


@kernel
def best_pair(pool: Pool, by_rank: Array) -> tuple[int, int]:
    """The best pair of all entries, the older one first; `by_rank` lists the entries by descending rank.

    No distance is above 1, so pairs whose ranks are too low are skipped. Mostly few entries remain, at worst all n, with
    n distances each.
    """
    ranks, seqs, sigma, row = pool.ranks, pool.seqs, pool.sigma, pool.row
    best, first, second, roughly = NONE, -1, -1, -1.0
    begin, end = by_rank.min(), by_rank.max() + 1
    for place in range(len(by_rank) - 1):
        entry = by_rank[place]
        rank = ranks[entry]
        if sigma * ((rank + ranks[by_rank[place + 1]]) / 2) + (1 - sigma) < roughly - NEAR:
            break
        look_up(pool, entry, begin, end, row)
        for other in by_rank[place + 1 :]:
            average = sigma * ((rank + ranks[other]) / 2)
            if average + (1 - sigma) < roughly - NEAR:
                break
            value = average + (1 - sigma) * row[other]
            if value >= roughly - NEAR:
                steps = grid_steps(value)
                older, newer = min(entry, other), max(entry, other)
                if steps > best or (steps == best and later(seqs[newer], seqs[older], seqs[second], seqs[first])):
                    best, first, second, roughly = steps, older, newer, value
    return first, second


@kernel
def choose_greedily(
    pool: Pool, begin: int, end: int, first: int, second: int, k: int, chosen: Array, members: Array, worth: Array
) -> None:
    """Mark the greedy choice among more than k entries, given the best pair.

    `members` receives the choice in order of picking, and `worth` what each was worth then on the grid; the first two
    have the worth of the pair.
    """
    ranks, sigma, row = pool.ranks, pool.sigma, pool.row
    if k == 1:
        best, added = NONE, begin
        for entry in range(begin, end):
            steps = grid_steps(sigma * ranks[entry] + (1 - sigma) * 0.0)
            if steps >= best:
                best, added = steps, entry
        chosen[added] = True
        members[0], worth[0] = added, best
        return
    chosen[first] = True
    chosen[second] = True
    members[0] = first
    members[1] = second
    add_greedily(pool, begin, end, 2, k, chosen, members, worth)
    look_up(pool, second, first, first + 1, row)
    worth[0] = worth[1] = grid_steps(sigma * ((ranks[first] + ranks[second]) / 2) + (1 - sigma) * row[first])


@kernel
def add_greedily(
    pool: Pool, begin: int, end: int, count: int, k: int, chosen: Array, members: Array, worth: Array
) -> None:
    """Add the best entries to the first `count` members until there are k, which must exist.

    `chosen` marks the members; the new ones are marked too, and `worth` receives what each was worth on the grid. With
    sigma 1 no distance is computed, and `count` may be 0; otherwise it is at least 1.
    """
    ranks, sigma, row = pool.ranks, pool.sigma, pool.row
    by_rank = sigma == 1.0
    share, value = np.empty(end - begin), np.empty(end - begin)
    for place in range(len(share)):
        share[place] = -np.inf if chosen[begin + place] else sigma * ranks[begin + place]
    near, apart = pool.nearest[begin:end], row[begin:end]
    near[:] = 0.0 if by_rank else np.inf
    apart[:] = 0.0
    for size in range(0 if by_rank else 1, k):
        if not by_rank:
            look_up(pool, members[size - 1], begin, end, row)
            row[members[size - 1]] = 0.0  # a table may lack the distance of an entry from itself
        for place in range(len(value)):
            near[place] = min(near[place], apart[place])
            value[place] = share[place] + (1 - sigma) * near[place]
        if size < count:
            continue
        added, worth[size] = _latest_best(value)
        share[added] = -np.inf
        chosen[begin + added] = True
        members[size] = begin + added


@kernel
def _latest_best(values: Array) -> tuple[int, int]:
    """The last place with the largest value on the grid, and that value."""
    # Four at a time, because each comparison waits for the one before.
    one = two = three = four = -np.inf
    for place in range(0, len(values) - 3, 4):
        one, two = max(one, values[place]), max(two, values[place + 1])
        three, four = max(three, values[place + 2]), max(four, values[place + 3])
    for place in range(len(values) - len(values) % 4, len(values)):
        one = max(one, values[place])
    enough = max(max(one, two), max(three, four)) - NEAR
    best, latest, seen = NONE, -1, -np.inf
    for place in range(len(values) - 1, -1, -1):
        value = values[place]
        if value >= enough and value != seen:  # equal values are equal on the grid
            steps, seen = grid_steps(value), value
            if steps > best:
                best, latest = steps, place
    return latest, best

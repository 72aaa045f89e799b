"""The greedy choice of k entries by rank and distance (semantics: Diversity)."""

import numpy as np

from rankcast.choose.kernels.distances import measure
from rankcast.choose.numbers import grid_steps
from rankcast.compiling import kernel
from rankcast.plain import Array, Arrays

__all__ = [
    "NEAR",
    "NONE",
    "add_greedily",
    "best_older",
    "best_pair",
    "choose_greedily",
    "later",
    "look_up",
    "remember_distances",
]

NONE = -(2**62)
"""Smaller than every value on the grid."""

NEAR = 1e-11
"""Values closer than this may be equal on the grid."""

_BLOCK = 64
"""How many distances the search for a pair computes before it checks its bound again."""


@kernel
def later(newer: int, older: int, best_newer: int, best_older: int) -> bool:
    """Whether a pair is more recent than another: by the sum of positions, then by the newer member."""
    one, other = newer + older, best_newer + best_older
    return one > other or (one == other and newer > best_newer)


@kernel
def remember_distances(
    entry: int, begin: int, order: Array, slots: Array, table: Array, space: Arrays, row: Array
) -> None:
    """Compute the distances of an entry from the earlier ones, from `begin` on; write them to `row` and the table."""
    measure(order[entry], order[begin:entry], space, row[begin:entry])
    if len(table) > 0:
        own = slots[entry]
        line = table[own]
        for older in range(begin, entry):
            line[slots[older]] = row[older]
            table[slots[older], own] = row[older]


@kernel
def look_up(
    one: int, begin: int, end: int, order: Array, slots: Array, table: Array, space: Arrays, row: Array
) -> None:
    """Write the distances of an entry from those in `begin`..`end` to `row`, from the table if there is one."""
    if len(table) == 0:
        measure(order[one], order[begin:end], space, row[begin:end])
        return
    line = table[slots[one]]
    for entry in range(begin, end):
        row[entry] = line[slots[entry]]


@kernel
def best_older(
    entry: int,
    begin: int,
    order: Array,
    slots: Array,
    ranks: Array,
    sigma: float,
    table: Array,
    is_new: bool,
    space: Arrays,
    row: Array,
) -> tuple[int, int]:
    """The best pair of an entry with an older one from `begin` on: the pair's value, and the older entry.

    If the entry `is_new`, its distances are computed and stored in the table; otherwise they are read from it.
    """
    if is_new:
        remember_distances(entry, begin, order, slots, table, space, row)
    else:
        look_up(entry, begin, entry, order, slots, table, space, row)
    best, partner, roughly = NONE, -1, -1.0
    for older in range(begin, entry):
        value = sigma * ((ranks[entry] + ranks[older]) / 2) + (1 - sigma) * row[older]
        if value >= roughly - NEAR:
            steps = grid_steps(value)
            if steps >= best:
                best, partner, roughly = steps, older, value
    return best, partner


@kernel
def best_pair(
    by_rank: Array,
    ranks: Array,
    seqs: Array,
    sigma: float,
    order: Array,
    slots: Array,
    table: Array,
    space: Arrays,
    row: Array,
) -> tuple[int, int]:
    """The best pair of all entries, the older one first; `by_rank` lists the entries by descending rank.

    No distance is above 1, so pairs whose ranks are too low are skipped. Mostly few pairs remain, at worst n^2 / 2.
    """
    best, first, second, roughly = NONE, -1, -1, -1.0
    count = len(by_rank)
    others = order[by_rank]
    for place in range(count - 1):
        entry = by_rank[place]
        rank = ranks[entry]
        if sigma * ((rank + ranks[by_rank[place + 1]]) / 2) + (1 - sigma) < roughly - NEAR:
            break
        line = table[slots[entry]] if len(table) > 0 else row
        for begin in range(place + 1, count, _BLOCK):
            if sigma * ((rank + ranks[by_rank[begin]]) / 2) + (1 - sigma) < roughly - NEAR:
                break
            end = min(begin + _BLOCK, count)
            if len(table) == 0:
                measure(order[entry], others[begin:end], space, row[begin:end])
            for at in range(begin, end):
                other = by_rank[at]
                apart = line[slots[other]] if len(table) > 0 else row[at]
                value = sigma * ((rank + ranks[other]) / 2) + (1 - sigma) * apart
                if value >= roughly - NEAR:
                    steps = grid_steps(value)
                    older, newer = min(entry, other), max(entry, other)
                    if steps > best or (steps == best and later(seqs[newer], seqs[older], seqs[second], seqs[first])):
                        best, first, second, roughly = steps, older, newer, value
    return first, second


@kernel
def choose_greedily(
    begin: int,
    end: int,
    first: int,
    second: int,
    order: Array,
    slots: Array,
    ranks: Array,
    k: int,
    sigma: float,
    table: Array,
    space: Arrays,
    row: Array,
    nearest: Array,
    chosen: Array,
    members: Array,
) -> None:
    """Mark the greedy choice among more than k entries, given the best pair.

    `members` receives the choice in order of picking. `row` and `nearest` are scratch space.
    """
    if k == 1:
        best, added = NONE, begin
        for entry in range(begin, end):
            steps = grid_steps(sigma * ranks[entry] + (1 - sigma) * 0.0)
            if steps >= best:
                best, added = steps, entry
        chosen[added] = True
        members[0] = added
        return
    chosen[first] = True
    chosen[second] = True
    members[0] = first
    members[1] = second
    add_greedily(begin, end, 2, order, slots, ranks, k, sigma, table, space, row, nearest, chosen, members)


@kernel
def add_greedily(
    begin: int,
    end: int,
    count: int,
    order: Array,
    slots: Array,
    ranks: Array,
    k: int,
    sigma: float,
    table: Array,
    space: Arrays,
    row: Array,
    nearest: Array,
    chosen: Array,
    members: Array,
) -> None:
    """Add the best entries to the first `count` members until there are k, which must exist.

    `chosen` marks the members; the new ones are marked too. With `sigma` 1 no distance is computed, and `count` may
    be 0; otherwise it is at least 1. `row` and `nearest` are scratch space.
    """
    # The remaining entries, compactly: entry, place of its distances, share of rank, distance of the nearest member.
    has_table = len(table) > 0
    rest, places = np.empty(end - begin, np.int64), np.empty(end - begin, np.int64)
    share = np.empty(end - begin)
    left = 0
    for entry in range(begin, end):
        if not chosen[entry]:
            rest[left] = entry
            places[left] = slots[entry] if has_table else order[entry]
            share[left] = sigma * ranks[entry]
            left += 1
    by_rank = sigma == 1.0
    nearest[:left] = 0.0 if by_rank else np.inf
    row[:left] = 0.0
    for size in range(0 if by_rank else 1, k):
        if not by_rank:
            added = members[size - 1]
            if has_table:
                line = table[slots[added]]
                for place in range(left):
                    row[place] = line[places[place]]
            else:
                measure(order[added], places[:left], space, row)
        if size < count:
            for place in range(left):
                nearest[place] = min(nearest[place], row[place])
            continue
        best, at, roughly = NONE, -1, -1.0
        for place in range(left):
            near = min(nearest[place], row[place])
            nearest[place] = near
            value = share[place] + (1 - sigma) * near
            if value >= roughly - NEAR:
                steps = grid_steps(value)
                if steps >= best:
                    best, at, roughly = steps, place, value
        added = rest[at]
        chosen[added] = True
        members[size] = added
        left -= 1
        for place in range(at, left):
            rest[place] = rest[place + 1]
            places[place] = places[place + 1]
            share[place] = share[place + 1]
            nearest[place] = nearest[place + 1]

"""The greedy choice of k entries out of more, by rank and distance (SPEC 3)."""

from typing import Any

from rankcast.batch.kernels.distances import measure
from rankcast.choose.numbers import grid_steps
from rankcast.compiling import kernel

__all__ = ["NEAR", "NONE", "best_older", "choose_greedily", "later", "remember_distances"]

NONE = -(2**62)
"""Less than every value on the grid."""

NEAR = 1e-11
"""Values nearer to each other than this may be equal on the grid."""


@kernel
def later(newer: int, older: int, best_newer: int, best_older: int) -> bool:
    """Whether a pair is more recent than another: by the sum, then by the newer."""
    one, other = newer + older, best_newer + best_older
    return one > other or (one == other and newer > best_newer)


@kernel
def remember_distances(entry: int, begin: int, order: Any, table: Any, space: Any, row: Any) -> None:
    """Measures the distances of an entry from those before it, from `begin` on, into `row` and the table (a ring)."""
    measure(entry, order[begin:entry], space, row[begin:entry])
    size = len(table)
    if size > 0:
        line, slot = entry % size, begin % size
        for older in range(begin, entry):
            table[line, slot] = row[older]
            table[slot, line] = row[older]
            slot += 1
            if slot == size:
                slot = 0


@kernel
def _look_up(one: int, begin: int, end: int, order: Any, table: Any, space: Any, row: Any) -> None:
    """The distances of an entry from those between `begin` and `end` into `row`, out of the table if there is one."""
    size = len(table)
    if size == 0:
        measure(one, order[begin:end], space, row[begin:end])
        return
    line, slot = table[one % size], begin % size
    for entry in range(begin, end):
        row[entry] = line[slot]
        slot += 1
        if slot == size:
            slot = 0


@kernel
def best_older(
    entry: int, begin: int, order: Any, ranks: Any, sigma: float, table: Any, is_new: bool, space: Any, row: Any
) -> tuple[int, int]:
    """The best pair of an entry with an older one from `begin` on: its value and the older one.

    The distances of an entry that `is_new` are computed and go into the table; others' come from there.
    """
    if is_new:
        remember_distances(entry, begin, order, table, space, row)
    else:
        _look_up(entry, begin, entry, order, table, space, row)
    best, partner, roughly = NONE, -1, -1.0
    for older in range(begin, entry):
        value = sigma * ((ranks[entry] + ranks[older]) / 2) + (1 - sigma) * row[older]
        if value >= roughly - NEAR:
            steps = grid_steps(value)
            if steps >= best:
                best, partner, roughly = steps, older, value
    return best, partner


@kernel
def choose_greedily(
    begin: int,
    end: int,
    first: int,
    second: int,
    order: Any,
    ranks: Any,
    k: int,
    sigma: float,
    table: Any,
    space: Any,
    row: Any,
    nearest: Any,
    chosen: Any,
) -> None:
    """Marks the greedy choice among more than k entries, given the best pair; `row` and `nearest` are room."""
    if k == 1:
        best, added = NONE, begin
        for entry in range(begin, end):
            steps = grid_steps(sigma * ranks[entry] + (1 - sigma) * 0.0)
            if steps >= best:
                best, added = steps, entry
        chosen[added] = True
        return
    chosen[first] = True
    chosen[second] = True
    _look_up(first, begin, end, order, table, space, nearest)
    added = second
    for _ in range(2, k):
        _look_up(added, begin, end, order, table, space, row)
        best, added, roughly = NONE, -1, -1.0
        for entry in range(begin, end):
            nearest[entry] = min(nearest[entry], row[entry])
            if not chosen[entry]:
                value = sigma * ranks[entry] + (1 - sigma) * nearest[entry]
                if value >= roughly - NEAR:
                    steps = grid_steps(value)
                    if steps >= best:
                        best, added, roughly = steps, entry, value
        chosen[added] = True

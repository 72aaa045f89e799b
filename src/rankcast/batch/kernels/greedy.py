"""The greedy choice of k entries out of more, by rank and distance (SPEC 3)."""

from typing import Any

from rankcast.batch.kernels.distances import distance_of
from rankcast.choose.numbers import grid_steps, kernel

__all__ = ["NONE", "best_older", "choose_greedily", "later"]

NONE = -(2**62)
"""Less than every value on the grid."""


@kernel
def later(newer: int, older: int, best_newer: int, best_older: int) -> bool:
    """Whether a pair is more recent than another: by the sum, then by the newer."""
    one, other = newer + older, best_newer + best_older
    return one > other or (one == other and newer > best_newer)


@kernel
def _apart(one: int, other: int, rows: Any, table: Any, codes: Any, weights: Any, room: Any) -> float:
    """The distance of two entries, out of the table (a ring) if there is one."""
    size = len(table)
    if size > 0:
        return float(table[one % size, other % size])
    return distance_of(rows[one], rows[other], codes, weights, room)


@kernel
def best_older(
    entry: int,
    begin: int,
    rows: Any,
    ranks: Any,
    sigma: float,
    table: Any,
    fill: int,
    codes: Any,
    weights: Any,
    room: Any,
) -> tuple[int, int]:
    """The best pair of an entry with an older one from `begin` on: its value and the older one. With `fill`, the
    distances are computed and go into the table; else they come from there."""
    best, partner = NONE, -1
    size = len(table)
    for older in range(begin, entry):
        if size > 0 and not fill:
            apart = table[entry % size, older % size]
        else:
            apart = distance_of(rows[entry], rows[older], codes, weights, room)
            if size > 0:
                table[entry % size, older % size] = apart
                table[older % size, entry % size] = apart
        value = grid_steps(sigma * ((ranks[entry] + ranks[older]) / 2) + (1 - sigma) * apart)
        if value >= best:
            best, partner = value, older
    return best, partner


@kernel
def choose_greedily(
    begin: int,
    end: int,
    first: int,
    second: int,
    rows: Any,
    ranks: Any,
    k: int,
    sigma: float,
    table: Any,
    codes: Any,
    weights: Any,
    room: Any,
    nearest: Any,
    chosen: Any,
) -> None:
    """Marks the greedy choice among more than k entries, given the best pair."""
    if k == 1:
        best, added = NONE, begin
        for entry in range(begin, end):
            value = grid_steps(sigma * ranks[entry] + (1 - sigma) * 0.0)
            if value >= best:
                best, added = value, entry
        chosen[added] = True
        return
    chosen[first] = True
    chosen[second] = True
    for entry in range(begin, end):
        if not chosen[entry]:
            nearest[entry] = min(
                _apart(entry, first, rows, table, codes, weights, room),
                _apart(entry, second, rows, table, codes, weights, room),
            )
    for number in range(2, k):
        best, added = NONE, -1
        for entry in range(begin, end):
            if not chosen[entry]:
                value = grid_steps(sigma * ranks[entry] + (1 - sigma) * nearest[entry])
                if value >= best:
                    best, added = value, entry
        chosen[added] = True
        if number < k - 1:
            for entry in range(begin, end):
                if not chosen[entry]:
                    nearest[entry] = min(nearest[entry], _apart(entry, added, rows, table, codes, weights, room))

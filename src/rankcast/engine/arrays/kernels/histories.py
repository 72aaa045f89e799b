"""The list of sent events, updated over a batch."""

import numpy as np

from rankcast.choose.kernels.distances import measure
from rankcast.choose.kernels.swaps import replace_one, upper
from rankcast.compiling import kernel
from rankcast.plain import Array, Arrays

__all__ = ["remember_by_rank", "remember_diverse"]

_FAR = np.int64(2**62)
"""A value beyond every position."""


@kernel
def remember_by_rank(
    positions: Array, grid: Array, old: int, k: int, span: int, replace: bool, held: Array, sent: Array
) -> int:
    """Decides on each new entry by rank alone.

    Marks the entries that are sent, and leaves the list in `held`, oldest first. Returns its length.
    """
    size = old
    earliest = _FAR
    lowest = -1
    for place in range(old):
        held[place] = place
        earliest = min(earliest, positions[place])
    for entry in range(old, len(positions)):
        oldest = positions[entry] - span
        if earliest <= oldest:
            kept = 0
            earliest = _FAR
            for place in range(size):
                if positions[held[place]] > oldest:
                    held[kept] = held[place]
                    earliest = min(earliest, positions[held[place]])
                    kept += 1
            size = kept
            lowest = -1
        if size == k:
            if lowest < 0:
                lowest = 0
                for place in range(1, size):
                    if grid[held[place]] < grid[held[lowest]]:
                        lowest = place
            low = grid[held[lowest]]
            if not (grid[entry] > low or (replace and grid[entry] == low)):
                continue
            for place in range(lowest, size - 1):
                held[place] = held[place + 1]
            size -= 1
        held[size] = entry
        size += 1
        earliest = min(earliest, positions[entry])
        lowest = -1
        sent[entry] = True
    return size


@kernel
def remember_diverse(
    positions: Array,
    ranks: Array,
    old: int,
    k: int,
    sigma: float,
    span: int,
    replace: bool,
    space: Arrays,
    held: Array,
    sent: Array,
) -> int:
    """Decides on each new entry by divrank.

    Marks the entries that are sent, and leaves the list in `held`, oldest first. Returns its length.

    The sums of each member's distances are exact (`rankcast.choose.kernels.swaps`), so they can be carried from entry
    to entry. An entry costs O(k) distances and O(k) sums, and O(k) exact values if all are equal.
    """
    size = 0
    high, low = np.zeros(k + 1), np.zeros(k + 1)
    apart, rank_of = np.empty(k + 1), np.empty(k + 1)
    for entry in range(len(ranks)):
        if entry >= old:
            place = 0
            while place < size:
                if positions[held[place]] <= positions[entry] - span:
                    size = _leave(place, size, held, rank_of, high, low, space, apart)
                else:
                    place += 1
        measure(entry, held[:size], space, apart)
        held[size] = entry
        rank_of[size] = ranks[entry]
        high[size], low[size] = 0.0, 0.0
        for place in range(size):
            part = upper(apart[place])
            high[size] += part
            low[size] += apart[place] - part
        out = -1
        if size == k and entry >= old:
            out, best, present = replace_one(k, rank_of, sigma, high, low, apart)
            if not (best > present or (replace and best == present)):
                continue
        for place in range(size):
            part = upper(apart[place])
            high[place] += part
            low[place] += apart[place] - part
        size += 1
        if out >= 0:
            size = _leave(out, size, held, rank_of, high, low, space, apart)
        sent[entry] = entry >= old
    return size


@kernel
def _leave(
    place: int, size: int, held: Array, rank_of: Array, high: Array, low: Array, space: Arrays, apart: Array
) -> int:
    """Removes a member from the list, and its distances from the sums of the others.

    Returns the number of members left.
    """
    gone = held[place]
    for at in range(place, size - 1):
        held[at], rank_of[at] = held[at + 1], rank_of[at + 1]
        high[at], low[at] = high[at + 1], low[at + 1]
    measure(gone, held[: size - 1], space, apart)
    for at in range(size - 1):
        part = upper(apart[at])
        high[at] -= part
        low[at] -= apart[at] - part
    return size - 1

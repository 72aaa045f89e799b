"""Choosing in each of many periods."""

import numpy as np

from rankcast.choose.kernels.greedy import best_pair, choose_greedily, remember_distances
from rankcast.choose.kernels.swaps import improve
from rankcast.compiling import kernel
from rankcast.plain import Array, Arrays

__all__ = ["best_by_rank", "best_diverse"]

_LARGEST_TABLE = 2048
"""The most entries of a period that may keep its distances in a table while choosing."""


@kernel
def best_by_rank(ends: Array, grid: Array, k: int, chosen: Array) -> None:
    """Marks, in each group of entries that ends before one of `ends`, the k with the highest (rank, seq)."""
    heap = np.empty(k, np.int64)
    begin = 0
    for end in ends:
        size = 0
        for entry in range(end - 1, begin - 1, -1):  # the latest first, because it wins among equals
            if size < k:
                at = size
                size += 1
                while at > 0 and grid[entry] <= grid[heap[(at - 1) // 2]]:
                    heap[at] = heap[(at - 1) // 2]
                    at = (at - 1) // 2
                heap[at] = entry
            elif grid[entry] > grid[heap[0]]:
                at = 0
                while 2 * at + 1 < size:
                    child = 2 * at + 1
                    if child + 1 < size and _lower(heap[child + 1], heap[child], grid):
                        child += 1
                    if not _lower(heap[child], entry, grid):
                        break
                    heap[at] = heap[child]
                    at = child
                heap[at] = entry
        for place in range(size):
            chosen[heap[place]] = True
        begin = end


@kernel
def _lower(one: int, other: int, grid: Array) -> bool:
    return bool(grid[one] < grid[other] or (grid[one] == grid[other] and one < other))


@kernel
def best_diverse(
    ends: Array,
    seqs: Array,
    ranks: Array,
    by_rank: Array,
    k: int,
    sigma: float,
    improves: bool,
    space: Arrays,
    chosen: Array,
) -> None:
    """Marks the greedy choice in each group of entries that ends before one of `ends`.

    If `improves` is set, the choice is improved by swaps. `by_rank` lists the entries of each group, the highest rank
    first.

    A group that chooses a large part of its entries keeps their distances in a table meanwhile.
    """
    order = np.arange(len(ranks))
    slots = np.empty(len(ranks), np.int64)
    row, nearest = np.empty(len(ranks)), np.empty(len(ranks))
    members = np.empty(k, np.int64)
    longest = 0
    begin = 0
    for end in ends:
        if _keeps_table(end - begin, k):
            longest = max(longest, end - begin)
        begin = end
    room, nothing = np.empty((longest, longest)), np.empty((0, 0))
    begin = 0
    for end in ends:
        if end - begin <= k:
            chosen[begin:end] = True
            begin = end
            continue
        table = nothing
        if _keeps_table(end - begin, k):
            table = room
            for entry in range(begin, end):
                slots[entry] = entry - begin
                remember_distances(entry, begin, order, slots, table, space, row)
        first, second = begin, begin
        if k > 1:
            first, second = best_pair(by_rank[begin:end], ranks, seqs, sigma, order, slots, table, space, row)
        choose_greedily(
            begin, end, first, second, order, slots, ranks, k, sigma, table, space, row, nearest, chosen, members
        )
        if improves:
            improve(begin, end, order, slots, ranks, seqs, k, sigma, table, space, row, chosen, members)
        begin = end


@kernel
def _keeps_table(size: int, k: int) -> bool:
    """Whether measuring all pairs once costs less than measuring k entries against all."""
    return bool(k < size <= min(4 * k, _LARGEST_TABLE))

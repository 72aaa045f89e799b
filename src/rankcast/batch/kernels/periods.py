"""The choice in each of many periods."""

from typing import Any

import numpy as np

from rankcast.batch.kernels.greedy import NONE, best_older, choose_greedily, later
from rankcast.compiling import kernel

__all__ = ["best_by_rank", "best_diverse"]

_LARGEST_TABLE = 512
"""Periods of up to so many entries keep their distances in a table while they are chosen from."""


@kernel
def best_by_rank(ends: Any, grid: Any, k: int, chosen: Any) -> None:
    """Marks, in each group of entries that ends before one of `ends`, the k of highest (rank, seq)."""
    heap = np.empty(k, np.int64)
    begin = 0
    for end in ends:
        size = 0
        for entry in range(end - 1, begin - 1, -1):  # the latest first, for among equals it is chosen
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
def _lower(one: int, other: int, grid: Any) -> bool:
    return bool(grid[one] < grid[other] or (grid[one] == grid[other] and one < other))


@kernel
def best_diverse(ends: Any, seqs: Any, ranks: Any, k: int, sigma: float, space: Any, chosen: Any) -> None:
    """Marks, in each group of entries that ends before one of `ends`, what the greedy heuristic picks."""
    order = np.arange(len(ranks))
    row = np.empty(len(ranks))
    nearest = np.empty(len(ranks))
    longest = 0
    begin = 0
    for end in ends:
        longest = max(longest, end - begin)
        begin = end
    size = longest if longest <= _LARGEST_TABLE else 0
    table = np.empty((size, size))
    begin = 0
    for end in ends:
        if end - begin <= k:
            chosen[begin:end] = True
        else:
            first, second = begin, begin
            best = NONE
            for entry in range(begin + 1, end) if k > 1 else range(0):
                value, partner = best_older(entry, begin, order, ranks, sigma, table, True, space, row)
                if value > best or (value == best and later(seqs[entry], seqs[partner], seqs[second], seqs[first])):
                    best, first, second = value, partner, entry
            choose_greedily(begin, end, first, second, order, ranks, k, sigma, table, space, row, nearest, chosen)
        begin = end

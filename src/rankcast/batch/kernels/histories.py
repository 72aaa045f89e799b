"""The list of sent events, followed through a batch."""

from typing import Any

import numpy as np

from rankcast.batch.kernels.distances import measure
from rankcast.batch.kernels.greedy import NEAR, NONE
from rankcast.choose.numbers import exact_sum, grid_steps
from rankcast.compiling import kernel

__all__ = ["remember_by_rank", "remember_diverse"]

_FAR = np.int64(2**62)
"""Beyond every position."""


@kernel
def remember_by_rank(
    positions: Any, grid: Any, old: int, k: int, span: int, replace: bool, held: Any, sent: Any
) -> int:
    """Decides on each new entry by rank alone: marks what is sent, and leaves in `held` what the list holds, oldest
    first; gives how many."""
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
def _worth(
    members: Any, count: int, ranks: Any, table: Any, sigma: float, values: Any, parts: Any, left_out: int
) -> int:
    """The divrank, on the grid, of the members but the one at `left_out`; `table` has the distances by place."""
    size = 0
    for place in range(count):
        if place != left_out:
            values[size] = ranks[members[place]]
            size += 1
    rank = exact_sum(values, size, parts) / size
    pairs = 0
    for place in range(count):
        for other in range(place):
            if place != left_out and other != left_out:
                values[pairs] = table[place, other]
                pairs += 1
    diversity = exact_sum(values, pairs, parts) / pairs if pairs else 0.0
    return int(grid_steps(sigma * rank + (1 - sigma) * diversity))


@kernel
def remember_diverse(
    positions: Any,
    ranks: Any,
    old: int,
    k: int,
    sigma: float,
    span: int,
    replace: bool,
    space: Any,
    held: Any,
    sent: Any,
) -> int:
    """Decides on each new entry by divrank: marks what is sent, and leaves in `held` what the list holds, oldest
    first; gives how many."""
    size = old
    table = np.zeros((k + 1, k + 1))
    values = np.empty(k * (k + 1) // 2 + k + 1)
    parts = np.empty(len(values) + 1)
    sums = np.empty(k + 1)
    apart = np.empty(k + 1)
    present = -1
    for place in range(old):
        held[place] = place
        measure(place, held[:place], space, apart)
        for other in range(place):
            table[place, other] = table[other, place] = apart[other]
    for entry in range(old, len(ranks)):
        # What is left of the list, and the distances among it.
        kept = 0
        for place in range(size):
            if positions[held[place]] > positions[entry] - span:
                if kept != place:
                    held[kept] = held[place]
                    table[kept, :size] = table[place, :size]
                    table[:size, kept] = table[:size, place]
                kept += 1
        if kept != size:
            size = kept
            present = -1
        measure(entry, held[:size], space, apart)
        for place in range(size):
            table[size, place] = table[place, size] = apart[place]
        table[size, size] = 0.0
        held[size] = entry
        size += 1
        if size <= k:
            sent[entry] = True
            present = -1
            continue
        if present < 0:
            present = _worth(held, k, ranks, table, sigma, values, parts, -1)
        # Roughly first: only swaps that may be the best on the grid are worth computing exactly.
        everything = 0.0
        for place in range(size):
            sums[place] = 0.0
            for other in range(size):
                sums[place] += table[place, other]
            everything += sums[place] / 2
        pairs = k * (k - 1) / 2
        roughly_best = -2.0
        for place in range(k):
            diversity = (everything - sums[place]) / pairs if k > 1 else 0.0
            sums[place] = (1 - sigma) * diversity - sigma * ranks[held[place]] / k
            roughly_best = max(roughly_best, sums[place])
        best, out = NONE, -1
        for place in range(k):
            if sums[place] >= roughly_best - NEAR:
                worth = _worth(held, size, ranks, table, sigma, values, parts, place)
                if worth > best:
                    best, out = worth, place
        if best > present or (replace and best == present):
            sent[entry] = True
            present = best
        else:
            out = k
        for place in range(out, size - 1):
            held[place] = held[place + 1]
            table[place, :size] = table[place + 1, :size]
        for place in range(out, size - 1):
            table[:size, place] = table[:size, place + 1]
        size -= 1
    return size

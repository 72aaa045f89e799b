"""The compiled search behind `Exact`: depth first, skipping branches that cannot beat the best set so far."""

import numpy as np

from rankcast.choose.numbers import exact_sum, grid_steps
from rankcast.compiling import kernel
from rankcast.plain import Array

_FLOAT_NOISE = 1e-13
"""Larger than the rounding error of a sum whose order of addition changes, smaller than the comparison grid."""


@kernel
def search(
    ranks: Array,
    apart: Array,
    seqs: Array,
    k: int,
    sigma: float,
    company: Array,
    seq_sums: Array,
    best: Array,
    limit: int,
) -> tuple[int, float]:
    """Improve the set of candidate positions in `best` to the best set; return the number of nodes visited and a
    bound.

    A node is a partial set and the candidates that may still join it. Each missing member adds at most its gain over
    the partial set, plus half of its largest distances to the other missing members (a pair is counted at both ends).
    `company[first, place, m]` is the sum of the m largest distances of a candidate to the others from `first` on.
    `seq_sums[first, m]` is the largest sum of m `seq` from `first` on; it decides ties. When the search completes,
    the bound is the value of the best set. When it stops after `limit` nodes, no unvisited set is worth more than the
    bound.
    """
    n = len(ranks)
    pairs = k * (k - 1) / 2 if k > 1 else 1.0
    chosen = np.zeros(k + 1, np.int64)
    following = np.zeros(k + 1, np.int64)
    worth = np.zeros(k + 1)
    seq_sum = np.zeros(k + 1, np.int64)
    adds = np.zeros((k + 1, n))
    bounds = np.full(k + 1, -1.0)
    values = np.empty(k * k + k + 1)
    parts = np.empty(len(values))
    adds[0] = sigma * ranks / k
    best_steps, best_sum = _worth(best, ranks, apart, k, sigma, values, parts), _sum(best, seqs, k)
    nodes = 0
    depth = 0
    while depth >= 0:
        first = following[depth]
        missing = k - depth
        if missing == 0 or n - first < missing:
            if missing == 0:
                steps = grid_steps(worth[depth] + _FLOAT_NOISE)
                if steps >= best_steps:
                    steps = _worth(chosen, ranks, apart, k, sigma, values, parts)
                    total = seq_sum[depth]
                    if steps > best_steps or (
                        steps == best_steps
                        and (total > best_sum or (total == best_sum and _more_recent(chosen, best, seqs, k)))
                    ):
                        best[:k] = chosen[:k]
                        best_steps, best_sum = steps, total
            depth -= 1
            continue
        nodes += 1
        bound = worth[depth] + _most(adds[depth], company, first, missing, (1 - sigma) / pairs / 2, values)
        if nodes > limit:
            bounds[depth] = bound
            for above in range(depth):
                left = k - above
                if n - following[above] >= left:
                    bounds[above] = worth[above] + _most(
                        adds[above], company, following[above], left, (1 - sigma) / pairs / 2, values
                    )
            return nodes, max(bounds.max(), best_steps / 1e12)
        steps = grid_steps(bound + _FLOAT_NOISE)
        if steps < best_steps or (steps == best_steps and seq_sum[depth] + seq_sums[first, missing] < best_sum):
            depth -= 1
            continue
        following[depth] = first + 1
        chosen[depth] = first
        worth[depth + 1] = worth[depth] + adds[depth, first]
        seq_sum[depth + 1] = seq_sum[depth] + seqs[first]
        for place in range(first + 1, n):
            adds[depth + 1, place] = adds[depth, place] + (1 - sigma) * apart[first, place] / pairs
        following[depth + 1] = first + 1
        depth += 1
    return nodes, best_steps / 1e12


@kernel
def _most(adds: Array, company: Array, first: int, missing: int, share: float, room: Array) -> float:
    """The sum of the `missing` largest possible gains among the candidates from `first` on."""
    size = 0
    for place in range(first, len(adds)):
        value = adds[place] + share * company[first, place, missing - 1]
        if size < missing:
            at = size
            size += 1
        elif value > room[missing - 1]:
            at = missing - 1
        else:
            continue
        while at > 0 and room[at - 1] < value:
            room[at] = room[at - 1]
            at -= 1
        room[at] = value
    total = 0.0
    for at in range(missing):
        total += room[at]
    return total


@kernel
def _worth(chosen: Array, ranks: Array, apart: Array, k: int, sigma: float, values: Array, parts: Array) -> int:
    """The divrank on the grid, as `DivRank.value` computes it."""
    for place in range(k):
        values[place] = ranks[chosen[place]]
    rank = exact_sum(values, k, parts) / k
    pairs = 0
    for place in range(k):
        for other in range(place):
            values[pairs] = apart[chosen[place], chosen[other]]
            pairs += 1
    diversity = exact_sum(values, pairs, parts) / pairs if pairs else 0.0
    return int(grid_steps(sigma * rank + (1 - sigma) * diversity))


@kernel
def _sum(chosen: Array, seqs: Array, k: int) -> int:
    total = 0
    for place in range(k):
        total += seqs[chosen[place]]
    return total


@kernel
def _more_recent(one: Array, other: Array, seqs: Array, k: int) -> bool:
    """Whether `one` has the later members; the sets are compared from their latest member on."""
    mine, theirs = np.sort(seqs[one[:k]]), np.sort(seqs[other[:k]])
    for place in range(k - 1, -1, -1):
        if mine[place] != theirs[place]:
            return bool(mine[place] > theirs[place])
    return False

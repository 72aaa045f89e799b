"""Optimal clustering of weighted numbers on a line.

On a line, clusters are intervals, so dynamic programming finds the best division: the last cluster, and the best k -
1 clusters of everything before it. k-means, which starts from random centres, may end in a worse division.
"""

from collections.abc import Sequence
from itertools import pairwise
from typing import Any

import numpy as np

PLACES = 512
"""Resolution: numbers that are closer than 1 / PLACES of the range count as one."""

Division = tuple[list[float], float]
"""The centres of the clusters, ascending, and the sum of squared distances of all numbers to their centre."""


def best_divisions(points: Sequence[tuple[float, float]], most: int) -> list[Division]:
    """The best division of weighted numbers in 0..1 into 1, 2, … clusters, at most one per distinct place.

    O(most * PLACES^2): about 50 ms.

    >>> [centres for centres, _ in best_divisions([(0.0, 2), (0.1, 2), (1.0, 1)], 3)]
    [[0.24], [0.05, 1.0], [0.0, 0.1, 1.0]]
    """
    x, weight = (np.array(side, dtype=float) for side in zip(*points, strict=True))
    group = np.minimum(np.floor(x * PLACES).astype(int), PLACES - 1)
    mass = np.bincount(group, weight, PLACES)
    used = mass > 0
    mass, place = mass[used], np.bincount(group, weight * x, PLACES)[used] / mass[used]
    count = len(place)
    # Prefix sums. The weight, centre and spread of any interval are differences of them.
    weights, sums, squares = (np.concatenate([[0.0], np.cumsum(mass * place**power)]) for power in (0, 1, 2))

    def spread(start: Any, end: Any) -> Any:
        total = sums[end] - sums[start]
        return np.maximum(squares[end] - squares[start] - total**2 / (weights[end] - weights[start]), 0.0)

    least = np.array([np.inf, *spread(0, np.arange(1, count + 1))])
    starts: list[list[int]] = []
    divisions: list[Division] = []
    for k in range(1, min(most, count) + 1):
        if k > 1:
            shorter, least = least, np.full(count + 1, np.inf)
            starts.append([0] * (count + 1))
            for end in range(k, count + 1):
                cuts = np.arange(k - 1, end)
                costs = shorter[cuts] + spread(cuts, end)
                best = int(costs.argmin())
                least[end], starts[-1][end] = costs[best], int(cuts[best])
        ends = [count]
        for table in reversed(starts):
            ends.append(table[ends[-1]])
        stretches = pairwise([0, *reversed(ends)])
        centres = [float((sums[end] - sums[start]) / (weights[end] - weights[start])) for start, end in stretches]
        divisions.append(([round(centre, 12) for centre in centres], float(least[count])))
    return divisions

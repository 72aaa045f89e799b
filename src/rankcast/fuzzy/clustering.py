"""The best clusters of weighted numbers on a line.

On a line clusters are stretches, so the best division into k of them can be found outright: the best k - 1 of all that
comes before the last, and the last. Iterating from random places, as k-means does in space, may end in a worse one.
"""

from collections.abc import Sequence
from itertools import pairwise
from typing import Any

import numpy as np

__all__ = ["Division", "best_divisions"]

PLACES = 512
"""Numbers closer together than this part of the line are taken as one."""

Division = tuple[list[float], float]
"""The centres of the clusters, ascending, and the squared distance of all numbers to their own, summed up."""


def best_divisions(points: Sequence[tuple[float, float]], most: int) -> list[Division]:
    """The best division of numbers 0..1 with weights into 1, 2, … clusters, at most as many as there are places.

    O(most * PLACES^2): some 50 ms.

    >>> [centres for centres, _ in best_divisions([(0.0, 2), (0.1, 2), (1.0, 1)], 3)]
    [[0.24], [0.05, 1.0], [0.0, 0.1, 1.0]]
    """
    x, weight = (np.array(side, dtype=float) for side in zip(*points, strict=True))
    group = np.minimum(np.floor(x * PLACES).astype(int), PLACES - 1)
    mass = np.bincount(group, weight, PLACES)
    used = mass > 0
    mass, place = mass[used], np.bincount(group, weight * x, PLACES)[used] / mass[used]
    count = len(place)
    # Running sums, of which any stretch's weight, centre and spread are differences.
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

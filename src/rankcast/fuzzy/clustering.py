"""Clusters of weighted numbers on a line, and of weighted points.

On a line, clusters are intervals, so dynamic programming finds the best division: the last cluster, and the best k -
1 clusters of everything before it. k-means, which starts from random centres, may end in a worse division. Points are
divided by Ward's method, and then moved to the nearest centre until nothing moves.
"""

from collections.abc import Sequence
from itertools import pairwise
from typing import Any, TypeAlias

import numpy as np

from rankcast.plain import Array

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


Clustering: TypeAlias = tuple[Array, float]
"""The number of each point's cluster, and the weighted sum of squared distances to the centres."""

_ROUNDS = 50


def best_clusters(points: Array, weights: Array, most: int) -> list[Clustering]:
    """A division of weighted points into 1, 2, … clusters, at most one per distinct point. O(points ** 3) at most.

    Ward's method merges the two clusters whose merging adds least to the variance. It depends on no random start, so
    the same points give the same clusters.

    >>> labels = [label.tolist() for label, _ in best_clusters(np.array([[0.0], [0.1], [5.0]]), np.ones(3), 2)]
    >>> labels
    [[0, 0, 0], [0, 0, 1]]
    """
    label = np.arange(len(points))
    divisions: dict[int, Array] = {len(points): label.copy()}
    mass = weights.astype(float)
    squares = (points**2).sum(axis=1)
    gaps = np.maximum(squares[:, None] + squares[None, :] - 2 * points @ points.T, 0.0)
    costs = gaps * (mass[:, None] * mass[None, :] / (mass[:, None] + mass[None, :]))
    np.fill_diagonal(costs, np.inf)
    for count in range(len(points) - 1, 0, -1):
        one, other = sorted(divmod(int(np.round(costs, 12).argmin()), len(points)))
        # What merging with the merged cluster would add, from what merging with its parts would (Lance and Williams).
        both = mass[one] + mass[other]
        costs[one] = (
            (mass[one] + mass) * costs[one] + (mass[other] + mass) * costs[other] - mass * costs[one, other]
        ) / (both + mass)
        costs[one, one] = np.inf
        costs[:, one] = costs[one]
        costs[other] = costs[:, other] = np.inf
        mass[one] = both
        label[label == other] = one
        divisions[count] = label.copy()
    found: list[Clustering] = []
    distinct = len(np.unique(np.round(points, 9), axis=0))
    for count in range(1, min(most, distinct) + 1):
        settled, left = _settled(points, weights, np.unique(divisions[count], return_inverse=True)[1])
        if settled.max() + 1 < count:
            break
        found.append((settled, left))
    return found


def _settled(points: Array, weights: Array, label: Array) -> Clustering:
    """Move each point to the nearest centre until nothing moves; no cluster is emptied."""
    for _ in range(_ROUNDS):
        distances = _distances(points, weights, label)
        moved = np.round(distances, 12).argmin(axis=1)
        if len(np.unique(moved)) <= label.max() or (moved == label).all():
            break
        label = moved
    distances = _distances(points, weights, label)
    return label, float((weights * distances[np.arange(len(points)), label]).sum())


def _distances(points: Array, weights: Array, label: Array) -> Array:
    centres = np.stack(
        [np.average(points[label == one], axis=0, weights=weights[label == one]) for one in range(label.max() + 1)]
    )
    distances: Array = ((points[:, None, :] - centres[None, :, :]) ** 2).sum(axis=2)
    return distances

"""Clusters of weighted points: Ward's method, then moved to the nearest centre until nothing moves."""

from typing import TypeAlias

import numpy as np

from rankcast.plain import Array

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

"""Ward's method and what settles after it."""

from itertools import product

import numpy as np
import pytest

from rankcast.fuzzy.clustering import best_clusters


def best_of_all(points, weights, count):
    """The least variance of all divisions, by trying them."""
    least = np.inf
    for label in product(range(count), repeat=len(points)):
        if len(set(label)) == count:
            left = 0.0
            for one in range(count):
                at = np.array(label) == one
                centre = np.average(points[at], axis=0, weights=weights[at])
                left += (weights[at] * ((points[at] - centre) ** 2).sum(axis=1)).sum()
            least = min(least, left)
    return least


@pytest.mark.parametrize("seed", range(10))
def test_near_the_best_division_of_all(seed):
    random = np.random.default_rng(seed)
    points, weights = random.random((7, 3)), random.integers(1, 9, 7).astype(float)
    for count, (label, left) in enumerate(best_clusters(points, weights, 3), 1):
        assert label.max() + 1 == count
        assert left <= 1.35 * best_of_all(points, weights, count) + 1e-12


def test_equal_points_are_one_cluster():
    points = np.array([[0.0, 1.0]] * 3 + [[1.0, 0.0]] * 2)
    assert [label.max() + 1 for label, _ in best_clusters(points, np.ones(5), 5)] == [1, 2]

"""The best clusters of a line, against trying all divisions."""

from itertools import combinations, pairwise
from random import Random

import pytest

from rankcast.fuzzy.clustering import best_divisions


def cost(points, centre):
    return sum(weight * (x - centre) ** 2 for x, weight in points)


def tried(points, k):
    best = float("inf")
    for cuts in combinations(range(1, len(points)), k - 1):
        total = 0.0
        for start, end in pairwise([0, *cuts, len(points)]):
            part = points[start:end]
            total += cost(part, sum(x * w for x, w in part) / sum(w for _, w in part))
        best = min(best, total)
    return best


@pytest.mark.parametrize("seed", range(5))
def test_no_division_is_better(seed):
    random = Random(seed)
    places = sorted(random.sample(range(512), 11))
    points = [((place + 0.5) / 512, random.randint(1, 5)) for place in places]
    for k, (centres, left) in enumerate(best_divisions(points, 5), 1):
        assert left == pytest.approx(tried(points, k), abs=1e-12)
        assert centres == sorted(centres)
        assert len(centres) == k
        nearest = sum(weight * min((x - centre) ** 2 for centre in centres) for x, weight in points)
        assert nearest == pytest.approx(left, abs=1e-9)


def test_more_clusters_leave_less():
    random = Random(9)
    points = [(random.random(), 1) for _ in range(2_000)]
    left = [cost for _, cost in best_divisions(points, 6)]
    assert left == sorted(left, reverse=True)


def test_no_more_clusters_than_places():
    assert len(best_divisions([(0.0, 3), (1.0, 1)], 5)) == 2
    assert best_divisions([(0.5, 3)], 5) == [([0.5], 0.0)]

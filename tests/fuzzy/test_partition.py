"""From clusters to concepts: they share the axis, and each holds the middle of its cluster fully."""

from random import Random

import pytest

from rankcast.fuzzy import NumberSummary, degree
from rankcast.fuzzy.partition import Cluster, Scale, clusters_of, concepts_of, enough, scale_of
from rankcast.model import LeftShoulder, RightShoulder, Trapezoid


def test_neighbours_cross_at_one_half_between_their_clusters():
    clusters = [Cluster(10, 0, 20, 5, 15), Cluster(10, 30, 60, 40, 50), Cluster(10, 80, 100, 85, 95)]
    low, middle, high = (concept.membership for concept in concepts_of("x", ["a", "b", "c"], clusters))
    assert (low, middle, high) == (LeftShoulder(15, 35), Trapezoid(15, 35, 55, 85), RightShoulder(55, 85))
    assert low.degree(25) == middle.degree(25) == 0.5
    assert middle.degree(70) == high.degree(70) == 0.5


@pytest.mark.parametrize("seed", range(5))
def test_all_degrees_add_up_to_one_and_the_middle_halves_are_full(seed):
    random = Random(seed)
    summary = NumberSummary.of("x", [random.lognormvariate(0, 1.5) for _ in range(500)])
    scale = scale_of(summary)
    clusters = clusters_of(summary, scale, sorted(random.random() for _ in range(4)))
    concepts = concepts_of("x", [f"c{i}" for i in range(len(clusters))], clusters)
    for x, _ in summary.points():
        degrees = [degree(concept.membership, (), x) for concept in concepts]
        assert sum(degrees) == pytest.approx(1) or degrees.count(1.0) > 1
        assert max(degrees) >= 0.5
    for concept, cluster in zip(concepts, clusters, strict=True):
        assert degree(concept.membership, (), cluster.first_quarter) == pytest.approx(1, abs=1e-6)
        assert degree(concept.membership, (), cluster.last_quarter) == pytest.approx(1, abs=1e-6)


def test_clusters_that_touch_give_vertical_sides():
    clusters = [Cluster(3, 1, 1, 1, 1), Cluster(3, 1.000001, 2, 1.000001, 2)]
    first, second = (concept.membership for concept in concepts_of("x", ["a", "b"], clusters))
    assert first.degree(1) == 1
    assert second.degree(2) == 1
    assert max(first.degree(1.0000005), second.degree(1.0000005)) >= 0.5


def test_one_cluster_is_no_concept():
    assert concepts_of("x", ["a"], [Cluster(9, 0, 1, 0, 1)]) == []


def test_skewed_numbers_are_seen_on_a_logarithmic_scale():
    random = Random(3)
    assert scale_of(NumberSummary.of("price", [random.lognormvariate(10, 1) for _ in range(2_000)])).log
    assert not scale_of(NumberSummary.of("size", [random.uniform(-1, 1) for _ in range(2_000)])).log
    assert not scale_of(NumberSummary.of("year", [2024 - random.lognormvariate(2, 1) for _ in range(2_000)])).log
    assert scale_of(NumberSummary.of("x", [5, 5, 5])) is None


def test_zeros_do_not_stop_the_logarithm():
    random = Random(4)
    scale = scale_of(NumberSummary.of("bids", [0] * 50 + [random.lognormvariate(3, 1) for _ in range(950)]))
    assert scale.log
    assert scale.place(0) == 0


def test_outliers_are_moved_to_where_the_others_end():
    scale = scale_of(NumberSummary.of("x", [*range(1_000), 10**9]))
    assert scale.high < 1_000
    assert scale.place(10**9) == 1


def test_a_place_and_back():
    for scale in (Scale(10, 1_000, log=True), Scale(-5, 5, log=False)):
        assert scale.number(scale.place(4.5 if not scale.log else 45)) == pytest.approx(4.5 if not scale.log else 45)


@pytest.mark.parametrize(
    ("unexplained", "count"),
    [
        ([1, 0.3634, 0.1902, 0.1175, 0.0799], 4),  # a bell
        ([1, 0.25, 0.1111, 0.0625, 0.04], 3),  # evenly spread
        ([1, 0.02, 0.015, 0.01, 0.008], 2),  # two groups apart
        ([1, 0.2, 0.1, 0.001, 0.0009], 4),  # four groups apart
        ([1, 0.25, 0.1, 0.05, 0.0004], 5),  # five groups apart
        ([1, 0.005, 0.0001], 2),  # what is left is noise
        ([1, 0.5, 0.4], 3),  # never enough: all that may be
    ],
)
def test_how_many_are_enough(unexplained, count):
    assert enough(unexplained) == count

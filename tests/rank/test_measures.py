import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rankcast.rank.measures import Distances, Place, count_at, distances, entropy, fairness, places

counts = st.lists(st.integers(0, 1000), min_size=1, max_size=20)


def test_the_examples_of_the_thesis():
    assert round(entropy([20, 30, 50]), 5) == 1.48548
    assert round(fairness([20, 30, 50]), 5) == 0.87719


def test_of_nothing():
    assert entropy([]) == entropy([0, 0]) == 0
    assert fairness([]) == fairness([0, 0]) == 1
    assert distances([]) == distances([["a"], ["b"]]) == Distances(0, 0, 0)


def test_places_that_got_nothing_lower_fairness_but_not_entropy():
    assert entropy([5, 5, 0, 0]) == 1
    assert fairness([5, 5, 0, 0]) == 0.5


@given(counts)
def test_bounds(found):
    assert 0 <= entropy(found) <= math.log2(len(found)) + 1e-9
    assert 1 / len(found) - 1e-9 <= fairness(found) <= 1 + 1e-9


@given(st.integers(1, 1000), st.integers(1, 20))
def test_equal_shares_are_best(share, number):
    assert entropy([share] * number) == pytest.approx(math.log2(number))
    assert fairness([share] * number) == pytest.approx(1)


@given(counts.filter(any), st.integers(2, 9))
def test_only_the_proportions_count(found, factor):
    assert entropy([factor * count for count in found]) == pytest.approx(entropy(found))
    assert fairness([factor * count for count in found]) == pytest.approx(fairness(found))


def test_round_robin_has_the_ideal_distance():
    assert distances([[s] for s in "abcde" * 20]) == Distances(5, 0, 0)


def test_distances_are_counted_in_delivered_events_and_per_place():
    # a at 0, 1, 4: distances 1 and 3; b at 2, 3: distance 1
    found = distances([["a"], ["a"], ["b"], ["b"], ["a"]])
    assert found.mean == pytest.approx(5 / 3)
    assert found.deviation == pytest.approx(math.sqrt(8 / 9))
    assert found.means_deviation == pytest.approx(0.5)  # means 2 and 1


def test_delivery_counts_at_each_of_its_most_specific_subscriptions():
    assert count_at([["a", "b"], ["b"]], "abc") == [1, 2, 0]
    assert distances([["a", "b"], ["c"], ["b", "a"]]).mean == 2


def test_what_is_no_place_does_not_count():
    assert count_at([["gone"], ["a"]], "a") == [1]


def test_subscription_with_children_counts_at_its_implicit_child():
    # thesis 2.4, figure 2.1: drama has children, so an event that is only a drama counts at {drama, OTHER}
    parents = {"drama"}
    everywhere = places(["drama", "short drama", "comedy"], parents)
    assert everywhere == (Place("drama", other=True), Place("short drama"), Place("comedy"))
    delivered = [places(specific, parents) for specific in (["drama"], ["short drama"], ["short drama", "comedy"])]
    assert count_at(delivered, everywhere) == [1, 2, 1]
    assert [place.label() for place in everywhere] == ["drama, OTHER", "short drama", "comedy"]

"""semantics: Preference: F, the rank of an event out of the scores of its most specific subscriptions."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rankcast.errors import ModelError
from rankcast.model import Aggregate
from rankcast.rank import event_rank


@pytest.mark.parametrize(
    ("aggregate", "expected"),
    [
        (Aggregate.MAX, 0.75),
        (Aggregate.MIN, 0.25),
        (Aggregate.MEAN, 0.5),
        (Aggregate.WEIGHTED, 0.40625),
    ],
)
def test_each_aggregate(aggregate, expected):
    assert event_rank([0.25, 0.5, 0.75], [4.0, 3.0, 1.0], aggregate) == expected


def test_the_default_is_max():
    assert event_rank([0.2, 0.9], [1.0, 1.0]) == 0.9


@pytest.mark.parametrize("aggregate", Aggregate)
def test_one_score_is_the_rank(aggregate):
    assert event_rank([0.7], [3.0], aggregate) == 0.7


def test_huge_weights_do_not_overflow():
    assert event_rank([0.0, 1.0], [1.7e308, 1.7e308], Aggregate.WEIGHTED) == 0.5


def test_no_scores_have_no_rank():
    with pytest.raises(ModelError, match="no subscription matches"):
        event_rank([], [], Aggregate.MAX)


def test_each_score_needs_a_weight():
    with pytest.raises(ModelError, match="2 scores with 1 weights"):
        event_rank([0.1, 0.2], [1.0], Aggregate.MAX)


@given(st.data(), st.sampled_from(Aggregate))
def test_the_order_does_not_matter_and_the_rank_lies_between(data, aggregate):
    pairs = data.draw(st.lists(st.tuples(st.floats(0, 1), st.floats(0.01, 100)), min_size=1, max_size=8))
    scores, weights = zip(*pairs, strict=True)
    shuffled = zip(*data.draw(st.permutations(pairs)), strict=True)
    rank = event_rank(scores, weights, aggregate)
    assert event_rank(*shuffled, aggregate) == rank
    assert min(scores) - 1e-12 <= rank <= max(scores) + 1e-12


@given(st.lists(st.floats(0, 1), min_size=1, max_size=6), st.integers(0, 5), st.sampled_from(Aggregate))
def test_f_is_monotone(scores, place, aggregate):
    weights = [1.0 + i for i in range(len(scores))]
    better = list(scores)
    better[place % len(scores)] = 1.0
    assert event_rank(better, weights, aggregate) >= event_rank(scores, weights, aggregate) - 1e-12

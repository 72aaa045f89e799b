"""semantics: Diversity: greedy, improved by swaps; at least as good as greedy, always."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rankcast.choose import DivRank, Exact, Greedy, Improved


@given(
    st.lists(
        st.tuples(st.integers(0, 10).map(lambda n: n / 10), st.sampled_from("abcd"), st.sampled_from("xyz")),
        min_size=2,
        max_size=10,
    ),
    st.integers(1, 8),
    st.sampled_from([0, 0.25, 0.5, 0.9, 1]),
)
def test_exact_is_at_least_improved_is_at_least_greedy(candidate, movies, k, sigma):
    candidates = [candidate(seq, rank, g=genre, d=who) for seq, (rank, genre, who) in enumerate(movies, 1)]
    k = min(k, len(candidates) - 1)
    objective = DivRank(sigma)
    greedy, improved, exact = (
        round(objective.value(optimizer.select(candidates, k, objective)), 12)
        for optimizer in (Greedy(), Improved(), Exact())
    )
    assert greedy <= improved <= exact


@given(
    st.lists(st.tuples(st.floats(0, 1), st.sampled_from("abcd")), min_size=2, max_size=8),
    st.integers(1, 7),
    st.floats(0, 1),
)
def test_no_single_swap_makes_it_better(candidate, movies, k, sigma):
    candidates = [candidate(seq, rank, g=genre) for seq, (rank, genre) in enumerate(movies, 1)]
    k = min(k, len(candidates) - 1)
    objective = DivRank(sigma)
    chosen = Improved().select(candidates, k, objective)
    value = round(objective.value(chosen), 12)
    for leaving in chosen:
        for entering in candidates:
            if entering not in chosen:
                swapped = [each for each in chosen if each is not leaving] + [entering]
                assert round(objective.value(swapped), 12) <= value


def test_a_swap_mends_what_greedy_got_wrong(candidate):
    # greedy cannot leave the pair that it began with, e2 and e3
    stream = [
        candidate(1, 0.9, x="b", y="a"),
        candidate(2, 0.7, x="a", y="c"),
        candidate(3, 0.9, x="b", y="a"),
        candidate(4, 0.7, x="b", y="c"),
    ]
    objective = DivRank(0.5)
    greedy = Greedy().select(stream, 3, objective)
    improved = Improved().select(stream, 3, objective)
    assert objective.value(greedy) == pytest.approx(2.3 / 6 + 1 / 3)
    assert objective.value(improved) == pytest.approx(2.5 / 6 + 1 / 3)


def test_equal_swaps_are_left_alone(candidate):
    same = [candidate(seq, 0.5, genre="drama") for seq in range(1, 5)]
    objective = DivRank(0.5)
    assert Improved().select(same, 2, objective) == Greedy().select(same, 2, objective)

"""semantics: Diversity: the papers' Algorithm 1."""

import itertools

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rankcast.choose import DivRank, Greedy, MaxMin


def ids(candidates):
    return [candidate.event.id for candidate in candidates]


@pytest.fixture(scope="module")
def figure_5(candidate):
    movies = [("comedy", 0.9), ("drama", 0.8), ("drama", 0.8), ("drama", 0.8), ("horror", 0.7), ("sci-fi", 0.6)]
    return [candidate(seq, rank, genre=genre) for seq, (genre, rank) in enumerate(movies, 1)]


def test_the_example_of_spec_3_in_its_order(figure_5):
    assert ids(Greedy().select(figure_5, 4, DivRank(0.5))) == ["e1", "e4", "e5", "e6"]


def test_the_gains_of_the_example(figure_5):
    objective = DivRank(0.5)
    chosen = [figure_5[0], figure_5[3]]
    gains = [
        objective.gain(each, min(objective.apart(each, member) for member in chosen))
        for each in (figure_5[1], figure_5[2], figure_5[4], figure_5[5])
    ]
    assert gains == pytest.approx([0.4, 0.4, 0.85, 0.8])


def test_one_is_the_best_ranked_the_most_recent_of_equals(figure_5, candidate):
    assert ids(Greedy().select(figure_5, 1, DivRank(0.5))) == ["e1"]
    assert ids(Greedy().select([*figure_5, candidate(7, 0.9)], 1, DivRank(0.5))) == ["e7"]
    assert ids(Greedy().select(figure_5, 1, DivRank(0))) == ["e6"]


def test_the_more_recent_pair(candidate):
    same = [candidate(seq, 0.5, genre="drama") for seq in (1, 2, 3, 4)]
    assert ids(Greedy().select(same, 2, DivRank(0.5))) == ["e3", "e4"]


def test_of_pairs_with_the_same_sum_the_one_with_the_latest(candidate):
    # only e1-e4 and e2-e3 are far apart
    stream = [
        candidate(1, 0.5, x="a", y="p"),
        candidate(2, 0.5, x="a", y="q"),
        candidate(3, 0.5, x="b", y="p"),
        candidate(4, 0.5, x="b", y="q"),
    ]
    assert sorted(ids(Greedy().select(stream, 2, DivRank(0)))) == ["e1", "e4"]


def test_a_difference_below_the_grid_is_a_tie(candidate):
    close = [candidate(1, 0.3 + 1e-14, x="a"), candidate(2, 0.3, x="a"), candidate(3, 0.9, x="b"), candidate(4, 0.1)]
    assert sorted(ids(Greedy().select(close, 2, DivRank(0.5)))) == ["e2", "e3"]


def naive(candidates, k, sigma, objective):
    """Algorithm 1 as it is written, with every minimum computed anew."""
    d = objective.apart
    pairs = [(a, b) for a in candidates for b in candidates if a.seq < b.seq]
    chosen = list(
        max(
            pairs,
            key=lambda p: (
                round(sigma * (p[0].rank + p[1].rank) / 2 + (1 - sigma) * d(*p), 12),
                p[0].seq + p[1].seq,
                p[1].seq,
            ),
        )
    )
    while len(chosen) < k:
        rest = [each for each in candidates if each not in chosen]
        chosen.append(
            max(
                rest,
                key=lambda e: (round(sigma * e.rank + (1 - sigma) * min(d(e, m) for m in chosen), 12), e.seq),
            )
        )
    return chosen


MOVIES = st.lists(
    st.tuples(st.integers(0, 20).map(lambda n: n / 20), st.sampled_from("abc"), st.sampled_from("xy")),
    min_size=3,
    max_size=10,
)


@given(MOVIES, st.integers(2, 9), st.sampled_from([0, 0.25, 0.5, 0.9, 1]))
def test_greedy_is_algorithm_1(candidate, movies, k, sigma):
    candidates = [candidate(seq, rank, g=genre, d=who) for seq, (rank, genre, who) in enumerate(movies, 1)]
    k = min(k, len(candidates) - 1)
    objective = DivRank(sigma)
    chosen = Greedy().select(candidates, k, objective)
    assert {each.seq for each in chosen} == {each.seq for each in naive(candidates, k, sigma, objective)}
    assert len(chosen) == k


@given(MOVIES, st.integers(1, 9))
def test_without_diversity_greedy_is_the_plain_top_k(candidate, movies, k):
    candidates = [candidate(seq, rank, g=genre, d=who) for seq, (rank, genre, who) in enumerate(movies, 1)]
    k = min(k, len(candidates) - 1)
    top = sorted(candidates, key=lambda each: (each.rank, each.seq), reverse=True)[:k]
    assert {each.seq for each in Greedy().select(candidates, k, DivRank(1))} == {each.seq for each in top}


@given(MOVIES, st.sampled_from([0, 0.25, 0.5, 0.9, 1]), st.sampled_from([DivRank, MaxMin]))
def test_of_candidates_without_positions_the_first_of_equal_pairs(candidate, movies, sigma, kind):
    candidates = [candidate(0, rank, g=genre, d=who) for rank, genre, who in movies]
    objective = kind(sigma)
    first, second = max(itertools.combinations(candidates, 2), key=lambda pair: round(objective.pair(*pair), 12))
    chosen = Greedy.select_plainly(candidates, 2, objective)
    assert chosen[0] is first
    assert chosen[1] is second


def test_pairs_whose_ranks_are_too_low_are_not_compared(candidate):
    candidates = [candidate(seq, seq / 100, genre=seq) for seq in range(1, 101)]
    objective = DivRank(0.5)
    assert [each.seq for each in Greedy.select_plainly(candidates, 2, objective)] == [99, 100]
    assert len(objective.distance) == 1

"""semantics: Diversity: set diversity and set rank."""

import itertools

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rankcast.choose import Distance, DivRank, MaxMin
from rankcast.errors import ModelError


@pytest.fixture(scope="module")
def three(candidate):
    return [candidate(1, 0.9, genre="comedy"), candidate(2, 0.6, genre="drama"), candidate(3, 0.3, genre="drama")]


def test_div_is_the_mean_distance_over_all_pairs(three):
    assert DivRank(0.5).div(three) == pytest.approx(2 / 3)


def test_fewer_than_two_have_no_diversity(three):
    assert DivRank(0.5).div([]) == DivRank(0.5).div(three[:1]) == 0


@pytest.mark.parametrize(("sigma", "expected"), [(0, 2 / 3), (0.5, 0.3 + 1 / 3), (0.25, 0.15 + 0.5), (1, 0.6)])
def test_value_weighs_rank_against_diversity(three, sigma, expected):
    assert DivRank(sigma).value(three) == pytest.approx(expected)


def test_the_empty_set_is_worth_nothing():
    assert DivRank(0.5).value([]) == DivRank(1).value([]) == 0


def test_pair_is_the_value_of_two(three):
    for sigma in (0, 0.3, 1):
        assert DivRank(sigma).pair(*three[:2]) == pytest.approx(DivRank(sigma).value(three[:2]))


def test_gain_weighs_rank_against_the_nearest(three):
    assert DivRank(0.5).gain(three[1], 0.4) == pytest.approx(0.5)


def test_weights_and_attributes_of_the_distance_count(candidate):
    a, b = candidate(1, 0, genre="x", title="p"), candidate(2, 0, genre="x", title="q")
    assert DivRank(0, Distance({"genre": 3})).value([a, b]) == 0.25
    assert DivRank(0, Distance(attributes=["genre"])).value([a, b]) == 0


def test_rank_alone_computes_no_distance(three):
    objective = DivRank(1)
    objective.value(three)
    objective.pair(*three[:2])
    assert objective.by_rank_alone
    assert len(objective.distance) == 0


def test_forget_drops_remembered_distances(three):
    objective = DivRank(0.5)
    objective.value(three)
    objective.forget(three[0])
    assert len(objective.distance) == 1


@pytest.mark.parametrize("sigma", [-0.1, 1.1, float("nan")])
def test_sigma_outside_0_to_1_is_refused(sigma):
    with pytest.raises(ModelError, match="sigma is"):
        DivRank(sigma)


@given(
    st.lists(st.tuples(st.floats(0, 1), st.sampled_from("abc")), min_size=2, max_size=6),
    st.floats(0, 1),
    st.sampled_from([DivRank, MaxMin]),
)
def test_no_set_is_worth_more_than_its_bound(candidate, movies, sigma, kind):
    candidates = [candidate(seq, rank, genre=genre) for seq, (rank, genre) in enumerate(movies, 1)]
    objective = kind(sigma)
    for k in range(1, len(candidates) + 1):
        for chosen in itertools.combinations(candidates, k):
            for begun in range(k):
                bound = objective.bound(chosen[:begun], candidates[candidates.index(chosen[begun]) :], k)
                assert objective.value(chosen) <= bound + 1e-12


@given(st.lists(st.tuples(st.floats(0, 1), st.sampled_from("abc")), max_size=6), st.floats(0, 1), st.randoms())
def test_value_does_not_depend_on_the_order(candidate, movies, sigma, random):
    chosen = [candidate(seq, rank, genre=genre) for seq, (rank, genre) in enumerate(movies, 1)]
    shuffled = random.sample(chosen, len(chosen))
    assert DivRank(sigma).value(shuffled) == DivRank(sigma).value(chosen)

"""semantics: Diversity: selecting k of n, whichever the optimizer."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rankcast.choose import DivRank, Exact, Greedy, Improved, Selection, select
from rankcast.errors import ModelError

OPTIMIZERS = [Greedy(), Improved(), Exact()]
MOVIES = st.lists(
    st.tuples(st.integers(0, 10).map(lambda n: n / 10), st.sampled_from("abc"), st.sampled_from("xy")), max_size=9
)


def ids(selection):
    return [candidate.event.id for candidate in selection.chosen]


@pytest.mark.parametrize("optimizer", OPTIMIZERS)
def test_the_example_of_spec_3(candidate, optimizer):
    movies = [("comedy", 0.9), ("drama", 0.8), ("drama", 0.8), ("drama", 0.8), ("horror", 0.7), ("sci-fi", 0.6)]
    candidates = [candidate(seq, rank, genre=genre) for seq, (genre, rank) in enumerate(movies, 1)]
    found = select(candidates, 4, DivRank(0.5), optimizer)
    assert ids(found) == ["e1", "e4", "e5", "e6"]
    assert found.value == pytest.approx(0.5 * 0.75 + 0.5)


def test_greedy_is_the_default(candidate):
    candidates = [candidate(seq, 0.5, x=str(seq % 3)) for seq in range(1, 8)]
    assert select(candidates, 3, DivRank(0.5)) == select(candidates, 3, DivRank(0.5), Greedy())


@pytest.mark.parametrize("optimizer", OPTIMIZERS)
@pytest.mark.parametrize("sigma", [0, 0.5, 1])
def test_not_more_than_k_are_all_chosen(candidate, optimizer, sigma):
    three = tuple(candidate(seq, 0.1 * seq, x=str(seq)) for seq in (1, 2, 3))
    for k in (3, 4, 100):
        assert select(three[::-1], k, DivRank(sigma), optimizer).chosen == three
    assert select([], 2, DivRank(sigma), optimizer) == Selection((), 0.0)


def test_k_below_1_is_refused():
    with pytest.raises(ModelError, match="k is 0; it must be at least 1"):
        select([], 0, DivRank(1))


def test_without_diversity_no_distance_is_computed(candidate):
    objective = DivRank(1)
    select([candidate(seq, 0.5, x=str(seq)) for seq in range(1, 50)], 5, objective)
    assert len(objective.distance) == 0


@pytest.mark.parametrize("optimizer", OPTIMIZERS)
@given(movies=MOVIES, k=st.integers(1, 6))
def test_without_diversity_it_is_the_top_k_by_rank_then_seq(candidate, optimizer, movies, k):
    candidates = [candidate(seq, rank, g=genre, d=who) for seq, (rank, genre, who) in enumerate(movies, 1)]
    top = sorted(candidates, key=lambda each: (each.rank, each.seq), reverse=True)[:k]
    found = select(candidates, k, DivRank(1), optimizer)
    assert found.chosen == tuple(sorted(top, key=lambda each: each.seq))
    # the shortcut is what the optimizer would have found
    if k < len(candidates):
        slow = optimizer.select(candidates, k, DivRank(1))
        assert sorted(each.seq for each in slow) == [each.seq for each in found.chosen]


@pytest.mark.parametrize("optimizer", OPTIMIZERS)
@given(movies=MOVIES, k=st.integers(1, 6), sigma=st.sampled_from([0, 0.3, 0.5, 1]), random=st.randoms())
def test_the_order_of_the_candidates_does_not_matter(candidate, optimizer, movies, k, sigma, random):
    candidates = [candidate(seq, rank, g=genre, d=who) for seq, (rank, genre, who) in enumerate(movies, 1)]
    shuffled = random.sample(candidates, len(candidates))
    found = select(candidates, k, DivRank(sigma), optimizer)
    assert select(shuffled, k, DivRank(sigma), optimizer) == found
    assert len(found.chosen) == min(k, len(candidates))
    assert list(found.chosen) == sorted(found.chosen, key=lambda each: each.seq)
    assert found.value == DivRank(sigma).value(found.chosen)

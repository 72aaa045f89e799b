"""semantics: Diversity: the best subset of all."""

import itertools
import random
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rankcast.choose import DivRank, Exact, Improved, MaxMin, select


def brute_force(candidates, k, objective):
    def key(chosen):
        seqs = sorted((each.seq for each in chosen), reverse=True)
        return round(objective.value(chosen), 12), sum(seqs), seqs

    return sorted(each.seq for each in max(itertools.combinations(candidates, k), key=key))


def seqs(chosen):
    return sorted(each.seq for each in chosen)


@given(
    st.lists(
        st.tuples(st.integers(0, 10).map(lambda n: n / 10), st.sampled_from("abc"), st.sampled_from("xy")),
        min_size=2,
        max_size=9,
    ),
    st.integers(1, 8),
    st.sampled_from([0, 0.25, 0.5, 0.9, 1]),
    st.sampled_from([DivRank, MaxMin]),
)
def test_exact_is_the_best_of_all_subsets(candidate, movies, k, sigma, kind):
    candidates = [candidate(seq, rank, g=genre, d=who) for seq, (rank, genre, who) in enumerate(movies, 1)]
    k = min(k, len(candidates) - 1)
    objective = kind(sigma)
    assert seqs(Exact().select(candidates, k, objective)) == brute_force(candidates, k, objective)


def test_of_equal_sets_the_most_recent(candidate):
    same = [candidate(seq, 0.5, genre="drama") for seq in range(1, 9)]
    assert seqs(Exact().select(same, 3, DivRank(0.5))) == [6, 7, 8]


def test_it_finds_what_no_swap_finds(candidate):
    stream = [
        candidate(1, 0.5, x="b", y="a"),
        candidate(2, 0.5, x="c", y="c"),
        candidate(3, 0.7, x="c", y="a"),
        candidate(4, 0.9, x="a", y="b"),
        candidate(5, 0.5, x="b", y="b"),
    ]
    objective = DivRank(0.5)
    assert objective.value(Improved().select(stream, 3, objective)) == pytest.approx(0.35 + 5 / 12)
    chosen = Exact().select(stream, 3, objective)
    assert seqs(chosen) == [1, 2, 4]
    assert objective.value(chosen) == pytest.approx(1.9 / 6 + 1 / 2)


class Oldest:
    """The poorest start there is."""

    def select(self, candidates, k, objective):
        return list(candidates[:k])


@pytest.mark.parametrize("ranks", [1, 2, 5, 1000])
@pytest.mark.parametrize("kinds", [1, 2, 4])
def test_it_owes_nothing_to_its_start(candidate, monkeypatch, ranks, kinds):
    monkeypatch.setattr("rankcast.choose.exact.Improved", Oldest)
    draw = random.Random(ranks * 10 + kinds)
    for sigma in (0, 0.2, 0.5, 0.8, 0.99):
        for k in (1, 2, 3, 4):
            stream = [
                candidate(
                    seq, draw.randrange(ranks) / ranks, a=str(draw.randrange(kinds)), b=str(draw.randrange(kinds))
                )
                for seq in range(1, 10)
            ]
            objective = DivRank(sigma)
            assert seqs(Exact().select(stream, k, objective)) == brute_force(stream, k, objective)


def test_of_equal_sums_the_set_with_the_latest_even_if_it_starts_with_the_other(candidate, monkeypatch):
    class Middle:
        def select(self, candidates, k, objective):
            return list(candidates[1:3])

    monkeypatch.setattr("rankcast.choose.exact.Improved", Middle)
    # only e2-e5 and e3-e4 are far apart
    stream = [
        candidate(2, x="a", y="p"),
        candidate(3, x="a", y="q"),
        candidate(4, x="b", y="p"),
        candidate(5, x="b", y="q"),
    ]
    assert seqs(Exact().select(stream, 2, DivRank(0.5))) == [2, 5]


@pytest.mark.parametrize("kinds", [1, 3, 20])
def test_eight_of_twenty_take_seconds_at_most(candidate, kinds):
    draw = random.Random(kinds)
    stream = [
        candidate(seq, draw.randrange(kinds) / kinds, **{name: str(draw.randrange(kinds)) for name in "abcd"})
        for seq in range(1, 21)
    ]
    begun = time.perf_counter()
    assert len(Exact().select(stream, 8, DivRank(0.5))) == 8
    assert time.perf_counter() - begun < 20


def random_stream(candidate, count, kinds=4):
    draw = random.Random(count)
    return [
        candidate(seq, draw.randrange(10) / 10, **{name: str(draw.randrange(kinds)) for name in "abcd"})
        for seq in range(1, count + 1)
    ]


def test_the_proof_says_nodes_and_bound(candidate):
    stream = random_stream(candidate, 30)
    selection = select(stream, 15, DivRank(0.5), Exact())
    proof = selection.proof
    assert proof.is_optimal
    assert proof.value == selection.value == pytest.approx(proof.bound)
    assert proof.nodes > 0
    assert select(stream, 15, DivRank(0.5), Improved()).proof is None


@pytest.mark.parametrize("k", [5, 10])
def test_windows_of_fifty_take_a_few_thousand_nodes(candidate, k):
    proof = Exact(10_000).prove(random_stream(candidate, 50), k, DivRank(0.5))
    assert proof.is_optimal


@pytest.mark.parametrize("objective", [DivRank(0.5), MaxMin(0.5)])
def test_after_its_limit_it_says_what_it_may_have_missed(candidate, objective):
    stream = random_stream(candidate, 12)
    best = Exact().prove(stream, 5, objective)
    for limit in (0, 1, 5, 20):
        stopped = Exact(limit).prove(stream, 5, objective)
        assert stopped.nodes <= limit + 1
        assert stopped.value <= best.value <= stopped.bound + 1e-12

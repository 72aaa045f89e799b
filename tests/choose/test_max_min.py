"""Another objective through the same seam: the nearest pair counts."""

import itertools
import random

import pytest

from rankcast.choose import DivRank, Exact, Greedy, Improved, MaxMin, select
from rankcast.choose.modes import objective_of
from rankcast.errors import ModelError
from rankcast.language import decode_record


@pytest.fixture(scope="module")
def twins(candidate):
    return [
        candidate(1, 0.9, x="a", y="a"),
        candidate(2, 0.9, x="a", y="a"),
        candidate(3, 0.5, x="b", y="b"),
        candidate(4, 0.4, x="c", y="c"),
    ]


def test_value_is_rank_and_the_nearest_pair(twins):
    assert MaxMin(0.5).value(twins[:3]) == pytest.approx(0.5 * 2.3 / 3)
    assert MaxMin(0.5).value(twins[1:]) == pytest.approx(0.5 * 0.6 + 0.5)
    assert MaxMin(0.5).value(twins[:1]) == pytest.approx(0.45)
    assert MaxMin(0.5).value([]) == 0


def test_it_takes_no_twins_where_the_mean_does(twins):
    chosen = [select(twins, 3, kind(0.8), Exact()).chosen for kind in (MaxMin, DivRank)]
    assert [[each.seq for each in some] for some in chosen] == [[2, 3, 4], [1, 2, 3]]


@pytest.mark.parametrize("optimizer", [Greedy(), Improved(), Exact()])
def test_all_optimizers_take_it(twins, optimizer):
    assert [each.seq for each in select(twins, 3, MaxMin(0.2), optimizer).chosen] == [2, 3, 4]


def test_by_rank_alone_no_distance_counts(twins):
    assert [each.seq for each in select(twins, 2, MaxMin(1)).chosen] == [1, 2]


def test_sigma_lies_in_0_1():
    with pytest.raises(ModelError, match="sigma is 2"):
        MaxMin(2)


@pytest.mark.parametrize("seed", range(8))
def test_swaps_are_those_of_trying_them_all(candidate, seed):
    chance = random.Random(seed)
    pool = [
        candidate(seq, chance.choice([0.2, 0.5, 0.9]), x=chance.choice("abc"), y=chance.choice("abcd"))
        for seq in range(1, 13)
    ]

    class Unknown(MaxMin):
        """The same objective, whose swaps are tried one by one."""

    for k in (1, 2, 4):
        for sigma in (0.0, 0.4):
            found = select(pool, k, MaxMin(sigma), Improved())
            with pytest.MonkeyPatch.context() as patched:
                patched.setattr("rankcast.choose.improved.MaxMin", type("Other", (), {}))
                assert select(pool, k, Unknown(sigma), Improved()).chosen == found.chosen
            assert found.value >= select(pool, k, MaxMin(sigma)).value - 1e-12
            best = max(MaxMin(sigma).value(each) for each in itertools.combinations(pool, k))
            assert select(pool, k, MaxMin(sigma), Exact()).value == pytest.approx(best)


def test_a_policy_asks_for_it():
    policy = decode_record({"kind": "policy", "user": "ann", "objective": "max_min", "sigma": 0.5})
    assert isinstance(objective_of(policy), MaxMin)

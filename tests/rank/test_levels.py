"""semantics: Preference: levels by winnow, and their scores."""

import itertools

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rankcast.errors import CatalogError, ModelError, PreferenceCycle
from rankcast.model import Always, Levels, Preference, Subscription
from rankcast.rank import level_score, levels, scores


def prefer(*pairs):
    return [Preference("addison", *pair.split(">")) for pair in pairs]


def subscriptions(*names, **given_scores):
    return [Subscription(name, "addison", Always(), given_scores.get(name)) for name in names]


SEVEN = ["s1", "s2", "s3", "s4", "s5", "s6", "s7"]
FIGURE_3 = prefer("s1>s4", "s2>s4", "s2>s5", "s3>s6", "s5>s7")


def test_the_example_of_the_paper_gives_thirds():
    assert scores(subscriptions(*SEVEN), FIGURE_3, Levels.LINEAR) == {
        **dict.fromkeys(["s1", "s2", "s3"], 1.0),
        **dict.fromkeys(["s4", "s5", "s6"], 2 / 3),
        "s7": 1 / 3,
    }


def test_a_subscription_that_no_pair_names_is_at_level_1():
    assert levels(["s1", "s2", "s3"], prefer("s1>s2")) == {"s1": 1, "s2": 2, "s3": 1}


def test_the_longest_chain_decides_the_level():
    assert levels(["a", "b", "c"], prefer("a>c", "a>b", "b>c")) == {"a": 1, "b": 2, "c": 3}


def test_a_pair_given_twice_counts_once():
    assert levels(["a", "b"], prefer("a>b", "a>b")) == {"a": 1, "b": 2}


def test_without_pairs_everything_scores_1():
    for way in Levels:
        assert scores(subscriptions("a", "b"), [], way) == {"a": 1.0, "b": 1.0}
    assert scores([], [], Levels.LINEAR) == {}


def test_a_given_score_stands_and_the_level_scores_the_others():
    found = scores(subscriptions("a", "b", "c", b=0.9, c=0.0), prefer("a>b", "b>c"), Levels.LINEAR)
    assert found == {"a": 1.0, "b": 0.9, "c": 0.0}


@pytest.mark.parametrize(
    ("way", "expected"),
    [
        (Levels.LINEAR, {"a": 1.0, "b": 2 / 3, "c": 1 / 3}),
        (Levels.INVERSE, {"a": 1.0, "b": 1 / 2, "c": 1 / 3}),
        (Levels.HALVING, {"a": 1.0, "b": 1 / 2, "c": 1 / 4}),
    ],
)
def test_g_is_pluggable(way, expected):
    assert scores(subscriptions("a", "b", "c"), prefer("a>b", "b>c"), way) == expected


@pytest.mark.parametrize("way", Levels)
@pytest.mark.parametrize("count", [1, 2, 7, 40])
def test_g_falls_strictly_within_0_and_1(way, count):
    values = [level_score(way, level, count) for level in range(1, count + 1)]
    assert values[0] == 1
    assert all(high > low > 0 for high, low in itertools.pairwise(values))


@pytest.mark.parametrize("level", [0, 4, -1])
def test_a_level_outside_the_count_is_refused(level):
    with pytest.raises(ModelError, match=rf"level is {level}; it must lie in 1\.\.3"):
        level_score(Levels.LINEAR, level, 3)


@pytest.mark.parametrize(
    ("pairs", "cycle"),
    [
        (["a>a"], ("a",)),
        (["a>b", "b>a"], ("a", "b")),
        (["d>b", "b>c", "c>d", "a>b", "d>e"], ("b", "c", "d")),
    ],
)
def test_a_cycle_is_an_error_that_prints_it(pairs, cycle):
    with pytest.raises(PreferenceCycle, match=" > ".join([*cycle, cycle[0]])) as caught:
        levels(["a", "b", "c", "d", "e"], prefer(*pairs))
    assert (caught.value.user, caught.value.cycle) == ("addison", cycle)


def test_an_unknown_subscription_is_an_error():
    with pytest.raises(CatalogError, match=r"user 'addison' has no subscription 'drana'; did you mean 'drama'\?"):
        levels(["drama", "comedy"], prefer("comedy>drana"))


@given(st.sets(st.tuples(st.integers(0, 7), st.integers(0, 7)).filter(lambda pair: pair[0] < pair[1])))
def test_levels_are_repeated_winnow(pairs):
    names = [f"s{i}" for i in range(8)]
    relation = {(f"s{i}", f"s{j}") for i, j in pairs}
    left, expected, level = set(names), {}, 1
    while left:
        best = {name for name in left if not any((other, name) in relation for other in left)}
        expected |= dict.fromkeys(best, level)
        left -= best
        level += 1
    assert levels(names, [Preference("u", *pair) for pair in sorted(relation)]) == expected


@given(st.lists(st.tuples(st.integers(0, 5), st.integers(0, 5)), unique=True))
def test_every_cycle_reported_is_one_of_the_given_pairs(pairs):
    relation = {(f"s{i}", f"s{j}") for i, j in pairs}
    try:
        found = levels([f"s{i}" for i in range(6)], [Preference("u", f"s{i}", f"s{j}") for i, j in pairs])
    except PreferenceCycle as error:
        circle = [*error.cycle, error.cycle[0]]
        assert set(itertools.pairwise(circle)) <= relation
    else:
        assert all(found[better] < found[worse] for better, worse in relation)


def test_a_long_chain_needs_no_recursion():
    names = [f"s{i}" for i in range(5000)]
    found = levels(names, [Preference("u", *pair) for pair in itertools.pairwise(names)])
    assert found["s4999"] == 5000

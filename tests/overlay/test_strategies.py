"""The five strategies: the example of semantics: Producer-side top-k, their definitions in a poset, shares that sum to one."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rankcast.cover import Poset
from rankcast.language import parse
from rankcast.model import Advertisement, Between, Expression, Predicate, Ranking, Subscription
from rankcast.overlay import STRATEGIES, AncestorFairK, Area, KnownSubscription, Order, Standing, Weight
from rankcast.testing.strategies import conjunctions

TABLE = {
    "s1": "x between 1 and 10 and y between 1 and 10",
    "s2": "x between 1 and 10 and y between 1 and 5",
    "s3": "x between 3 and 7 and y between 1 and 8",
    "s4": "x between 9 and 10 and y between 9 and 10",
    "s5": "x between 1 and 5 and y between 1 and 5",
    "s6": "x between 3 and 10 and y between 2 and 4",
    "s7": "x between 3 and 6 and y between 1 and 5",
}


def subscribed(texts: dict[str, str]) -> list[KnownSubscription]:
    return [KnownSubscription(Subscription(name, "u", parse(text))) for name, text in texts.items()]


def order(standing: Standing, ranking: Ranking = Ranking.RELEVANCE) -> Order:
    return Order(standing, ranking, Area(Advertisement("a1", "p", parse("true"), 1)))


def sent(name: str, known: list[KnownSubscription], k: int, ranking: Ranking = Ranking.RELEVANCE) -> list[str]:
    strategy = STRATEGIES[name]
    found = strategy.forward(known, order(strategy.standing, ranking), k)
    return sorted(one.subscription.id for one in found)


@pytest.mark.parametrize(
    ("name", "k", "expected"),
    [
        ("regular-cover", 2, "s1"),
        ("regular", 2, "s1 s2 s3 s4 s5 s6 s7"),
        ("rank-cover", 1, "s1"),
        ("rank-cover", 2, "s1 s2 s3 s4"),
        ("rank-cover", 3, "s1 s2 s3 s4 s5 s6 s7"),
        ("ancestor-cover", 1, "s1"),
        ("ancestor-cover", 2, "s1 s2 s3 s4"),
        ("ancestor-cover", 3, "s1 s2 s3 s4 s5 s6"),
        ("ancestor-fair", 3, "s1 s2 s3 s4 s5 s6"),
    ],
)
def test_the_paper_s_example(name: str, k: int, expected: str) -> None:
    assert sent(name, subscribed(TABLE), k) == expected.split()
    assert sent(name, subscribed(TABLE)[::-1], k) == expected.split()


@pytest.mark.parametrize("name", ["rank-cover", "ancestor-cover"])
@pytest.mark.parametrize("ranking", [Ranking.FAIR, Ranking.DIVERSE])
def test_where_no_rank_can_be_proved_all_are_forwarded(name: str, ranking: Ranking) -> None:
    assert sent(name, subscribed(TABLE), 1, ranking) == sorted(TABLE)


def test_a_tie_is_no_rank_if_the_lot_decides_it() -> None:
    known = subscribed({"s1": "x > 0", "s2": "x > 0"})
    assert sent("ancestor-cover", known, 1) == ["s1"]
    assert sent("ancestor-cover", known, 1, Ranking.RELEVANCE_FAIR_TIES) == ["s1", "s2"]
    assert sent("ancestor-fair", known, 1, Ranking.RELEVANCE_FAIR_TIES) == ["s1"]


def test_a_covering_subscription_of_lower_score_hides_nothing() -> None:
    known = [
        KnownSubscription(Subscription("s1", "u", parse("x > 0"))),
        KnownSubscription(Subscription("s2", "u", parse("x > 5"), weight=2)),
    ]
    by_weight = Order(Standing.RANK, Ranking.RELEVANCE, Weight())
    assert len(STRATEGIES["ancestor-cover"].forward(known, by_weight, 1)) == 2


narrow = st.tuples(st.integers(0, 5), st.integers(0, 4)).map(
    lambda pair: Predicate("a", Between(pair[0], pair[0] + pair[1]))
)
known_lists = st.lists(st.one_of(narrow, conjunctions()), max_size=10)
box_lists = st.lists(narrow, max_size=14)


@settings(max_examples=60)
@given(st.one_of(box_lists, known_lists), st.integers(1, 4))
def test_as_defined_in_the_poset(wheres: list[Expression], k: int) -> None:
    known = [KnownSubscription(Subscription(f"s{number:02}", "u", where)) for number, where in enumerate(wheres)]
    poset: Poset[Subscription] = Poset(order(Standing.RANK).stands_above)
    for one in known:
        poset.add(one.subscription.id, one.subscription)
    assert sent("rank-cover", known, k) == [name for name in poset if poset.depth(name) <= k]
    assert sent("ancestor-cover", known, k) == [name for name in poset if len(poset.ancestors(name)) < k]


@given(st.one_of(box_lists, known_lists), st.integers(1, 3))
def test_shares_sum_to_one(wheres: list[Expression], k: int) -> None:
    known = [
        KnownSubscription(Subscription(f"s{number}", "u", where), 1.0 + number) for number, where in enumerate(wheres)
    ]
    found = AncestorFairK().forward(known, order(Standing.TIES, Ranking.FAIR), k)
    assert sum(one.weight for one in found) == pytest.approx(sum(one.weight for one in known))


def test_one_that_can_never_be_chosen_has_no_share() -> None:
    known = subscribed({"s1": "x between 0 and 9", "s2": "x between 0 and 9", "s3": "x between 1 and 2"})
    found = AncestorFairK().forward(known, order(Standing.TIES, Ranking.RELEVANCE_FAIR_TIES), 1)
    assert [(one.subscription.id, one.weight) for one in found] == [("s1", 2)]

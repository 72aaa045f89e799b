"""Which subscriptions stand above which: a strict partial order, and sound by its definition."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rankcast.cover import covers
from rankcast.language import parse
from rankcast.model import Advertisement, Between, Expression, Predicate, Ranking, Subscription
from rankcast.overlay import Area, Custom, KnownSubscription, MatchDegree, Order, Scorer, Standing, Weight
from rankcast.testing.strategies import conjunctions

AREA = Area(Advertisement("a1", "p", parse("true"), 1))


def subscribed(name: str, text: str, weight: float = 1.0) -> Subscription:
    return Subscription(name, "u", parse(text), weight=weight)


WIDE, NARROW, TWIN = subscribed("s1", "x > 0"), subscribed("s2", "x > 1 and x < 5"), subscribed("s3", "x > 0")


@pytest.mark.parametrize(
    ("standing", "ranking", "scorer", "above", "twin"),
    [
        (Standing.COVER, Ranking.RELEVANCE, AREA, True, True),
        (Standing.RANK, Ranking.RELEVANCE, AREA, True, True),
        (Standing.RANK, Ranking.RELEVANCE, Weight(), True, True),
        (Standing.RANK, Ranking.RELEVANCE, MatchDegree(), False, False),
        (Standing.RANK, Ranking.RELEVANCE, Custom(lambda event, subscription, degree: 1), False, False),
        (Standing.RANK, Ranking.RELEVANCE_FAIR_TIES, AREA, True, False),
        (Standing.RANK, Ranking.RELEVANCE_FAIR_TIES, Weight(), False, False),
        (Standing.RANK, Ranking.FAIR, AREA, False, False),
        (Standing.RANK, Ranking.DIVERSE, AREA, False, False),
        (Standing.TIES, Ranking.FAIR, AREA, True, True),
        (Standing.TIES, Ranking.RELEVANCE_FAIR_TIES, Weight(), True, True),
        (Standing.TIES, Ranking.DIVERSE, AREA, False, False),
    ],
)
def test_what_is_claimed(standing: Standing, ranking: Ranking, scorer: Scorer, above: bool, twin: bool) -> None:
    order = Order(standing, ranking, scorer)
    assert order.stands_above(WIDE, NARROW) is above
    assert order.stands_above(NARROW, WIDE) is False
    assert order.stands_above(WIDE, TWIN) is twin
    assert order.stands_above(TWIN, WIDE) is False


def test_a_bounded_custom_scorer_is_believed() -> None:
    by_id = Custom(lambda event, one, degree: -int(one.id[1:]), lambda one: (-int(one.id[1:]), -int(one.id[1:])))
    order = Order(Standing.RANK, Ranking.RELEVANCE_FAIR_TIES, by_id)
    assert order.stands_above(WIDE, NARROW)
    assert not order.stands_above(subscribed("s9", "x > 0"), NARROW)


intervals = st.tuples(st.integers(0, 4), st.integers(0, 4)).map(
    lambda pair: Predicate("a", Between(pair[0], sum(pair)))
)


@settings(max_examples=50)
@given(st.lists(st.one_of(intervals, conjunctions()), max_size=6), st.sampled_from(Standing), st.sampled_from(Ranking))
def test_a_strict_partial_order_that_its_listing_follows(
    wheres: list[Expression], standing: Standing, ranking: Ranking
) -> None:
    order = Order(standing, ranking, AREA)
    given_ones = [Subscription(f"s{number}", "u", where) for number, where in enumerate(wheres)]
    listed = [entry.known.subscription for entry in order.entries(map(KnownSubscription, given_ones))]
    assert sorted(one.id for one in listed) == [one.id for one in given_ones]
    place = {one.id: at for at, one in enumerate(listed)}
    for one in listed:
        assert not order.stands_above(one, one)
        for other in listed:
            if order.stands_above(one, other):
                assert covers(one.where, other.where)
                assert place[one.id] < place[other.id]
                assert not order.stands_above(other, one)
                assert all(order.stands_above(one, third) for third in listed if order.stands_above(other, third))

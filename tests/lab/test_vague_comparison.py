"""Vague subscriptions against their crisp counterparts, by the condo of the A-ToPSS paper and at random."""

from datetime import UTC, datetime

from hypothesis import given
from hypothesis import strategies as st

from rankcast.lab.vague_comparison import compare_vague, vague_subscriptions
from rankcast.language import parse
from rankcast.model import Catalog, Concept, Event, Interval, LeftShoulder, Subscription, Term

NOON = datetime(2026, 1, 1, 12, tzinfo=UTC)


def catalog_with(*wheres: str) -> Catalog:
    catalog = Catalog([Concept("cheap", "price", LeftShoulder(1000, 2000))])
    for number, where in enumerate(wheres):
        catalog.add(Subscription(f"s{number}", "ann", parse(where)))
    return catalog


def counts(catalog: Catalog, *prices) -> tuple[int, int, int]:
    events = [Event(f"e{at}", NOON, {"price": price}) for at, price in enumerate(prices)]
    return compare_vague(catalog, vague_subscriptions(catalog, 10, 10), events)[2:]


def test_a_crisp_value_is_accepted_from_the_threshold_or_from_the_core_on():
    catalog = catalog_with("price is cheap", "price <= 500")
    assert [one.id for one in vague_subscriptions(catalog, 10, 10)] == ["s0"]
    assert counts(catalog, (900,), (1400,), (1600,)) == (2, 2, 1)


def test_a_range_may_be_cheap_though_its_middle_is_not():
    catalog = catalog_with("price is cheap")
    assert counts(catalog, Interval(1000, 2400)) == (1, 0, 0)
    assert counts(catalog, Interval(800, 1000)) == (1, 1, 1)
    assert counts(catalog, Term("cheap")) == (1, 1, 1)


def test_a_pessimist_gets_less_than_a_crisp_system_says():
    assert counts(catalog_with("price is cheap [0.5, 0.5]"), Interval(900, 1900)) == (0, 1, 0)


@given(st.lists(st.integers(0, 3000), min_size=1, max_size=20))
def test_for_crisp_values_the_cut_at_the_thresholds_is_the_subscription(prices):
    vague, at_thresholds, at_core = counts(catalog_with("price is cheap [0.3, 0]"), *((price,) for price in prices))
    assert vague == at_thresholds >= at_core

"""Fuzzy subscriptions in orders: posets and most specific ones over mined concepts, against plain evaluation."""

from datetime import UTC, datetime
from random import Random

import pytest

from rankcast.cover import Poset, relate
from rankcast.cover.relation import Relation
from rankcast.fuzzy import NumberSummary, mine
from rankcast.lab.datasets import listings
from rankcast.language import parse
from rankcast.matching import evaluate, matches
from rankcast.model import Catalog, Event, Interval, Subscription, Trapezoid
from rankcast.rank import Specificity

NOON = datetime(2026, 1, 1, 12, tzinfo=UTC)
WORDS = {
    "price": ["cheap", "fair", "expensive", "luxurious"],
    "size": ["small", "medium", "large", "huge"],
}


@pytest.fixture(scope="module")
def flats():
    return list(listings(limit=3_000))


@pytest.fixture(scope="module")
def catalog(flats):
    found = []
    for attribute in WORDS:
        mined = mine(
            NumberSummary.of(attribute, [flat.attributes[attribute][0] for flat in flats]), names=WORDS[attribute]
        )
        found += mined.concepts
    return Catalog(found)


def random_wish(random: Random) -> str:
    def part() -> str:
        attribute = random.choice(list(WORDS))
        hedges = random.choice(["", "", "very ", "somewhat ", "not "])
        return f"{attribute} is {hedges}{random.choice(WORDS[attribute])} [{random.choice([0.3, 0.5, 0.8])}, 0]"

    wish = " and ".join(part() for _ in range(random.choice([1, 1, 2])))
    return random.choice([wish, wish, f"{wish} and price <= {random.randint(4, 12)}00000"])


def test_a_cover_is_never_broken_by_a_flat(catalog, flats):
    random = Random(1)
    wishes = [parse(random_wish(random)) for _ in range(40)]
    found = [{flat.id for flat in flats if matches(wish, flat, catalog.membership)} for wish in wishes]
    covers = 0
    for i, one in enumerate(wishes):
        for j, other in enumerate(wishes):
            relation = relate(one, other, catalog.membership)
            if relation in (Relation.COVERS, Relation.EQUAL):
                covers += i != j
                assert found[j] <= found[i]
            if relation is Relation.DISJOINT:
                assert not found[i] & found[j]
    assert covers > 20


def test_posets_put_the_more_demanding_below(catalog):
    poset = Poset(meaning=catalog.membership)
    texts = {
        "cheap": "price is cheap",
        "cheaper": "price is cheap [0.8, 0]",
        "very": "price is very cheap [0.9, 0]",
        "small": "price is cheap and size is small",
        "fair": "price is fair [0.9, 0]",
    }
    for name, text in texts.items():
        poset.add(name, parse(text))
    assert set(poset.roots()) == {"cheap", "fair"}
    assert set(poset.descendants("cheap")) == {"cheaper", "very", "small"}
    assert poset.parents("very") == ("cheaper",)


def test_the_most_specific_speak_for_a_flat(catalog):
    wishes = [
        Subscription("cheap", "u", parse("price is cheap")),
        Subscription("cheap and small", "u", parse("price is cheap and size is small [0.7, 0]")),
        Subscription("surely small", "u", parse("size is very small")),
    ]
    specific = Specificity(wishes, catalog.membership)
    assert specific.most_specific(["cheap", "cheap and small"]) == ("cheap and small",)
    assert specific.most_specific(["cheap", "surely small"]) == ("cheap", "surely small")


def test_of_one_word_the_order_also_holds_for_imprecise_values(catalog):
    # In general covering is about crisp values; that of thresholds and of `very` does not depend on it.
    random = Random(2)
    pairs = [
        ("price is cheap [0.4, 0]", "price is cheap [0.7, 0]"),
        ("price is fair [0.5, 0.1]", "price is fair [0.5, 0.4]"),
        ("price is fair", "price is very fair"),
    ]
    for general, special in pairs:
        assert relate(parse(general), parse(special), catalog.membership) in (Relation.COVERS, Relation.EQUAL)
        for _ in range(200):
            corners = sorted(random.uniform(2e5, 1e6) for _ in range(4))
            value = random.choice([Trapezoid(*corners), Interval(*corners[:2])])
            event = Event("e", NOON, {"price": value})
            if evaluate(parse(special), event, catalog.membership).holds:
                assert evaluate(parse(general), event, catalog.membership).holds

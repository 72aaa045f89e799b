from dataclasses import replace
from datetime import UTC, datetime

import pytest

from rankcast.errors import CatalogError, PreferenceCycle
from rankcast.model import (
    Advertisement,
    Always,
    Catalog,
    Compare,
    Concept,
    Event,
    Is,
    Mode,
    Op,
    Policy,
    Predicate,
    Preference,
    Subscription,
    Term,
    Trapezoid,
)

DRAMA = Predicate("genre", Compare(Op.EQ, "drama"))
CHEAP = Predicate("price", Is(Term("cheap")))
CONCEPT = Concept("cheap", "price", Trapezoid(0, 0, 500, 900))


def test_ids_are_unique_and_put_replaces():
    catalog = Catalog([Subscription("s1", "ann", DRAMA)])
    with pytest.raises(CatalogError, match="duplicate subscription 's1'"):
        catalog.add(Subscription("s1", "ann", Always()))
    catalog.put(Subscription("s1", "ann", Always()))
    assert catalog.subscriptions_of("ann") == [Subscription("s1", "ann", Always())]
    with pytest.raises(CatalogError, match="belongs to another user, 'ann'"):
        catalog.put(Subscription("s1", "bob", DRAMA))


def test_a_preference_names_the_users_own_subscriptions():
    catalog = Catalog([Subscription("s1", "ann", DRAMA), Subscription("s2", "bob", DRAMA)])
    with pytest.raises(CatalogError, match="user 'ann' has no subscription 's2'"):
        catalog.add(Preference("ann", "s1", "s2"))


def test_a_circle_of_preferences_is_refused_and_printed():
    catalog = Catalog([Subscription(name, "ann", DRAMA) for name in ("a", "b", "c", "d")])
    catalog.add(Preference("ann", "a", "b"))
    catalog.add(Preference("ann", "b", "c"))
    catalog.add(Preference("ann", "b", "d"))
    with pytest.raises(PreferenceCycle, match="c > a > b > c"):
        catalog.add(Preference("ann", "c", "a"))
    with pytest.raises(PreferenceCycle, match="a > a"):
        catalog.add(Preference("ann", "a", "a"))
    assert len(catalog.preferences_of("ann")) == 3


def test_concepts_must_be_known_and_users_may_have_their_own():
    catalog = Catalog()
    with pytest.raises(CatalogError, match="no concept 'cheap' on attribute 'price'"):
        catalog.add(Subscription("s1", "ann", CHEAP))
    catalog.add(CONCEPT)
    catalog.add(Concept("cheap", "price", Trapezoid(0, 0, 50, 90), user="ann"))
    assert catalog.membership("price", Term("cheap"), "ann") == Trapezoid(0, 0, 50, 90)
    assert catalog.membership("price", Term("cheap"), "bob") == CONCEPT.membership
    with pytest.raises(CatalogError, match="did you mean 'cheap'"):
        catalog.check_event(Event("e1", datetime(2026, 1, 1, tzinfo=UTC), {"price": Term("cheep")}))


def test_a_concept_in_use_stays():
    catalog = Catalog([CONCEPT, Subscription("s1", "ann", CHEAP)])
    with pytest.raises(CatalogError, match="in use by subscription 's1'"):
        catalog.remove(CONCEPT)
    assert catalog.membership("price", Term("cheap")) == CONCEPT.membership
    catalog.remove(Subscription("s1", "ann", CHEAP))
    catalog.add(Advertisement("a1", "shop", CHEAP, 10))
    with pytest.raises(CatalogError, match="in use by advertisement 'a1'"):
        catalog.remove(CONCEPT)
    catalog.remove(Advertisement("a1", "shop", CHEAP, 10))
    catalog.remove(CONCEPT)
    assert list(catalog.records()) == []


def test_a_subscription_takes_its_preferences_with_it():
    catalog = Catalog(
        [Subscription("s1", "ann", DRAMA), Subscription("s2", "ann", DRAMA), Preference("ann", "s1", "s2")]
    )
    catalog.remove(catalog.subscriptions["s2"])
    assert catalog.preferences_of("ann") == []
    assert catalog.users() == ["ann"]
    catalog.remove(catalog.subscriptions["s1"])
    assert catalog.users() == []
    with pytest.raises(CatalogError, match="there is no subscription 's1'"):
        catalog.remove(Subscription("s1", "ann", DRAMA))


def test_records_come_in_an_order_that_add_takes_again():
    catalog = Catalog(
        [
            CONCEPT,
            Subscription("s1", "ann", CHEAP),
            Subscription("s2", "ann", DRAMA),
            Preference("ann", "s1", "s2"),
            Policy("ann"),
            Advertisement("a1", "shop", CHEAP, 10),
        ]
    )
    assert list(Catalog(list(catalog.records())).records()) == list(catalog.records())


def test_a_user_without_a_policy_gets_everything():
    assert Catalog().policy_of("ann").mode is Mode.ALL


def test_a_user_has_the_shared_concepts_and_own_ones_as_they_change():
    catalog, own = Catalog([CONCEPT]), replace(CONCEPT, user="ann")
    assert (catalog.concepts_of("ann"), catalog.concepts_of(None)) == ([CONCEPT], [CONCEPT])
    catalog.put(own)
    catalog.put(replace(CONCEPT, user="bob"))
    assert (catalog.concepts_of("ann"), catalog.concepts_of(None)) == ([CONCEPT, own], [CONCEPT])
    assert list(catalog.alone("ann").concepts.values()) == [CONCEPT, own]
    catalog.remove(own)
    assert catalog.concepts_of("ann") == [CONCEPT]


def test_a_copy_changes_on_its_own():
    catalog = Catalog(
        [Subscription("s1", "ann", DRAMA), Subscription("s2", "ann", DRAMA), Preference("ann", "s1", "s2")]
    )
    copy = catalog.copy()
    assert list(copy.records()) == list(catalog.records())
    copy.remove(copy.subscriptions["s1"])
    assert len(catalog.subscriptions_of("ann")) == 2
    assert len(catalog.preferences_of("ann")) == 1

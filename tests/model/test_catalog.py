from dataclasses import replace
from datetime import UTC, datetime

import pytest

from rankcast import model
from rankcast.errors import CatalogError, PreferenceCycle

DRAMA = model.Predicate("genre", model.Compare(model.Op.EQ, "drama"))
CHEAP = model.Predicate("price", model.Is(model.Term("cheap")))
CONCEPT = model.Concept("cheap", "price", model.Trapezoid(0, 0, 500, 900))


def test_ids_are_unique_and_put_replaces():
    catalog = model.Catalog([model.Subscription("s1", "ann", DRAMA)])
    with pytest.raises(CatalogError, match="duplicate subscription 's1'"):
        catalog.add(model.Subscription("s1", "ann", model.Always()))
    catalog.put(model.Subscription("s1", "ann", model.Always()))
    assert catalog.subscriptions_of("ann") == [model.Subscription("s1", "ann", model.Always())]
    with pytest.raises(CatalogError, match="belongs to another user, 'ann'"):
        catalog.put(model.Subscription("s1", "bob", DRAMA))


def test_a_preference_names_the_users_own_subscriptions():
    catalog = model.Catalog([model.Subscription("s1", "ann", DRAMA), model.Subscription("s2", "bob", DRAMA)])
    with pytest.raises(CatalogError, match="user 'ann' has no subscription 's2'"):
        catalog.add(model.Preference("ann", "s1", "s2"))


def test_a_circle_of_preferences_is_refused_and_printed():
    catalog = model.Catalog([model.Subscription(name, "ann", DRAMA) for name in ("a", "b", "c", "d")])
    catalog.add(model.Preference("ann", "a", "b"))
    catalog.add(model.Preference("ann", "b", "c"))
    catalog.add(model.Preference("ann", "b", "d"))
    with pytest.raises(PreferenceCycle, match="c > a > b > c"):
        catalog.add(model.Preference("ann", "c", "a"))
    with pytest.raises(PreferenceCycle, match="a > a"):
        catalog.add(model.Preference("ann", "a", "a"))
    assert len(catalog.preferences_of("ann")) == 3


def test_concepts_must_be_known_and_users_may_have_their_own():
    catalog = model.Catalog()
    with pytest.raises(CatalogError, match="no concept 'cheap' on attribute 'price'"):
        catalog.add(model.Subscription("s1", "ann", CHEAP))
    catalog.add(CONCEPT)
    catalog.add(model.Concept("cheap", "price", model.Trapezoid(0, 0, 50, 90), user="ann"))
    assert catalog.membership("price", model.Term("cheap"), "ann") == model.Trapezoid(0, 0, 50, 90)
    assert catalog.membership("price", model.Term("cheap"), "bob") == CONCEPT.membership
    with pytest.raises(CatalogError, match="did you mean 'cheap'"):
        catalog.check_event(model.Event("e1", datetime(2026, 1, 1, tzinfo=UTC), {"price": model.Term("cheep")}))


def test_a_concept_in_use_stays():
    catalog = model.Catalog([CONCEPT, model.Subscription("s1", "ann", CHEAP)])
    with pytest.raises(CatalogError, match="in use by subscription 's1'"):
        catalog.remove(CONCEPT)
    assert catalog.membership("price", model.Term("cheap")) == CONCEPT.membership
    catalog.remove(model.Subscription("s1", "ann", CHEAP))
    catalog.add(model.Advertisement("a1", "shop", CHEAP, 10))
    with pytest.raises(CatalogError, match="in use by advertisement 'a1'"):
        catalog.remove(CONCEPT)
    catalog.remove(model.Advertisement("a1", "shop", CHEAP, 10))
    catalog.remove(CONCEPT)
    assert list(catalog.records()) == []


def test_a_subscription_takes_its_preferences_with_it():
    catalog = model.Catalog(
        [
            model.Subscription("s1", "ann", DRAMA),
            model.Subscription("s2", "ann", DRAMA),
            model.Preference("ann", "s1", "s2"),
        ]
    )
    catalog.remove(catalog.subscriptions["s2"])
    assert catalog.preferences_of("ann") == []
    assert catalog.users() == ["ann"]
    catalog.remove(catalog.subscriptions["s1"])
    assert catalog.users() == []
    with pytest.raises(CatalogError, match="there is no subscription 's1'"):
        catalog.remove(model.Subscription("s1", "ann", DRAMA))


def test_records_come_in_an_order_that_add_takes_again():
    catalog = model.Catalog(
        [
            CONCEPT,
            model.Subscription("s1", "ann", CHEAP),
            model.Subscription("s2", "ann", DRAMA),
            model.Preference("ann", "s1", "s2"),
            model.Policy("ann"),
            model.Advertisement("a1", "shop", CHEAP, 10),
        ]
    )
    assert list(model.Catalog(list(catalog.records())).records()) == list(catalog.records())


def test_a_user_without_a_policy_gets_everything():
    assert model.Catalog().policy_of("ann").mode is model.Mode.ALL


def test_a_user_has_the_shared_concepts_and_own_ones_as_they_change():
    catalog, own = model.Catalog([CONCEPT]), replace(CONCEPT, user="ann")
    assert (catalog.concepts_of("ann"), catalog.concepts_of(None)) == ([CONCEPT], [CONCEPT])
    catalog.put(own)
    catalog.put(replace(CONCEPT, user="bob"))
    assert (catalog.concepts_of("ann"), catalog.concepts_of(None)) == ([CONCEPT, own], [CONCEPT])
    assert list(catalog.alone("ann").concepts.values()) == [CONCEPT, own]
    catalog.remove(own)
    assert catalog.concepts_of("ann") == [CONCEPT]


def test_a_copy_changes_on_its_own():
    catalog = model.Catalog(
        [
            model.Subscription("s1", "ann", DRAMA),
            model.Subscription("s2", "ann", DRAMA),
            model.Preference("ann", "s1", "s2"),
        ]
    )
    copy = catalog.copy()
    assert list(copy.records()) == list(catalog.records())
    copy.remove(copy.subscriptions["s1"])
    assert len(catalog.subscriptions_of("ann")) == 2
    assert len(catalog.preferences_of("ann")) == 1

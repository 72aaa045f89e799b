"""The roster keeps slots while subscriptions stay, and tells what another catalog changes."""

import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rankcast.engine.arrays import roster as rosters
from rankcast.engine.arrays.roster import Roster
from rankcast.language import parse
from rankcast.model import Catalog, Concept, LeftShoulder, Norm, Policy, Preference, Subscription


def everybody(user):
    return True


def wish(name, user="ann", where="a = 1"):
    return Subscription(name, user, parse(where))


def names(roster):
    return [roster.subscriptions[slot].id for slot in roster.alive().tolist()]


def test_slots_stay_and_new_ones_follow():
    roster = Roster(everybody)
    first = roster.update(Catalog([wish("s1"), wish("s2", "bob"), wish("s3")]))
    assert first == (["ann", "bob"], [0, 1, 2], [], None)
    second = roster.update(Catalog([wish("s1"), wish("s3", where="a = 2"), wish("s4", "bob")]))
    assert second == (["ann", "bob"], [2, 3], ["s2"], None)
    assert roster.slot_of == {"s1": 0, "s3": 2, "s4": 3}
    users, places = roster.columns(["ann", "bob"])
    assert [(int(users[slot]), int(places[slot])) for slot in (0, 2, 3)] == [(0, 0), (0, 1), (1, 0)]


def test_nothing_changes_for_nobody():
    catalog = Catalog([wish("s1"), Policy("ann", k=2)])
    roster = Roster(everybody)
    roster.update(catalog)
    assert roster.update(catalog.copy()) == ([], [], [], None)
    assert roster.update(Catalog([wish("s1"), Policy("ann", k=2)])) == ([], [], [], None)


def test_what_is_put_back_comes_last():
    catalog = Catalog([wish("s1"), wish("s2"), wish("s3", "bob")])
    roster = Roster(everybody)
    roster.update(catalog)
    catalog.remove(wish("s1"))
    catalog.add(wish("s4"))
    catalog.add(wish("s1"))
    changes = roster.update(catalog)
    assert names(roster) == ["s2", "s3", "s4", "s1"]
    assert changes == (["ann"], [3, 4], [], None)


def test_policies_and_preferences_concern_their_user():
    catalog = Catalog([wish("s1"), wish("s2"), wish("s3", "bob"), Policy("bob", k=1)])
    roster = Roster(everybody)
    roster.update(catalog)
    catalog.add(Preference("ann", "s1", "s2"))
    assert roster.update(catalog).users == ["ann"]
    catalog.put(Policy("bob", norm=Norm.PRODUCT))
    assert roster.update(catalog).users == ["bob"]
    catalog.remove(Policy("bob"))
    catalog.remove(Preference("ann", "s1", "s2"))
    assert roster.update(catalog).users == ["ann", "bob"]


def test_another_meaning_concerns_those_who_use_the_word():
    cheap = Concept("cheap", "price", LeftShoulder(1, 2))
    catalog = Catalog([cheap, wish("s1", where="price is cheap"), wish("s2", "bob", "price is cheap"), wish("s3")])
    roster = Roster(everybody)
    roster.update(catalog)
    catalog.put(Concept("cheap", "price", LeftShoulder(1, 3), user="bob"))
    assert roster.update(catalog) == (["bob"], [1], [], None)
    catalog.put(Concept("cheap", "price", LeftShoulder(0, 1)))
    assert roster.update(catalog) == (["ann", "bob"], [0, 1], [], None)


def test_a_subscription_that_another_user_takes_over():
    roster = Roster(lambda user: user != "away")
    roster.update(Catalog([wish("s1"), wish("s2", "away")]))
    assert roster.slot_of == {"s1": 0}
    assert roster.update(Catalog([wish("s1", "away"), wish("s2", "bob")])) == (["ann", "bob"], [1], ["s1"], None)
    assert roster.slot_of == {"s2": 1}


@given(st.integers(0, 10**6))
def test_any_changes_keep_the_order_of_the_catalog(seed):
    chance = random.Random(seed)
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(rosters, "_SPARE", chance.choice([0, 1000]))
        patched.setattr(rosters, "_STRIDE", chance.choice([1, 3]))
        catalog, roster = Catalog(), Roster(lambda user: user != "away")
        shown = {}
        for _ in range(6):
            for _ in range(chance.randrange(5)):
                name = f"s{chance.randrange(8)}"
                there = catalog.subscriptions.get(name)
                if there is not None and chance.random() < 0.6:
                    catalog.remove(there)
                if there is None or chance.random() < 0.5:
                    user = there.user if name in catalog.subscriptions else chance.choice(["ann", "bob", "away"])
                    catalog.put(wish(name, user, f"a = {chance.randrange(3)}"))
            if chance.random() < 0.2:  # another order altogether
                catalog = Catalog(chance.sample([*catalog.subscriptions.values()], len(catalog.subscriptions)))
            changes = roster.update(catalog.copy())
            here = [one for one in catalog.subscriptions.values() if one.user != "away"]
            assert [roster.subscriptions[slot] for slot in roster.alive().tolist()] == here
            if changes.renumbered is not None:
                shown = {int(changes.renumbered[slot]): one for slot, one in shown.items()}
            shown = {slot: one for slot, one in shown.items() if one.id not in changes.removed}
            put = {slot: roster.subscriptions[slot] for slot in changes.put}
            shown = {slot: one for slot, one in shown.items() if one.id not in {each.id for each in put.values()}}
            shown |= put
            assert shown == {slot: roster.subscriptions[slot] for slot in roster.alive().tolist()}
            present = [user for user in ("ann", "bob") if catalog.subscriptions_of(user)]
            users, places = roster.columns(present)
            for number, user in enumerate(present):
                for place, one in enumerate(catalog.subscriptions_of(user)):
                    slot = roster.slot_of[one.id]
                    assert (users[slot], places[slot]) == (number, place)

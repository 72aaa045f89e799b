"""One user traced alone gets exactly what a shard delivers to them among others (semantics: Delivery modes)."""

import random
from datetime import UTC, datetime, timedelta

import pytest

from rankcast.engine.reference.shard import replay
from rankcast.engine.trace import UserReplay, trace
from rankcast.language import parse
from rankcast.model import (
    Advertisement,
    Catalog,
    Concept,
    Event,
    Filter,
    FilterKind,
    LeftShoulder,
    Length,
    Mode,
    Policy,
    Preference,
    Subscription,
)

START = datetime(2026, 1, 1, tzinfo=UTC)
USERS = ("ann", "bob", "cat")


def random_catalog(chance: random.Random) -> Catalog:
    catalog = Catalog(
        [Concept("cheap", "price", LeftShoulder(10, 40)), Advertisement("ad", "shop", parse("true"), k=2)]
    )
    for user in USERS:
        for number in range(4):
            where = chance.choice(["price < 30", "price is cheap", "kind = 'a' or price > 20", "not (kind = 'b')"])
            catalog.add(Subscription(f"{user}-{number}", user, parse(where), chance.choice([None, 0.2, 0.9])))
        catalog.add(Preference(user, f"{user}-0", f"{user}-1"))
        filters = chance.choice([None, Filter(FilterKind.RANDOM, rate=0.6)])
        mode = chance.choice(list(Mode))
        catalog.add(Policy(user, mode=mode, k=2, length=Length(5), sigma=0.5, filter=filters))
    catalog.add(Concept("cheap", "price", LeftShoulder(5, 20), "bob"))
    return catalog


def random_events(chance: random.Random) -> list[Event]:
    return [
        Event(
            f"e{seq}",
            START + timedelta(minutes=seq),
            {"price": (chance.randint(1, 50),), "kind": (chance.choice("abc"),)},
            advertisement=chance.choice([None, "ad", "gone"]),
            seq=seq,
        )
        for seq in range(1, 41)
    ]


@pytest.mark.parametrize("seed", range(8))
def test_a_trace_sends_what_a_shard_delivers(seed: int) -> None:
    chance = random.Random(seed)
    catalog, events = random_catalog(chance), random_events(chance)
    events = [event for event in events if event.advertisement != "gone"]
    for user in USERS:
        alone = UserReplay(catalog, user)
        steps = [step for event in events for step in alone.publish(event).steps] + alone.close()
        sent = [candidate.event.id for step in steps for candidate in step.sent]
        assert sorted(sent) == sorted(one.event for one in replay(catalog, events) if one.user == user)


def test_what_matches_but_is_not_admitted_was_withheld_by_its_publisher() -> None:
    chance = random.Random(3)
    catalog, events = random_catalog(chance), random_events(chance)
    points = [point for user in USERS for point in trace(catalog, user, events)]
    withheld = [point for point in points if point.matched and not point.admitted]
    assert withheld
    assert all(point.event.advertisement == "ad" for point in withheld)


@pytest.mark.parametrize("seed", range(3))
def test_the_part_of_one_user_is_that_user_alone(seed: int) -> None:
    catalog = random_catalog(random.Random(seed))
    for user in USERS:
        alone, part = catalog.alone(user), catalog.part(lambda name, user=user: name == user)
        assert list(alone.records()) == list(part.records()) == list(Catalog(list(part.records())).records())
        assert alone.users() == part.users() == [user]
    assert list(catalog.part(lambda name: True).records()) == list(catalog.records())
    changed = Policy("anybody", mode=Mode.ALL)
    assert catalog.alone("ann", changed).policy_of("ann") == Policy("ann", mode=Mode.ALL)
    assert catalog.alone("nobody").users() == []
    assert {concept.user for concept in catalog.alone(None).concepts.values()} == {None}

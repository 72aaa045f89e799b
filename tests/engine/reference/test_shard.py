"""A shard gives the same results however users are divided or the stream is cut (semantics: Delivery modes)."""

import random
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta

import pytest

from rankcast.engine.reference.shard import Shard, replay, shard_of
from rankcast.model import (
    Advertisement,
    Aggregate,
    Always,
    Catalog,
    Compare,
    Event,
    Filter,
    FilterKind,
    Length,
    Mode,
    Op,
    Policy,
    Predicate,
    Preference,
    ScorePart,
    ScorerName,
    Subscription,
    Unit,
)

START = datetime(2026, 1, 1, tzinfo=UTC)
GENRES = ("comedy", "drama", "horror", "short", "romance")


def like(genre: str) -> Predicate:
    return Predicate("genre", Compare(Op.EQ, genre))


def random_policies(chance: random.Random) -> Iterator[Policy]:
    for number in range(12):
        unit = chance.choice(list(Unit))
        length = (
            Length(timedelta(minutes=chance.randint(2, 30)), unit)
            if unit is Unit.TIME
            else Length(chance.randint(1, 12), unit)
        )
        yield Policy(
            f"user{number}",
            mode=chance.choice([Mode.PERIODIC, Mode.SLIDING, Mode.HISTORY, Mode.ALL]),
            k=chance.randint(1, 4),
            length=length,
            sigma=chance.choice([0.0, 0.5, 1.0]),
            aggregate=chance.choice(list(Aggregate)),
            score=chance.choice([{ScorePart.PREFERENCE: 1.0}, {ScorePart.PREFERENCE: 0.6, ScorePart.NOVELTY: 0.4}]),
            filter=chance.choice(
                [None, Filter(FilterKind.THRESHOLD, rate=0.5, period=6), Filter(FilterKind.RANDOM, rate=0.7)]
            ),
        )


def random_catalog(chance: random.Random) -> Catalog:
    catalog = Catalog()
    for policy in random_policies(chance):
        catalog.add(policy)
        for genre in chance.sample(GENRES, 3):
            score = chance.choice([None, round(chance.random(), 2)])
            catalog.add(Subscription(f"{policy.user}-{genre}", policy.user, like(genre), score))
        first, second, _ = catalog.subscriptions_of(policy.user)
        catalog.add(Preference(policy.user, first.id, second.id))
    return catalog


def random_events(chance: random.Random, count: int) -> list[Event]:
    return [
        Event(
            f"e{seq}",
            START + timedelta(minutes=seq * 2),
            {"genre": tuple(chance.sample(GENRES, chance.randint(1, 2))), "year": (chance.randint(1990, 1995),)},
            seq=seq,
        )
        for seq in range(1, count + 1)
    ]


@pytest.mark.parametrize("seed", range(6))
def test_the_division_of_users_does_not_show(seed):
    chance = random.Random(seed)
    catalog, events = random_catalog(chance), random_events(chance, 60)
    together = replay(catalog, events)
    assert together
    for shards in (2, 3, 7):
        apart = []
        for number in range(shards):
            shard = Shard(catalog, lambda user, number=number, shards=shards: shard_of(user, shards) == number)
            apart += shard.publish(events) + shard.close()
        assert sorted(apart, key=lambda delivery: delivery.order) == together


@pytest.mark.parametrize("seed", range(6))
def test_a_cut_and_a_restart_do_not_show(seed):
    chance = random.Random(100 + seed)
    catalog, events = random_catalog(chance), random_events(chance, 60)
    shard, deliveries = Shard(catalog), []
    for event in events:
        if chance.random() < 0.2:
            state = shard.state()
            shard = Shard(catalog)
            shard.restore(state)
        deliveries += shard.publish([event])
    deliveries += shard.close()
    assert sorted(deliveries, key=lambda delivery: delivery.order) == replay(catalog, events)


def test_a_new_version_of_the_catalog_holds_from_the_next_event_on():
    catalog = Catalog([Subscription("s1", "ann", like("comedy"))])
    comedies = [Event(f"c{seq}", START, {"genre": ("comedy",)}, seq=seq) for seq in (1, 2, 3, 4)]
    shard = Shard(catalog)
    assert [delivery.event for delivery in shard.publish(comedies[:1])] == ["c1"]
    later = Catalog([Subscription("s2", "bob", like("comedy"))])
    assert shard.update(later) == []
    assert [(delivery.user, delivery.event) for delivery in shard.publish(comedies[1:2])] == [("bob", "c2")]


def test_a_changed_period_delivers_what_the_old_one_owed_and_a_changed_k_keeps_it():
    def catalog(**policy):
        return Catalog([Subscription("s1", "ann", like("comedy")), Policy("ann", mode=Mode.PERIODIC, **policy)])

    comedies = [Event(f"c{seq}", START, {"genre": ("comedy",)}, seq=seq) for seq in (1, 2, 3, 4)]
    shard = Shard(catalog(k=1, length=Length(4)))
    assert shard.publish(comedies[:2]) == []
    assert shard.update(catalog(k=2, length=Length(4))) == []
    assert [delivery.event for delivery in shard.update(catalog(k=2, length=Length(10)))] == ["c1", "c2"]
    assert shard.publish(comedies[2:]) == []
    assert [delivery.event for delivery in shard.close()] == ["c3", "c4"]


def test_the_place_of_a_user_never_changes():
    assert [shard_of(user, 4) for user in ("addison", "carson", "meredith")] == [3, 1, 0]


def test_an_advertised_event_goes_to_the_k_best_and_then_their_own_policies_apply():
    catalog = Catalog(
        [
            *(
                Subscription(f"s{number}", f"user{number}", like("comedy"), weight=float(number))
                for number in (1, 2, 3)
            ),
            Policy("user3", mode=Mode.PERIODIC, k=1, length=Length(2)),
            Advertisement("a1", "shop", Always(), k=2, score=ScorerName.WEIGHT),
        ]
    )
    events = [
        Event(f"c{seq}", START, {"genre": ("comedy",)}, seq=seq, advertisement="a1", k=1 if seq == 2 else None)
        for seq in (1, 2)
    ]
    assert [(delivery.event, delivery.user) for delivery in replay(catalog, events)] == [
        ("c1", "user2"),
        ("c2", "user3"),
    ]
    chosen = {"c1": {"s1"}, "c2": {"s1"}}
    assert [delivery.user for delivery in Shard(catalog).publish(events, chosen)] == ["user1", "user1"]

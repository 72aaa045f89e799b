"""The array shard delivers the same as the oracle, in order, with the same state (semantics: Delivery modes)."""

import random
from datetime import UTC, datetime

import msgspec
import pytest

from rankcast.engine.arrays import BatchShard
from rankcast.engine.reference.shard import Shard
from rankcast.model import (
    Advertisement,
    Always,
    Catalog,
    Event,
    Length,
    Mode,
    Policy,
    ScorerName,
    Select,
    Subscription,
    Unit,
)


def plain(state):
    """What a state says; the order in which a filter got to know subscriptions is not part of it."""
    return msgspec.msgpack.decode(state)


def both_serve(chance, oracle, fast, events, cuts=(1, 2, 5, 30)):
    """Publish to both in batches of the same random sizes; each delivers the same, and holds the same after it."""
    start = delivered = 0
    while start < len(events):
        batch = events[start : start + chance.choice(cuts)]
        expected = oracle.publish(batch)
        assert fast.publish(batch) == expected
        assert plain(fast.state()) == plain(oracle.state())
        start += len(batch)
        delivered += len(expected)
    return delivered


@pytest.mark.parametrize("sigma", [1.0, 0.5, 0.0, 1 / 3])
@pytest.mark.parametrize("unit", list(Unit))
@pytest.mark.parametrize("mode", [Mode.PERIODIC, Mode.SLIDING, Mode.HISTORY])
def test_every_mode_unit_and_sigma(worlds, mode, unit, sigma):
    chance = random.Random(f"{mode} {unit} {sigma}")
    catalog = worlds.catalog(chance, users=12, mode=mode, unit=unit, sigma=sigma)
    oracle, fast = Shard(catalog), BatchShard(catalog)
    assert both_serve(chance, oracle, fast, worlds.events(chance, 120))
    assert fast.close() == oracle.close()


@pytest.mark.parametrize("seed", range(6))
def test_all_kinds_of_users_together_with_late_events(worlds, seed):
    chance = random.Random(seed)
    catalog = worlds.catalog(chance, users=15)
    oracle, fast = Shard(catalog), BatchShard(catalog)
    both_serve(chance, oracle, fast, worlds.events(chance, 80, late=0.1))
    assert fast.close() == oracle.close()
    both_serve(chance, oracle, fast, [event.at(event.seq + 1000) for event in worlds.events(chance, 20)])


@pytest.mark.parametrize("seed", range(6))
def test_users_who_change_policy_or_subscriptions(worlds, seed):
    chance = random.Random(seed)
    catalog = worlds.catalog(chance)
    oracle, fast = Shard(catalog), BatchShard(catalog)
    events = worlds.events(chance, 150)
    for start in range(0, len(events), 15):
        both_serve(chance, oracle, fast, events[start : start + 15])
        records = list(catalog.records())
        later = Catalog(records)
        for user in chance.sample(catalog.users(), 4):
            now = catalog.policy_of(user)
            if chance.random() < 0.3:
                later.remove(chance.choice(later.subscriptions_of(user)))
            if chance.random() < 0.3:
                name = f"{user}-new-{start}"
                later.add(Subscription(name, user, chance.choice(worlds.subscriptions(chance, user)).where, 0.6))
            if chance.random() < 0.5:  # the same windows, so that what they hold goes on
                kept = {"mode": now.mode, "length": now.length, "origin": now.origin}
                later.put(worlds.policy(chance, user, **kept, filter=now.filter, score=now.score))
            else:
                later.put(chance.choice([worlds.policy, worlds.odd_policy])(chance, user))
        catalog = later
        assert fast.update(catalog) == oracle.update(catalog)
        assert plain(fast.state()) == plain(oracle.state())
    assert fast.close() == oracle.close()


@pytest.mark.parametrize("seed", range(4))
def test_cut_anywhere_saved_and_restored_by_either_engine(worlds, seed):
    chance = random.Random(seed)
    catalog = worlds.catalog(chance)
    events = worlds.events(chance, 100)
    expected = Shard(catalog)
    served = BatchShard(catalog)
    start = 0
    while start < len(events):
        batch = events[start : start + chance.choice([1, 3, 10])]
        assert served.publish(batch) == expected.publish(batch)
        start += len(batch)
        state = served.state()
        served = chance.choice([BatchShard, BatchShard, Shard])(catalog)
        served.restore(state)
    assert served.close() == expected.close()


def test_only_the_served_users(worlds):
    chance = random.Random(1)
    catalog, events = worlds.catalog(chance), worlds.events(chance, 40)
    oracle, fast = (shard(catalog, lambda user: user in ("user2", "user5")) for shard in (Shard, BatchShard))
    deliveries = fast.publish(events)
    assert deliveries == oracle.publish(events)
    assert {delivery.user for delivery in deliveries} <= {"user2", "user5"}
    assert [*fast.match(events[0])] == [*oracle.match(events[0])]


def test_more_subscriptions_than_bits(worlds):
    chance = random.Random(2)
    catalog = worlds.catalog(chance, users=1, mode=Mode.SLIDING, select=Select.GREEDY)
    for number in range(80):
        where = chance.choice(worlds.subscriptions(chance, "user0")).where
        catalog.add(Subscription(f"more-{number}", "user0", where, chance.random()))
    both_serve(chance, Shard(catalog), BatchShard(catalog), worlds.events(chance, 60))


def test_nothing_is_nothing(worlds):
    catalog = worlds.catalog(random.Random(3))
    fast = BatchShard(catalog)
    assert fast.publish([]) == []
    assert fast.close() == []
    assert BatchShard(Catalog()).publish(worlds.events(random.Random(3), 5)) == []


def test_advertised_events_go_to_the_admitted_only():
    catalog = Catalog(
        [
            *(Subscription(f"s{number}", f"user{number}", Always(), weight=float(number)) for number in range(1, 6)),
            Policy("user4", mode=Mode.PERIODIC, k=1, length=Length(2)),
            Advertisement("a1", "shop", Always(), k=2, score=ScorerName.WEIGHT),
        ]
    )
    start = datetime(2026, 1, 1, tzinfo=UTC)
    events = [Event(f"e{seq}", start, {}, seq=seq, advertisement="a1" if seq % 2 else None) for seq in range(1, 7)]
    assert BatchShard(catalog).publish(events) == Shard(catalog).publish(events)
    chosen = {"e1": {"s1", "s4"}, "e5": {"s2"}}
    assert BatchShard(catalog).publish(events, chosen) == Shard(catalog).publish(events, chosen)

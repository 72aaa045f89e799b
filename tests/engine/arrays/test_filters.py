"""The shard with filters over arrays gives what the plain shard gives, wherever the stream is cut."""

import random
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from time import process_time

import pytest

from rankcast.engine.arrays import BatchShard
from rankcast.engine.arrays.crowd_member import Member
from rankcast.engine.reference.shard import Shard
from rankcast.language import decode_record, parse
from rankcast.model import (
    Catalog,
    Credit,
    Decay,
    Decaying,
    Event,
    Filter,
    FilterKind,
    Length,
    Mode,
    Policy,
    RateSpan,
    Scoring,
    Subscription,
    Unit,
    Update,
)

START = datetime(2026, 1, 1, tzinfo=UTC)
DECAYS = (
    Decaying(alpha=0.1),
    Decaying(Decay.EXPONENTIAL, alpha=0.8, period=Length(7, Unit.EVENTS)),
    Decaying(alpha=0.2, window=Length(timedelta(minutes=20), Unit.TIME)),
)
WHERES = ("g = 'a'", "g = 'b'", "g = 'c'", "g = 'a' and n > 5", "n < 4", "n > 8")


def random_catalog(chance, users=14):
    catalog = Catalog()
    for number in range(users):
        user = f"user{number:02}"
        unit = chance.choice(list(Unit))
        length = Length(timedelta(minutes=9), unit) if unit is Unit.TIME else Length(chance.randint(2, 9), unit)
        catalog.add(
            Policy(
                user,
                chance.choice(list(Mode)),
                chance.randint(1, 3),
                length,
                chance.choice([1.0, 0.5]),
                filter=Filter(
                    chance.choice(list(FilterKind)),
                    0.5,
                    chance.randint(2, 12),
                    chance.choice(list(Scoring)),
                    chance.choice(list(Update)),
                    chance.choice([0.3, 1.0]),
                    chance.choice(list(RateSpan)),
                    credit=chance.choice(list(Credit)),
                    half_life=chance.choice([None, 3]),
                    exact=chance.random() < 0.5,
                ),
                decay=chance.choice(DECAYS),
            )
        )
        for place, where in enumerate(chance.sample(WHERES, 4)):
            catalog.add(Subscription(f"{user}-{place}", user, parse(where), round(chance.random(), 1)))
    return catalog


def random_events(chance, count):
    return [
        Event(
            f"e{seq}",
            START + timedelta(minutes=seq - (3 if chance.random() < 0.05 else 0)),
            {"g": (chance.choice("abc"),), "n": (chance.randint(0, 10),)},
            seq=seq,
        )
        for seq in range(1, count + 1)
    ]


@pytest.mark.parametrize("seed", range(8))
def test_gives_what_the_plain_shard_gives_and_either_goes_on_from_the_others_state(seed):
    chance = random.Random(seed)
    catalog, events = random_catalog(chance), random_events(chance, 150)
    plain, fast = Shard(catalog), BatchShard(catalog)
    expected, found = [], []
    while events:
        size = chance.choice([1, 7, 40])
        part, events = events[:size], events[size:]
        expected += plain.publish(part)
        found += fast.publish(part)
        if chance.random() < 0.3:
            states = plain.state(), fast.state()
            plain, fast = Shard(catalog), BatchShard(catalog)
            plain.restore(states[1])
            fast.restore(states[0])
    assert found + fast.close() == expected + plain.close()
    assert found


def test_a_new_version_of_the_catalog_keeps_what_the_filter_knows():
    chance = random.Random(99)
    catalog, events = random_catalog(chance), random_events(chance, 120)
    later = Catalog(list(catalog.records()))
    for user in ("user00", "user03", "user05"):
        later.remove(later.subscriptions[f"{user}-0"])
    later.put(replace(later.policy_of("user04"), filter=None))
    plain, fast = Shard(catalog), BatchShard(catalog)
    assert fast.publish(events[:60]) == plain.publish(events[:60])
    assert fast.update(later) == plain.update(later)
    assert fast.publish(events[60:]) == plain.publish(events[60:])
    assert fast.close() == plain.close()


def test_users_with_a_filter_that_arrays_can_do_are_served_by_arrays():
    filters = {
        "ann": Filter(FilterKind.THRESHOLD, 0.2),
        "bob": Filter(FilterKind.THRESHOLD, 0.2, scoring=Scoring.DECAY),
        "eve": Filter(FilterKind.SAMPLING, 0.2, scoring=Scoring.DECAY),
    }
    catalog = Catalog([Subscription(user, user, parse("g = 'a'")) for user in filters])
    for user, how in filters.items():
        catalog.add(Policy(user, filter=how, decay=Decaying(beta=1e6 if user == "eve" else 1.0)))
    served = BatchShard(catalog)._served.users
    assert [isinstance(one, Member) for one in served.values()] == [True, True, False]


def test_the_state_of_a_window_over_thousands_of_subscriptions_takes_less_than_serving_it():
    many = 4_000
    catalog = Catalog([Subscription(f"s{number}", "ann", parse(f"x > {-number}")) for number in range(many)])
    sampled = {"novelty": "sampling", "update": "eager", "rates": "period", "rate": 0.5, "period": 1_000}
    catalog.put(decode_record({"kind": "policy", "user": "ann", "specific": False, "filter": sampled}))
    shard = BatchShard(catalog)
    stream = [Event(f"e{seq}", START, {"x": (5,)}, seq=seq) for seq in range(1, 101)]
    shard.publish(stream[:1])  # loads what is compiled
    begun = process_time()
    shard.publish(stream[1:])
    served = process_time() - begun
    begun = process_time()
    shard.state()
    assert process_time() - begun < served, "it was three times as long when each subscription searched all matches"

"""Users whom a batch does not concern are passed over, and nothing shows of it."""

import random
from datetime import UTC, datetime, timedelta

import pytest

from rankcast.engine.arrays import BatchShard
from rankcast.engine.arrays.kernels.crowds import serving
from rankcast.engine.reference.shard import Shard
from rankcast.language import parse
from rankcast.model import Catalog, Event, Length, Mode, Policy, Subscription, Unit

START = datetime(2026, 1, 1, tzinfo=UTC)
LENGTHS = [Length(9), Length(4, Unit.MATCHED), Length(timedelta(minutes=11), Unit.TIME)]


def catalog():
    made = Catalog()
    for number in range(27):
        mode = [Mode.SLIDING, Mode.HISTORY, Mode.PERIODIC][number // 3 % 3]
        made.put(Subscription(f"s{number}", f"u{number}", parse(f"x = {number % 9}"), 0.5))
        made.put(Subscription(f"t{number}", f"u{number}", parse(f"y = {number % 7}"), 0.9))
        made.put(
            Policy(
                f"u{number}", mode=mode, k=1 + number % 2, length=LENGTHS[number % 3], sigma=0.5 if number % 2 else 1.0
            )
        )
    return made


@pytest.mark.parametrize("seed", range(4))
def test_single_events_and_times_that_jump_back_do_not_show(seed):
    chance = random.Random(seed)
    events = [
        Event(
            f"e{n}",
            START + timedelta(minutes=n - (20 if chance.random() < 0.03 else 0)),
            {"x": (chance.randint(0, 40),), "y": (chance.randint(0, 30),)},
        ).at(n)
        for n in range(1, 201)
    ]
    oracle, shard = Shard(catalog()), BatchShard(catalog())
    at = 0
    while at < len(events):
        size = chance.choice([1, 1, 1, 2, 5, 30])
        assert shard.publish(events[at : at + size]) == oracle.publish(events[at : at + size])
        at += size
        if chance.random() < 0.05:
            state = shard.state()
            shard = BatchShard(catalog())
            shard.restore(state)
    assert shard.close() == oracle.close()


def test_users_whom_nothing_concerns_are_passed_over(monkeypatch):
    """Nobody is visited for events that match nothing while no window or period holds an entry."""
    shard = BatchShard(catalog())
    nothing = [Event(f"e{n}", START + timedelta(minutes=n), {}).at(n) for n in range(1, 3)]
    shard.publish(nothing[:1])
    seen, serve_all = [], serving.serve_all
    monkeypatch.setattr(
        serving, "serve_all", lambda visited, *given: seen.append(visited) or serve_all(visited, *given)
    )
    shard.publish(nothing[1:])
    assert sum(map(len, seen)) == 0
    shard.publish([Event("e3", START + timedelta(minutes=3), {"x": (4,)}).at(3)])
    assert sum(map(len, seen)) == 3

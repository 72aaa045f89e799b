"""Subscriptions that are added while nothing is published are taken up before the next event, and nothing else changes."""

import random
from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest

from rankcast.engine.arrays import BatchShard
from rankcast.engine.reference.shard import Shard
from rankcast.language import parse
from rankcast.model import (
    Catalog,
    Decaying,
    Event,
    Filter,
    FilterKind,
    Length,
    Mode,
    Policy,
    ScorePart,
    Subscription,
)
from rankcast.pipeline import looking_ahead
from rankcast.pipeline.local import LocalPipeline
from rankcast.pipeline.looking_ahead import with_added
from rankcast.store import Store

START = datetime(2026, 1, 1, tzinfo=UTC)
USERS = ("ann", "bob", "cy", "dee")
POLICIES = (
    Policy("x", mode=Mode.ALL),
    Policy("x", mode=Mode.SLIDING, k=2, length=Length(6), sigma=0.5),
    Policy("x", mode=Mode.PERIODIC, k=2, length=Length(4)),
    Policy("x", mode=Mode.ALL, filter=Filter(FilterKind.THRESHOLD, rate=0.5, period=4)),
    Policy("x", mode=Mode.HISTORY, k=2, length=Length(8), score={ScorePart.PREFERENCE: 1.0, ScorePart.NOVELTY: 1.0}),
    Policy("x", mode=Mode.ALL, decay=Decaying(preferred=True)),
)


def event(number: int) -> Event:
    chance = random.Random(number)
    return Event(f"e{number}", START + timedelta(minutes=number), {"x": (chance.randint(0, 6),), "y": (number % 3,)})


def change(store: Store, chance: random.Random) -> None:
    """One change of the catalog: mostly additions, but also what cannot be taken up in advance."""
    catalog, user = store.catalog(), chance.choice(USERS)
    mine = catalog.subscriptions_of(user)
    if mine and chance.random() < 0.2:
        store.change(remove=[chance.choice(mine)])
    elif chance.random() < 0.25:
        store.change(put=[replace(chance.choice(POLICIES), user=user)])
    else:
        name = f"{user}{chance.randint(0, 12)}"  # may be there, and then it is replaced
        where = chance.choice(("x > {n}", "x = {n}", "y = {n}", "x < {n} and y > 0")).format(n=chance.randint(0, 5))
        store.change(put=[Subscription(name, user, parse(where), chance.choice((None, 0.2, 0.9)))])


@pytest.mark.parametrize("seed", range(3))
def test_what_is_taken_up_in_advance_does_not_show(tmp_path, monkeypatch, seed):
    monkeypatch.setattr(looking_ahead, "_AT_A_TIME", 2)
    monkeypatch.setattr(looking_ahead, "_PAUSE", 0.0)
    monkeypatch.setattr(looking_ahead, "_IDLE", 0.0)
    chance = random.Random(seed)
    with Store.create(tmp_path / "plain.db") as plain, Store.create(tmp_path / "ahead.db") as store:
        servers = [LocalPipeline(each, expected=10**6) for each in (plain, store)]
        was_ahead = 0
        for round_ in range(40):
            for each in (plain, store):
                steps = random.Random(1000 * seed + round_)  # the same for both
                for _ in range(steps.randint(0, 4)):
                    change(each, steps)
                    if each is store and chance.random() < 0.6:
                        list(servers[1].serve())
                        servers[1].prepare(iter([False] * chance.randint(1, 4) + [True] * 99).__next__)
                        was_ahead += servers[1]._ahead is not None
                each.publish([event(round_)])
            if chance.random() < 0.1:
                servers[1].save()
                servers[1] = LocalPipeline(store, expected=10**6)
            for server in servers:
                list(server.serve())
            assert [d for _, d in store.deliveries()] == [d for _, d in plain.deliveries()]
        assert was_ahead > 3
        assert store.set_aside(None, 10) == plain.set_aside(None, 10) == []
        assert [one.state() for one in servers[0]._shards] == [one.state() for one in servers[1]._shards]


def test_an_event_finds_the_work_done(tmp_path, monkeypatch):
    monkeypatch.setattr(looking_ahead, "_IDLE", 3600.0)
    with Store.create(tmp_path / "store.db") as store:
        store.change(put=[Subscription("first", "ann", parse("x > 3"))])
        server = LocalPipeline(store, expected=1_500)
        store.publish([event(1)])
        list(server.serve())
        assert isinstance(server._shards[0], Shard)
        store.change(put=[Subscription(f"s{n}", "bob", parse(f"x >= {-n} and y < {n}")) for n in range(900)])
        server.prepare(lambda: False)
        assert isinstance(server._shards[0], Shard), "not right after an event"
        server._look._from = 0.0  # as after a second
        server.prepare(lambda: False)
        assert isinstance(server._shards[0], BatchShard), "nobody waits for the change of engine"
        for place in ("rankcast.cover.strict_covers.StrictCovers.add", "rankcast.engine.index.live.LiveIndex._built"):
            monkeypatch.setattr(place, None)  # it would fail
        store.publish([event(2)])
        assert [batch.set_aside for batch in server.serve()] == [0]
        assert [d.user for _, d in store.deliveries()][-1] == "bob"


def test_without_compiled_loops_the_reference_engine_serves(tmp_path):
    ready = False
    with Store.create(tmp_path / "store.db") as store:
        store.change(put=[Subscription(f"s{n}", "bob", parse(f"x >= {-n}")) for n in range(900)])
        server = LocalPipeline(store, expected=1_500, has_loops=lambda: ready)
        kinds = []
        for number in range(3):
            ready = number > 1
            store.publish([event(number)])
            assert [batch.delivered for batch in server.serve()] == [1]
            kinds.append(type(server._shards[0]))
        assert kinds == [Shard, Shard, BatchShard]


def test_only_what_changes_nothing_but_ranks_is_taken_up():
    present = Catalog([Subscription("a1", "ann", parse("x > 1")), Subscription("f1", "fay", parse("x > 1"))])
    present.put(Policy("fay", mode=Mode.ALL, filter=Filter(FilterKind.THRESHOLD, rate=0.5, period=4)))
    newest = present.copy()
    for name, user in (("a2", "ann"), ("f2", "fay"), ("n1", "new"), ("o1", "out")):
        newest.put(Subscription(name, user, parse("y > 1")))
    newest.put(Policy("new", mode=Mode.PERIODIC, k=1, length=Length(2)))
    newest.put(Policy("ann", mode=Mode.PERIODIC, k=1, length=Length(2)))
    made = with_added(present, newest, 10, lambda user: user != "out")
    assert made is not None
    assert [*made.subscriptions] == ["a1", "f1", "a2", "n1"]
    assert made.policy_of("new") == newest.policy_of("new")
    assert made.policy_of("ann") == present.policy_of("ann")
    assert with_added(made, newest, 10, lambda user: user != "out") is None
    few = with_added(present, newest, 1, lambda user: True)
    assert few is not None
    assert [*few.subscriptions] == ["a1", "f1", "a2"]

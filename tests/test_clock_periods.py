"""Periods of time end by the clock, and a replay of the log gives the same deliveries (semantics: Delivery modes)."""

import random
import time
from datetime import UTC, datetime, timedelta

import pytest

from rankcast.engine.arrays import BatchShard
from rankcast.engine.explain import explain
from rankcast.engine.reference.shard import Shard
from rankcast.language import parse
from rankcast.model import Catalog, Event, Length, Mode, Policy, Subscription, Unit
from rankcast.pipeline.local import GRACE, LocalPipeline
from rankcast.service.runner import Runner
from rankcast.store import Store
from rankcast.testing.clocks import SettableClock

START = datetime(2026, 11, 1, 12, tzinfo=UTC)
MINUTE = timedelta(minutes=1)
HOURLY = (
    Subscription("s1", "ann", parse("x > 0"), 0.5),
    Policy("ann", mode=Mode.PERIODIC, k=1, length=Length(timedelta(hours=1), Unit.TIME)),
)


def event(name: str, at: datetime, x: int = 1, seq: int = 0) -> Event:
    return Event(name, at, {"x": (x,)}, seq=seq)


@pytest.fixture
def clock():
    return SettableClock(START)


@pytest.fixture
def store(tmp_path, clock):
    with Store.create(tmp_path / "store.db", clock=clock) as store:
        store.change(put=HOURLY)
        yield store


def served(server):
    batches = list(server.serve())
    ended = server.advance()
    return batches + ([ended] if ended else [])


def got(store):
    return [(one.event, one.forwarded) for _, one in store.deliveries()]


def test_a_period_ends_though_nothing_more_is_published(store, clock):
    server = LocalPipeline(store)
    clock.go_on(10 * MINUTE)
    store.publish([event("e1", clock())])
    served(server)
    clock.time = START + timedelta(hours=1)
    served(server)
    assert got(store) == [], "what is a moment late may still come"
    clock.go_on(GRACE)
    served(server)
    assert got(store) == [("e1", START + timedelta(hours=1))]
    assert served(server) == []


def test_an_explanation_ends_the_period_by_the_clock_too(store, clock):
    server = LocalPipeline(store)
    store.publish([event("e1", clock()), event("e2", clock())])
    served(server)

    def verdict(name):
        entries = list(store.events())
        events, clocks = [entry.event for entry in entries], [entry.clock for entry in entries]
        told = explain(store.catalog(), events, "ann", name, finished=False, clocks=clocks, until=clock() - GRACE)
        return told.to_json()["sent"]

    assert verdict("e2") is False
    clock.go_on(timedelta(hours=1) + GRACE)
    served(server)
    assert [name for name, _ in got(store)] == ["e2"]
    assert (verdict("e1"), verdict("e2")) == (False, True)


def test_also_after_a_restart(store, clock):
    store.publish([event("e1", clock())])
    served(LocalPipeline(store))
    clock.go_on(timedelta(hours=2))
    server = LocalPipeline(store)
    server.load()
    assert server.due == START + timedelta(hours=1) + GRACE
    assert server.advance().delivered == 1


def test_the_past_is_not_ended_by_the_clock(store, clock):
    """Events of one period of last year come one by one: they compete as in a replay."""
    server = LocalPipeline(store)
    for number in range(3):
        clock.go_on(timedelta(hours=3))
        store.publish([event(f"e{number}", START - timedelta(days=365) + number * MINUTE)])
        served(server)
        assert server.due is None
    assert got(store) == []


def test_a_replay_of_the_log_gives_the_same(tmp_path, clock):
    """Live, with ticks at any time; and later, all at once, by another engine. Late events, too, are where they were."""
    chance = random.Random(1)
    with (
        Store.create(tmp_path / "live.db", clock=clock) as live,
        Store.create(tmp_path / "late.db", clock=clock) as late,
    ):
        for store in (live, late):
            store.change(put=HOURLY)
        server = LocalPipeline(live)
        for number in range(120):
            clock.go_on(chance.choice([MINUTE / 10, MINUTE, 20 * MINUTE, 90 * MINUTE]))
            if chance.random() < 0.3:
                served(server)
                continue
            back = chance.choice([timedelta(0), timedelta(0), 30 * MINUTE, GRACE / 2])
            for store in (live, late):
                store.publish([event(f"e{number}", clock() - back)])
            if chance.random() < 0.5:
                served(server)
        clock.go_on(timedelta(days=1))
        served(server)
        whole = LocalPipeline(late, expected=1_000_000)
        served(whole)
        assert isinstance(whole._shards[0], BatchShard)
        assert got(live) == got(late)
        assert len(got(live)) > 20


@pytest.mark.parametrize("seed", range(5))
def test_both_engines_agree_under_every_cut(seed):
    chance = random.Random(seed)
    users = [f"user{number}" for number in range(6)]
    catalog = Catalog()
    for user in users:
        length = Length(timedelta(minutes=chance.choice([1, 7, 30, 90])), Unit.TIME)
        catalog.add(Subscription(f"s-{user}", user, parse(f"x > {chance.randint(0, 3)}"), 0.5))
        sigma = chance.choice([1.0, 0.5])
        catalog.add(Policy(user, mode=Mode.PERIODIC, k=2, length=length, sigma=sigma))
    oracle: Shard | BatchShard = Shard(catalog)
    fast: Shard | BatchShard = BatchShard(catalog)
    clock, seq, expected, made = START, 0, [], []
    for _ in range(40):
        events, clocks = [], []
        for _ in range(chance.randint(0, 6)):
            seq += 1
            clock += chance.choice([timedelta(seconds=3), MINUTE, 13 * MINUTE])
            back = chance.choice([timedelta(0), timedelta(0), 20 * MINUTE, timedelta(days=9)])
            events.append(event(f"e{seq}", clock - back, chance.randint(0, 5), seq))
            clocks.append(clock)
        expected += oracle.publish(events, None, clocks)
        for start in range(0, len(events), 2):
            made += fast.publish(events[start : start + 2], None, clocks[start : start + 2])
        assert fast.due == oracle.due
        if chance.random() < 0.4:
            clock += chance.choice([timedelta(seconds=1), 45 * MINUTE])
            expected += oracle.advance(clock)
            made += fast.advance(clock)
        assert sorted(made, key=lambda one: one.order) == sorted(expected, key=lambda one: one.order)
        state = fast.state()
        fast = chance.choice([BatchShard, Shard])(catalog)
        fast.restore(state)
    assert expected


def test_when_the_clock_is_asked_does_not_matter():
    catalog = Catalog(list(HOURLY))
    often, seldom = Shard(catalog), Shard(catalog)
    events = [event("e1", START, seq=1), event("e2", START + MINUTE, seq=2), event("e3", START + 2 * MINUTE, seq=3)]
    clocks = [START, START + timedelta(hours=5), START + timedelta(hours=9)]
    made = often.publish(events[:1], None, clocks[:1])
    for minutes in range(0, 300, 10):
        made += often.advance(START + minutes * MINUTE)
    made += often.publish(events[1:], None, clocks[1:]) + often.close()
    assert made == seldom.publish(events, None, clocks) + seldom.close()
    assert [one.event for one in made] == ["e1", "e2", "e3"]


def test_the_service_delivers_within_two_seconds_of_the_end(tmp_path):
    """By the real clock: a period of one second, and nothing more published."""
    with Store.create(tmp_path / "store.db") as store:
        length = Length(timedelta(seconds=1), Unit.TIME)
        store.change(put=[HOURLY[0], Policy("ann", mode=Mode.PERIODIC, k=1, length=length)])
        runner = Runner(store, poll=0.1)
        runner.start()
        try:
            store.publish([event("e1", datetime.now(UTC))])
            until = time.monotonic() + 10
            while not got(store) and time.monotonic() < until:
                time.sleep(0.02)
            (_, delivery) = next(iter(store.deliveries()))
            assert delivery.received is not None
            waited = delivery.received - delivery.forwarded
            assert GRACE <= waited < timedelta(seconds=2.5), waited
        finally:
            runner.stop()


def test_what_is_published_before_is_served_first(store, clock):
    server = LocalPipeline(store)
    store.publish([event("e1", clock())])
    served(server)
    clock.go_on(timedelta(hours=2))
    store.publish([event("e2", START + MINUTE)])
    assert server.advance() is None
    assert got(store) == []
    served(server)
    assert [name for name, _ in got(store)] == ["e1"], (
        "e2 came after the end of its period: it counts in the present one"
    )


def test_what_is_published_meanwhile_counts_in_the_present_period(store, clock, monkeypatch):
    server = LocalPipeline(store)
    store.publish([event("e1", clock())])
    served(server)
    clock.go_on(timedelta(hours=2))
    advance = Shard.advance

    def meanwhile(self, time):
        store.publish([event("e2", START + MINUTE)])
        return advance(self, time)

    monkeypatch.setattr(Shard, "advance", meanwhile)
    assert server.advance().delivered == 1
    monkeypatch.undo()
    served(LocalPipeline(store))
    assert [name for name, _ in got(store)] == ["e1"]
    clock.go_on(timedelta(hours=1))
    served(server)
    assert [name for name, _ in got(store)] == ["e1", "e2"]

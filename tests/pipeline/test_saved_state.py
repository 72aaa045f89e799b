"""The state is saved page by page; whatever a crash leaves of it, the deliveries are those of an unbroken run."""

import itertools
import random
from datetime import UTC, datetime, timedelta

import msgspec
import pytest

from rankcast.engine.arrays import BatchShard
from rankcast.engine.reference.shard import Shard
from rankcast.errors import StoreError
from rankcast.language import parse
from rankcast.model import Advertisement, Always, Event, Length, Mode, Policy, ScorerName, Subscription, Unit
from rankcast.pipeline import saved_state
from rankcast.pipeline.local import LocalPipeline, serve_pending
from rankcast.pipeline.saved_state import LogEvents, PageWriter, Position, states_of
from rankcast.pipeline.serve_again import serve_again
from rankcast.pipeline.state_changes import repartition
from rankcast.store import Store
from rankcast.store.retention.needs import needs
from rankcast.testing.clocks import SettableClock

START = datetime(2026, 1, 1, tzinfo=UTC)
MINUTE = timedelta(minutes=1)
MODES = [
    Policy("u", mode=Mode.ALL),
    Policy("u", mode=Mode.PERIODIC, k=2, length=Length(5)),
    Policy("u", mode=Mode.PERIODIC, k=1, length=Length(7 * MINUTE, Unit.TIME)),
    Policy("u", mode=Mode.SLIDING, k=2, length=Length(5), sigma=0.5),
    Policy("u", mode=Mode.SLIDING, k=2, length=Length(9), sigma=1.0),
    Policy("u", mode=Mode.HISTORY, k=2, length=Length(5)),
]


def records(users=12):
    for number in range(users):
        yield Subscription(f"s{number}", f"user{number}", parse(f"x > {number % 5}"), 0.5)
        yield Subscription(f"t{number}", f"user{number}", parse("x = 5"), 0.9)
        policy = MODES[number % len(MODES)]
        yield Policy(f"user{number}", policy.mode, policy.k, policy.length, sigma=policy.sigma)
    yield Advertisement("ad", "shop", Always(), k=2, score=ScorerName.WEIGHT)


def event(chance, number, clock):
    ad = "ad" if chance.random() < 0.1 else None
    values = {"x": (chance.randint(0, 6),), "y": (number % 3,)}
    return Event(f"e{number}", clock() - chance.random() * MINUTE, values, advertisement=ad)


def delivered(store):
    return sorted((d.user, d.event, d.window, d.rank, d.forwarded) for _, d in store.deliveries())


def states(store):
    parts = [msgspec.msgpack.encode(part) for part in states_of(store, store.saved_state())]
    return {user: state for part in parts for user, state in msgspec.msgpack.decode(part).items()}


@pytest.fixture(params=["oracle", "arrays"])
def engine(request, monkeypatch):
    kind = {"oracle": Shard, "arrays": BatchShard}[request.param]
    monkeypatch.setattr(
        "rankcast.pipeline.serving.shard_for", lambda events, catalog, serves, *_: kind(catalog, serves)
    )
    return kind


@pytest.fixture
def small_pages(monkeypatch):
    """Two users in a page, and each page is written once in eight events."""
    for name, value in {"USERS_PER_PAGE": 2, "_EVENTS": 8, "_SECONDS": 1e9, "_SPAN": 6, "_READ": 4}.items():
        monkeypatch.setattr(saved_state, name, value)


@pytest.fixture
def clock():
    return SettableClock(START)


@pytest.fixture
def stores(tmp_path, clock):
    opened = []

    def make(name):
        opened.append(Store.create(tmp_path / f"{name}.db", clock=clock))
        opened[-1].change(put=list(records()))
        return opened[-1]

    yield make
    for store in opened:
        store.close()


class Crash(Exception):
    pass


@pytest.mark.usefixtures("small_pages")
@pytest.mark.parametrize(("seed", "shards"), [(0, 1), (1, 3)])
def test_whatever_a_crash_leaves_the_deliveries_are_the_same(stores, clock, engine, monkeypatch, seed, shards):
    chance, plain, broken = random.Random(seed), stores("plain"), stores("broken")
    steady, server = LocalPipeline(plain), LocalPipeline(broken, shards)
    commit = Store.commit
    for number in range(60):
        clock.go_on(chance.random() * 3 * MINUTE)
        new = event(chance, number, clock)
        user, is_changed = chance.randrange(14), chance.random() < 0.15
        for store in (plain, broken):
            if is_changed:
                store.change(put=[Subscription(f"m{user}", f"user{user}", parse(f"y = {number % 3}"), 0.7)])
            store.publish([new])
        list(steady.serve())
        steady.advance()
        if chance.random() < 0.3:  # it dies before or after the commit
            is_after = chance.random() < 0.5

            def crash(self, *given, is_after=is_after, **named):
                if is_after:
                    commit(self, *given, **named)
                raise Crash

            monkeypatch.setattr(Store, "commit", crash)
            with pytest.raises(Crash):
                list(server.serve())
            monkeypatch.setattr(Store, "commit", commit)
            server = LocalPipeline(broken, shards)
        list(server.serve())
        server.advance()
        if chance.random() < 0.1:
            server.save()
            assert broken.saved_state().is_settled
        if chance.random() < 0.1:
            shards = chance.randint(1, 3)
            repartition(broken, shards)
            server = LocalPipeline(broken, shards)
    assert delivered(broken) == delivered(plain)
    assert len(broken.saved_state().pages) >= 6
    assert states(broken) == states(plain)


@pytest.mark.usefixtures("small_pages", "engine")
def test_a_commit_writes_few_pages_and_each_is_written_in_turn(stores, clock):
    store, chance = stores("turn"), random.Random(5)
    server = LocalPipeline(store)
    written = []
    for number in range(30):
        clock.go_on(MINUTE)
        store.publish([event(chance, number, clock)])
        before = {page.mark[:2]: page.mark.offset for page in store.saved_state().pages}
        list(server.serve())
        after = {page.mark[:2]: page.mark.offset for page in store.saved_state().pages}
        written.append(sum(before.get(key) != offset for key, offset in after.items()))
        assert store.saved_state().lag <= 8
    assert written[0] == len(after) == 8
    assert set(written[1:]) == {1}


@pytest.mark.usefixtures("small_pages", "engine")
def test_pruning_leaves_what_a_page_needs(stores, clock):
    store, chance = stores("pruned"), random.Random(6)
    server = LocalPipeline(store)
    for number in range(40):
        clock.go_on(MINUTE)
        store.publish([event(chance, number, clock)])
        list(server.serve())
        server.advance()
        pages = store.saved_state().pages
        with store.database.reading() as connection:
            kept = needs(connection)
        assert kept.event == min(min(page.mark.offset, page.mark.needed - 1) for page in pages)
        assert kept.event >= store.progress().offset - 16
        with store.database.writing() as connection:
            connection.exec_driver_sql(f"DELETE FROM events WHERE event_offset <= {kept.event}")
        LocalPipeline(store).load()
    server.save()
    with store.database.reading() as connection:
        assert needs(connection).event == 40


def test_an_event_that_is_gone_is_said(stores, clock):
    store = stores("gone")
    with pytest.raises(StoreError, match=r"needs the event at offset 7, .* rankcast state rebuild"):
        LogEvents(store)[7]


@pytest.mark.usefixtures("small_pages")
def test_a_failure_that_does_not_come_again_is_remembered(stores, clock, monkeypatch):
    """The state of the user is saved at once, because serving the events again may not fail."""
    store, chance = stores("failed"), random.Random(7)
    publish = "rankcast.engine.reference.subscriber.Subscriber.publish"
    from rankcast.engine.reference.subscriber import Subscriber

    real = Subscriber.publish

    def fail(self, moment, event, matched):
        if event.seq == 3 and matched and self._user == "user0":
            raise RuntimeError("once")
        return real(self, moment, event, matched)

    for number in range(6):
        clock.go_on(MINUTE)
        store.publish([Event(f"e{number}", clock(), {"x": (6,), "y": (chance.randint(0, 2),)})])
    with monkeypatch.context() as patched:
        patched.setattr(publish, fail)
        list(LocalPipeline(store, batch=1).serve())
    assert states(store)["user0"]["failed"] == 1
    assert serve_again(store).done == 1


@pytest.mark.usefixtures("small_pages")
def test_after_a_minute_without_events_nothing_needs_the_log(stores, clock, monkeypatch):
    store, chance, now = stores("idle"), random.Random(8), itertools.count()
    server = LocalPipeline(store)
    for number in range(20):
        clock.go_on(MINUTE)
        store.publish([event(chance, number, clock)])
    list(server.serve())
    for _ in range(20):
        server.save(is_idle=True)
    assert not store.saved_state().is_settled or store.saved_state().lag == 0
    monkeypatch.setattr(saved_state, "monotonic", lambda: 1e6 + 30 * next(now))
    for _ in range(60):
        server.save(is_idle=True)
    saved = store.saved_state()
    assert saved.is_settled
    assert all(page.mark.needed == 21 for page in saved.pages)


def test_a_store_with_many_more_users_gets_more_pages(stores, clock, monkeypatch):
    monkeypatch.setattr(saved_state, "USERS_PER_PAGE", 4)
    plain, store = stores("plain"), stores("grows")
    server = LocalPipeline(store)
    for number, users in enumerate([0, 0, 100, 0]):
        clock.go_on(MINUTE)
        more = [Subscription(f"m{n}", f"more{n}", parse("x > 2"), 0.5) for n in range(users)]
        for each in (plain, store):
            each.change(put=more)
            each.publish([Event(f"e{number}", clock(), {"x": (3 + number,)})])
        list(server.serve())
        assert len(store.saved_state().pages) == (4 if number < 2 else 32)
        server = LocalPipeline(store)
    list(serve_pending(plain))
    assert delivered(store) == delivered(plain)


def test_seconds_of_serving_count_like_events(stores, clock):
    store = stores("slow")
    list(serve_pending(store))
    shards = [Shard(store.catalog())]
    writer, at = PageWriter(shards), Position(0, 1, 0)
    assert len(writer.changes(shards, at, 1, 0.0).pages) == 1
    assert [len(writer.changes(shards, at, 1, 0.0).pages) for _ in range(5)] == [0] * 5
    assert len(writer.changes(shards, at, 1, saved_state._SECONDS).pages) == 1

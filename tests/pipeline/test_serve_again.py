"""What was set aside is served again after a fix (semantics: What cannot be served)."""

from datetime import UTC, datetime, timedelta

import pytest
from sqlalchemy import text

from rankcast.engine.arrays import BatchShard
from rankcast.engine.reference.shard import Shard
from rankcast.engine.reference.subscriber import Subscriber
from rankcast.language import parse
from rankcast.model import Event, Length, Mode, Policy, Subscription
from rankcast.pipeline.local import LocalPipeline
from rankcast.pipeline.serve_again import serve_again
from rankcast.store import Store
from rankcast.store.store_lock import StoreLock

START = datetime(2026, 1, 1, tzinfo=UTC)


def events(first, last):
    return [Event(f"e{n}", START + timedelta(minutes=n), {"x": (n % 5,)}) for n in range(first, last)]


def delivered(store):
    return sorted((one.user, one.event, one.window) for _, one in store.deliveries())


@pytest.fixture
def stores(tmp_path):
    opened = []

    def make(name):
        store = Store.create(tmp_path / f"{name}.db")
        for number, mode in enumerate([Mode.ALL, Mode.SLIDING, Mode.HISTORY]):
            policy = Policy(f"user{number}", mode=mode, k=2, length=Length(5))
            store.change(put=[Subscription(f"s{number}", f"user{number}", parse("x > 1"), 0.5), policy])
        opened.append(store)
        return store

    yield make
    for store in opened:
        store.close()


def broken(monkeypatch, hit):
    publish = Subscriber.publish

    def fails(self, moment, event, matched):
        if matched and hit(self._user, event):
            raise OverflowError("intermediate overflow")
        return publish(self, moment, event, matched)

    monkeypatch.setattr(Subscriber, "publish", fails)


@pytest.mark.parametrize("shards", [1, 3])
def test_events_that_failed_are_delivered_and_the_user_goes_on_as_if_nothing_had_happened(stores, monkeypatch, shards):
    whole, hurt = stores("whole"), stores("hurt")
    for store in (whole, hurt):
        store.publish(events(0, 40))
    list(LocalPipeline(whole, shards).serve())
    with monkeypatch.context() as patched:
        broken(patched, lambda user, event: user == "user0" and event.seq in (3, 4, 9))
        (batch,) = LocalPipeline(hurt, shards).serve()
    rows = hurt.set_aside()
    assert batch.set_aside == len(rows) > 0
    assert {row.user for row in rows} == {"user0"}
    assert rows[0].version == hurt.version()
    assert [one for one in delivered(hurt) if one[0] != "user0"] == [
        one for one in delivered(whole) if one[0] != "user0"
    ]
    done = serve_again(hurt, "user0")
    assert (done.done, done.failed, done.goes_on) == (len(rows), 0, True)
    assert hurt.set_aside() == []
    assert delivered(hurt) == delivered(whole)
    for store in (whole, hurt):
        store.publish(events(40, 60))
        list(LocalPipeline(store, shards).serve())
    assert delivered(hurt) == delivered(whole)


def test_a_user_who_is_out_comes_back(stores, monkeypatch):
    whole, hurt = stores("whole"), stores("hurt")
    for store in (whole, hurt):
        store.publish(events(0, 200))
    list(LocalPipeline(whole).serve())
    with monkeypatch.context() as patched:
        broken(patched, lambda user, event: user == "user0")
        list(LocalPipeline(hurt).serve())
        assert [row.event for row in hurt.set_aside()][-1] is None
        assert len(hurt.set_aside()) == 101, "a hundred events, and then the user"
        again = serve_again(hurt)
        assert (again.done, again.delivered) == (0, 0), "nothing was mended"
    assert serve_again(hurt).failed == 0
    for store in (whole, hurt):
        store.publish(events(200, 230))
        list(LocalPipeline(store).serve())
    assert delivered(hurt) == delivered(whole)


def test_an_event_that_could_not_be_read_is_set_aside_for_everybody(stores):
    whole, hurt = stores("whole"), stores("hurt")
    for store in (whole, hurt):
        store.publish(events(0, 20))
    list(LocalPipeline(whole).serve())
    read = text("select content from events where event_offset = 9")
    write = text("update events set content = :content where event_offset = 9")
    with hurt.database.writing() as connection:
        content = connection.execute(read).scalar_one()
        connection.execute(write, {"content": "{"})
    (batch,) = LocalPipeline(hurt).serve()
    assert (batch.offset, batch.set_aside) == (20, 1)
    assert [(row.user, row.event, row.seq) for row in hurt.set_aside()] == [(None, "e8", 9)]
    with hurt.database.writing() as connection:
        connection.execute(write, {"content": content})
    assert serve_again(hurt).failed == 0
    assert {one for one in delivered(whole) if one[1] == "e8"} <= set(delivered(hurt))


def test_beside_a_pipeline_it_only_delivers(stores, monkeypatch):
    hurt = stores("hurt")
    hurt.publish(events(0, 20))
    with monkeypatch.context() as patched:
        broken(patched, lambda user, event: user == "user0" and event.seq == 4)
        list(LocalPipeline(hurt).serve())
    before = hurt.saved_state()
    with StoreLock(hurt):
        done = serve_again(hurt)
    assert (done.failed, done.goes_on) == (0, False)
    assert done.delivered > 0
    assert hurt.saved_state() == before


def test_arrays_that_fail_as_a_whole_do_not_stop_a_batch(stores, monkeypatch):
    whole, hurt = stores("whole"), stores("hurt")
    for store in (whole, hurt):
        store.publish(events(0, 40))
    list(LocalPipeline(whole).serve())
    server = LocalPipeline(hurt, expected=10**6)
    server.load()
    assert isinstance(server._shards[0], BatchShard)
    monkeypatch.setattr(BatchShard, "publish", lambda *args: 1 / 0)
    assert [batch.offset for batch in server.serve()] == [40]
    assert delivered(hurt) == delivered(whole)
    assert isinstance(server._shards[0], Shard)

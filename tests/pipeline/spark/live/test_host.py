"""Shards that live on serve what a replay gives, however the stream is cut, and however often they die."""

import random
from datetime import UTC, datetime, timedelta
from itertools import groupby

import msgspec
import pyarrow as pa
import pytest

from rankcast.engine.arrays import BatchShard
from rankcast.engine.pages import packed as pack
from rankcast.engine.pages import pages_for, unpacked
from rankcast.engine.reference.shard import Shard, replay
from rankcast.errors import StoreError
from rankcast.language import dumps, encode_event
from rankcast.language.events import written_event
from rankcast.model import Event, SetAside, in_publication_order
from rankcast.overlay import Admission
from rankcast.pipeline.local import GRACE
from rankcast.pipeline.spark.blobs import EVENTS, MARK
from rankcast.pipeline.spark.live.frames import stream_of, table_of
from rankcast.pipeline.spark.live.host import Host
from rankcast.pipeline.spark.live.intake import GRACE as SECOND
from rankcast.pipeline.spark.live.marks import Mark, encode_mark
from rankcast.pipeline.spark.live.requests import Frame
from rankcast.pipeline.spark.live.whole import WholeCatalog
from rankcast.pipeline.spark.workers import JSON, RECEIVED
from rankcast.store import Store


@pytest.fixture
def store(tmp_path, world):
    with Store.create(tmp_path / "s.db") as store:
        store.change(put=list(world.records()))
        yield store


def fill(store, world, seed, advertised=False):
    """Events with changes of the catalog in between, at random places."""
    chance = random.Random(seed)
    changes = list(world.changes(store))
    if advertised:
        store.change(*changes.pop())
    published = world.events(120, seed, advertised=advertised)
    while published:
        size = chance.randint(1, 40)
        store.publish(published[:size])
        published = published[size:]
        if changes and chance.random() < 0.8:
            put, remove = changes.pop(0)
            store.change(put, remove)


@pytest.mark.parametrize("seed", range(6))
def test_cuts_deaths_and_catalog_changes_do_not_show(store, tmp_path, world, seed, monkeypatch):
    if seed > 3:  # the fast engine from the first
        monkeypatch.setattr("rankcast.pipeline.spark.live.shard.MANY_SUBSCRIPTIONS", 0)
    monkeypatch.setattr(
        "rankcast.pipeline.spark.live.shard._SPANS", [4, 0, 1][seed % 3]
    )  # who keeps the events: journal or pages
    monkeypatch.setattr("rankcast.pipeline.spark.live.journal._ENOUGH", [500, 5][seed % 2])
    if seed % 2:  # several pages, so that a restored shard serves its journal again
        monkeypatch.setattr("rankcast.pipeline.spark.live.shard.pages_for", lambda users: pages_for(users, 2))
    fill(store, world, seed, advertised=seed % 2 == 0)
    chance = random.Random(seed)
    pipeline = world.Pipeline(
        store, tmp_path / "s.db", shards=chance.randint(1, 3), journal=chance.choice([1, 30, 1000])
    )
    while pipeline.at < 120:
        if chance.random() < 0.4:
            pipeline.host = Host()
        before = dict(pipeline.state)
        up_to = min(120, pipeline.at + chance.randint(1, 30))
        start = pipeline.at
        pipeline.serve_log(up_to)
        if chance.random() < 0.3:  # Spark did not hear of it: the same again, from the state before
            pipeline.state, pipeline.at = before, start
            pipeline.batch -= 1
            pipeline.serve_log(up_to)
    pipeline.serve_log(120, close=True)
    assert world.delivered(store) == world.expected(store)
    assert store.progress().offset == 120
    assert store.pipeline().events == 120
    assert store.pipeline().matched > 0


@pytest.mark.parametrize("is_arrays", [False, True])
def test_a_journal_of_the_release_before_has_no_matches(store, tmp_path, world, monkeypatch, is_arrays):
    """Its events are matched when a shard is restored from it."""
    monkeypatch.setattr("rankcast.pipeline.spark.live.shard.MANY_SUBSCRIPTIONS", 0 if is_arrays else 10**9)
    monkeypatch.setattr("rankcast.pipeline.spark.live.shard.pages_for", lambda users: pages_for(users, 2))
    fill(store, world, 1, advertised=True)
    pipeline = world.Pipeline(store, tmp_path / "s.db", journal=1000)
    ends = (0, 20, 45, 70)
    for up_to in ends[1:]:
        pipeline.serve_log(up_to)

    def before(generation):
        number, _, clock, _ = generation
        rows = groupby(store.log_rows(ends[number - 1], ends[number]), key=lambda row: row.catalog_version)
        return [
            number,
            [(version, [(row.offset, row.content, row.logged - SECOND) for row in of]) for version, of in rows],
            clock,
        ]

    restored = 0
    for number, (token, head, pages, journal) in pipeline.state.items():
        head = msgspec.msgpack.encode({**msgspec.msgpack.decode(head), "form": 3})
        segments = {first: unpacked(segment)[1] for first, segment in journal.items()}
        old = {first: pack([2, list(map(before, generations))]) for first, generations in segments.items()}
        pipeline.state[number] = (token, head, pages, old)
        restored += sum(map(len, segments.values()))
    assert restored > pipeline.shards
    for up_to in (80, 100):
        pipeline.host = Host()
        pipeline.serve_log(up_to)
    pipeline.serve_log(120, close=True)
    assert world.delivered(store) == world.expected(store)


def test_the_shards_of_a_process_turn_to_arrays_together(store, tmp_path, world, monkeypatch):
    """What kernels need to load is spent on the reference engine once, and not once for each of many small shards."""
    monkeypatch.setattr("rankcast.pipeline.spark.live.shard.FEW_PAIRS", 1_000)
    store.publish(world.events(60))
    pipeline = world.Pipeline(store, tmp_path / "s.db", shards=4)
    kinds = []
    for up_to in range(10, 61, 10):
        pipeline.serve_log(up_to)
        kinds.append({type(alive.shard._shard) for alive in pipeline.host._alive.values()})
    assert kinds[0] == {Shard}
    assert kinds[-1] == {BatchShard}  # each alone would have served 330 pairs
    assert world.delivered(store) == world.expected(store, close=False)


def test_the_state_stays_bounded(store, tmp_path, world, monkeypatch):
    monkeypatch.setattr("rankcast.pipeline.spark.live.journal._ENOUGH", 100)
    store.publish(world.events(480))
    pipeline = world.Pipeline(store, tmp_path / "s.db", shards=1, journal=20)
    sizes = []
    while pipeline.at < 480:
        pipeline.serve_log(pipeline.at + 10)
        sizes.append(pipeline.reports[-1][0].state_bytes)
        _, _, pages, journal = pipeline.state[0]
        assert sizes[-1] == sum(map(len, pages.values())) + sum(map(len, journal.values()))
    assert max(sizes[24:]) < 1.5 * max(sizes[:24])  # a segment of the journal has 100 events


def test_many_users_have_many_pages_and_a_journal_between_them(store, tmp_path, world, monkeypatch):
    monkeypatch.setattr("rankcast.pipeline.spark.live.shard.pages_for", lambda users: pages_for(users, 30))
    store.change(put=list(world.records(70)))
    store.publish(world.events(60))
    pipeline = world.Pipeline(store, tmp_path / "s.db", shards=1, journal=40)  # a page for ten events
    for up_to in (10, 20, 30, 40):
        pipeline.serve_log(up_to)
    _, _, pages, journal = pipeline.state[0]
    assert len(pages) == 4
    assert len(journal) == 1  # small micro-batches share a segment
    pipeline.host = Host()
    pipeline.serve_log(60, close=True)
    assert world.delivered(store) == world.expected(store)


def test_what_a_process_began_is_taken_over(store, tmp_path, world):
    from rankcast.pipeline.local import serve_pending

    fill(store, world, 5)
    done = 0
    for batch in serve_pending(store, shards=3, batch=50):
        done = batch.offset
        break
    assert 0 < done < 120
    pipeline = world.Pipeline(store, tmp_path / "s.db", journal=10_000)
    pipeline.serve_log(done + 5)
    pipeline.host = Host()
    pipeline.serve_log(90)
    with pytest.raises(StoreError, match="served by the pipeline with the checkpoint 'cp'"):
        list(serve_pending(store, shards=3))
    pipeline.serve_log(120, close=True)
    assert world.delivered(store) == world.expected(store)
    with pytest.raises(StoreError, match="go on with that"):  # though nothing is pending
        list(serve_pending(store, shards=3))


def test_a_late_event_is_a_reject_and_counted(store, tmp_path, world):
    made = world.events(30)
    late = Event("late", world.start, {"x": (5,)})
    within = Event("within", made[19].time - timedelta(minutes=9), {"x": (5,)})
    store.publish([*made[:20], late, within, *made[20:]])
    pipeline = world.Pipeline(store, tmp_path / "s.db", lateness=10 * 60 * 10**6)
    pipeline.serve_log(20)
    pipeline.host = Host()
    pipeline.serve_log(32)
    assert store.pipeline().late == 1
    assert store.pipeline().rejected == 1
    (reject,) = store.rejects()
    assert reject.reason == (
        "late: published at 2026-01-01T00:00:00Z, more than 10m before the newest event so far, which is of "
        "2026-01-01T00:19:00Z"
    )
    assert "within" in {one.event for _, one in store.deliveries()}
    assert "late" not in {one.event for _, one in store.deliveries()}


def test_a_poisoned_event_is_set_aside_and_the_others_are_served(store, tmp_path, world):
    from sqlalchemy import update

    from rankcast.store.schema import events as log

    store.publish(world.events(30))
    with store.database.writing() as connection:
        connection.execute(update(log).where(log.c.event_offset == 7).values(content='{"id": "e7", "time": '))
    pipeline = world.Pipeline(store, tmp_path / "s.db")
    for up_to in (10, 30):
        pipeline.serve_log(up_to)
        pipeline.host = Host()
    (row,) = store.set_aside()
    assert (row.user, row.event, row.seq) == (None, "e00006", 7)
    assert store.rejects() == []
    assert {one.seq for _, one in store.deliveries() if one.user == "user0"} == {
        one.seq
        for one in replay(store.catalog(), [e.at(n) for n, e in enumerate(world.events(30), 1)])
        if one.user == "user0"
    } - {7}


def test_an_older_checkpoint_whose_events_were_pruned_is_refused(store, tmp_path, world):
    store.publish(world.events(40))
    pipeline = world.Pipeline(store, tmp_path / "s.db")
    pipeline.serve_log(10)
    older, at = dict(pipeline.state), pipeline.at
    pipeline.serve_log(30)
    with store.database.writing() as connection:
        connection.exec_driver_sql("DELETE FROM events WHERE event_offset BETWEEN 1 AND 20")
    newer, pipeline.state, pipeline.at, pipeline.host = dict(pipeline.state), older, at, Host()
    with pytest.raises(
        StoreError, match=r"goes on at offset 10, but 10 of the events up to 40 were pruned since: it is an older"
    ):
        pipeline.serve_log(40)
    pipeline.state, pipeline.at = newer, 30
    pipeline.serve_log(40, close=True)
    assert store.progress().offset == 40


def test_a_process_asks_once_for_all_its_shards_and_reads_each_event_once(store, tmp_path, world, monkeypatch):
    fill(store, world, 2)
    read, asked = [], []
    monkeypatch.setattr(
        "rankcast.pipeline.spark.live.matched.written_event",
        lambda text, time, seq: read.append(seq) or written_event(text, time, seq),
    )
    pipeline = world.Pipeline(store, tmp_path / "s.db", shards=4)
    pipeline.chance.random = lambda: 0.3  # the host asks, and the process that matches lives on
    pipeline.chance.randint = lambda *_: 1
    ask = pipeline.ask
    pipeline.ask = lambda request: asked.append((request.after, request.up_to)) or ask(request)
    pipeline.serve_log(50)
    pipeline.serve_log(120, close=True)
    assert asked == [(0, 50), (50, 120)]
    assert len(read) == len({*read}) > 50
    assert world.delivered(store) == world.expected(store)


def packed(events):
    lines = pa.array([event if isinstance(event, str) else dumps(encode_event(event)) for event in events], pa.string())
    return Frame(EVENTS, stream_of(pa.table({JSON: lines})))


def version(start, end):
    return Frame(MARK, encode_mark(Mark("p", start, end)))


@pytest.mark.parametrize("seed", range(3))
def test_events_from_elsewhere_are_served_by_time_whatever_the_cuts(store, tmp_path, world, seed):
    chance = random.Random(seed)
    made = world.events(100)
    arriving = sorted(made, key=lambda event: event.time + timedelta(minutes=chance.uniform(0, 5)))
    pipeline = world.Pipeline(store, tmp_path / "s.db", is_log=False, lateness=6 * 60 * 10**6)
    frames = [version(-1, 1)]
    while arriving:
        size = chance.randint(1, 25)
        pipeline.serve([*frames, packed(arriving[:size]), packed(arriving[: size // 2])])
        frames, arriving = [], arriving[size:]
        if chance.random() < 0.5:
            pipeline.host = Host()
    pipeline.serve([packed([Event("last", world.start + timedelta(days=1), {})])])
    wanted = Shard(store.catalog()).publish(in_publication_order(made))
    assert world.delivered(store) == sorted(wanted, key=lambda one: one.order)
    assert store.rejects() == []


@pytest.mark.parametrize("seed", range(6))
def test_from_elsewhere_cuts_deaths_retries_and_catalog_changes_do_not_show(store, tmp_path, world, seed, monkeypatch):
    if seed % 2:
        monkeypatch.setattr("rankcast.pipeline.spark.live.shard.MANY_SUBSCRIPTIONS", 0)
    chance = random.Random(seed)
    changes = list(world.changes(store))
    store.change(*changes.pop())
    arriving, seq, known = world.events(90, seed, advertised=True), 0, -1
    pipeline = world.Pipeline(store, tmp_path / "s.db", shards=3, is_log=False, journal=chance.choice([1, 30, 1000]))
    whole, wanted = None, []
    while arriving:
        size = chance.randint(1, 25)
        batch, arriving = arriving[:size], arriving[size:]
        now, catalog = store.version(), store.catalog()
        if whole is None:
            whole = Shard(catalog)
        wanted += whole.update(catalog) + whole.publish([one.at(seq + place) for place, one in enumerate(batch, 1)])
        rows = chance.sample(batch, len(batch))
        frames = [packed(rows[: size // 2]), packed(rows[size // 2 :]), *([version(known, now)] if now > known else [])]
        before = dict(pipeline.state)
        pipeline.serve(frames)
        if chance.random() < 0.4:
            pipeline.state, pipeline.batch, pipeline.host = before, pipeline.batch - 1, Host()
            pipeline.serve(frames)
        seq, known = seq + len(batch), now
        if chance.random() < 0.3:
            pipeline.host = Host()
        if changes and chance.random() < 0.5:
            store.change(*changes.pop(0))
    assert world.delivered(store) == sorted(wanted, key=lambda one: one.order)
    assert store.rejects() == []


def test_from_elsewhere_an_event_is_matched_once_for_all_shards(store, tmp_path, world, monkeypatch):
    matched, match = [], WholeCatalog.match
    monkeypatch.setattr(WholeCatalog, "match", lambda self, events: matched.extend(events) or match(self, events))
    monkeypatch.setattr(Shard, "match", lambda *_: pytest.fail("a shard matches"))
    pipeline = world.Pipeline(store, tmp_path / "s.db", shards=4, is_log=False)
    pipeline.take = pipeline.matching.take
    pipeline.serve([version(-1, 1), packed(world.events(20))])
    assert len(matched) == 20
    assert world.delivered(store)


def test_versions_of_the_catalog_hold_for_whole_micro_batches(store, tmp_path, world):
    pipeline = world.Pipeline(store, tmp_path / "s.db", is_log=False)
    made = world.events(20)
    pipeline.serve([version(-1, 1), packed(made[:10])])
    after = store.change(remove=[store.catalog().subscriptions["s0"], store.catalog().subscriptions["t0"]])
    pipeline.serve([version(1, after), packed(made[10:])])
    assert {one.event for one in world.delivered(store) if one.user == "user0"} == {
        one.event for one in replay(store.catalog(1), made[:10]) if one.user == "user0"
    }


def test_bad_rows_from_elsewhere_are_rejects_once(store, tmp_path, world):
    pipeline = world.Pipeline(store, tmp_path / "s.db", is_log=False)
    before = pipeline.state
    frames = [
        version(-1, 1),
        packed(["{", *world.events(3)]),
        packed(['{"id": "e9", "time": "2026-01-01", "attributes": {"x": {"is": "big"}}}']),
    ]
    for _ in range(2):
        pipeline.state = before
        pipeline.batch = 0
        pipeline.serve(frames)
    assert sorted(reject.reason for reject in store.rejects()) == sorted({reject.reason for reject in store.rejects()})
    assert len(store.rejects()) == 2
    assert store.pipeline().rejected == 2


def test_an_event_of_the_far_future_is_set_aside_as_of_the_time_of_its_batch(store, tmp_path, world):
    hour = 3600 * 10**6
    made = world.events(60)
    far = Event("far", datetime(9999, 12, 30, tzinfo=UTC), {"x": (5,)})
    received = world.start + timedelta(minutes=20)
    near = Event("near", received + timedelta(hours=1), {"x": (5,)})

    def at(time, *events):
        table = table_of(packed([*events]).blob)
        stamps = pa.array([time] * len(table), pa.timestamp("us", "UTC"))
        return Frame(EVENTS, stream_of(table.append_column(RECEIVED, stamps)))

    pipeline = world.Pipeline(store, tmp_path / "s.db", is_log=False, max_ahead=hour)
    before = dict(pipeline.state)
    for _ in range(2):  # tried again: the batch's own time counts, not the clock
        pipeline.host, pipeline.state, pipeline.batch = Host(), dict(before), 0
        pipeline.serve([version(-1, 1), at(received, *made[:20], far, near)])
    pipeline.serve([at(received + timedelta(hours=2), *made[20:])])
    (reject,) = store.rejects()
    assert reject.reason.startswith("time 9999-12-30T00:00:00Z is ")
    assert reject.reason.endswith("ahead of the clock here (2026-01-01T00:20:00Z); at most 1h is allowed (--max-ahead)")
    shard = Shard(store.catalog())
    clocks = [received - GRACE] * 21 + [received + timedelta(hours=2) - GRACE] * 40
    wanted = shard.publish([one.at(seq) for seq, one in enumerate([*made[:20], near, *made[20:]], 1)], None, clocks)
    assert world.delivered(store) == sorted(wanted, key=lambda one: one.order)
    assert store.pipeline().rejected == 1


def test_what_a_shard_sets_aside_is_logged_and_in_the_store_once(store, tmp_path, world, monkeypatch, caplog):
    row = SetAside("user3", "e00004", 5, 1, "OverflowError: intermediate overflow in fsum")
    monkeypatch.setattr(Shard, "take_set_aside", lambda self, version=0: [row] if "user3" in self.users else [])
    store.publish(world.events(20))
    pipeline = world.Pipeline(store, tmp_path / "s.db")
    before = dict(pipeline.state)
    pipeline.serve_log(20)
    pipeline.host, pipeline.state, pipeline.batch, pipeline.at = Host(), before, 0, 0
    pipeline.serve_log(20)
    (kept,) = store.set_aside()
    assert (kept.user, kept.event, kept.seq, kept.version, kept.error) == ("user3", "e00004", 5, 1, row.error)
    assert f"set aside: user 'user3', event 'e00004', version 1: {row.error}" in caplog.text


def test_an_event_whose_recipients_cannot_be_chosen_stops_nobody(store, tmp_path, world, monkeypatch):
    store.change(*list(world.changes(store))[-1])
    store.publish(world.events(20, advertised=True))

    def fail(self, event, found):
        if event.id == "e00005":
            raise OverflowError("too large")
        return admitted(self, event, found)

    admitted = Admission.admitted
    wanted = [one for one in world.expected(store, close=False) if one.event != "e00005"]
    monkeypatch.setattr(Admission, "admitted", fail)
    pipeline = world.Pipeline(store, tmp_path / "s.db")
    pipeline.serve_log(20)
    (kept,) = store.set_aside()
    assert (kept.user, kept.event, kept.seq) == (None, "e00005", 6)
    assert "its recipients cannot be chosen: OverflowError: too large" in kept.error
    assert {one.user for one in world.delivered(store)} == {one.user for one in wanted}


def test_an_array_engine_that_fails_as_a_whole_is_replaced_by_the_reference(store, tmp_path, world, monkeypatch):
    def fail(self, *rest):
        raise MemoryError("72 TiB")

    monkeypatch.setattr("rankcast.pipeline.spark.live.shard.is_small", lambda events, subscriptions: False)
    store.publish(world.events(30))
    pipeline = world.Pipeline(store, tmp_path / "s.db")
    pipeline.serve_log(10)
    monkeypatch.setattr(BatchShard, "deliver", fail)
    pipeline.serve_log(20)
    pipeline.serve_log(30, close=True)
    assert world.delivered(store) == world.expected(store)


def test_a_pipeline_that_does_not_serve_the_store_any_more_writes_nothing(store, tmp_path, world):
    store.publish(world.events(20))
    pipeline = world.Pipeline(store, tmp_path / "s.db")
    pipeline.serve_log(10)
    store.release()
    store.claim("other", "elsewhere", 2)
    with pytest.raises(StoreError, match="served by the pipeline with the checkpoint 'elsewhere'"):
        pipeline.serve_log(20)
    assert store.progress().offset == 10

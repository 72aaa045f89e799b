"""The clock ends periods on Spark too, and however often shards die, the deliveries are those of a replay of the log."""

import random
from datetime import UTC, datetime, timedelta

import pyarrow as pa
import pytest

from rankcast.choose.positions import microseconds
from rankcast.engine.reference.shard import Shard
from rankcast.language import dumps, encode_event, parse
from rankcast.model import Event, Filter, FilterKind, Length, Mode, Policy, Subscription, Unit
from rankcast.pipeline.local import GRACE, LocalPipeline
from rankcast.pipeline.spark.blobs import EVENTS, MARK
from rankcast.pipeline.spark.live.frames import stream_of
from rankcast.pipeline.spark.live.host import Host
from rankcast.pipeline.spark.live.marks import Mark, decode_mark, encode_mark
from rankcast.pipeline.spark.live.requests import Frame
from rankcast.pipeline.spark.live.shard import LiveShard
from rankcast.pipeline.spark.source_readers import PipelineReader
from rankcast.pipeline.spark.source_tables import Options
from rankcast.pipeline.spark.workers import JSON, RECEIVED, WRITTEN
from rankcast.store import Store
from rankcast.store.schema import datetime_of
from rankcast.store.texts import event_of

START = datetime(2026, 5, 1, tzinfo=UTC)
SECOND = timedelta(seconds=1)


class Clock:
    def __init__(self):
        self.now = START

    def __call__(self):
        return self.now


@pytest.fixture
def clock():
    return Clock()


def periodic(seconds, **more):
    return {"mode": Mode.PERIODIC, "k": 2, "length": Length(timedelta(seconds=seconds), Unit.TIME), **more}


def records():
    policies = [
        periodic(10),
        periodic(7, sigma=0.5),
        periodic(30, filter=Filter(FilterKind.THRESHOLD, 0.5, 6)),
        {"mode": Mode.PERIODIC, "k": 1, "length": Length(4)},
        {"mode": Mode.SLIDING, "k": 2, "length": Length(20 * SECOND, Unit.TIME)},
        {"mode": Mode.ALL},
    ]
    for number, policy in enumerate(policies):
        yield Subscription(f"s{number}", f"user{number}", parse(f"x > {number % 3}"), 0.5)
        yield Policy(f"user{number}", **policy)


@pytest.fixture
def make(tmp_path, clock):
    opened = []

    def store(name="s"):
        made = Store.create(tmp_path / f"{name}.db", clock=clock)
        made.change(put=list(records()))
        opened.append(made)
        return made

    yield store
    for each in opened:
        each.close()


def source(store, path, table="log"):
    """The source of a pipeline that follows the store, with the store's own clock."""
    reader = PipelineReader(
        Options.of({"store": str(path), "table": table, "pipeline": "p", "place": "cp", "shards": "2"})
    )
    reader._growing._opened = store
    return reader


def event(number, time, chance):
    return Event(f"e{number:04d}", time, {"x": (chance.randint(0, 5),)})


def replayed(store, up_to):
    """What one shard makes of the log, by when its events were logged, until a time."""
    shard, made = Shard(store.catalog()), []
    for row in store.event_texts(0, store.last_offset()):
        made += shard.publish([event_of(row.content, row.offset)], None, [row.logged - GRACE])
    return sorted(made + shard.advance(up_to - GRACE), key=lambda one: one.order)


@pytest.mark.parametrize("seed", range(4))
def test_cuts_deaths_and_retries_do_not_show(make, clock, tmp_path, world, seed, monkeypatch):
    if seed > 1:
        monkeypatch.setattr("rankcast.pipeline.spark.live.shard.MANY_SUBSCRIPTIONS", 0)
    chance = random.Random(seed)
    store = make()
    pipeline = world.Pipeline(store, tmp_path / "s.db", shards=2, journal=chance.choice([1, 30, 1000]))
    reader = source(store, tmp_path / "s.db")
    offset, number, ticks = reader.initialOffset(), 0, 0
    for _ in range(60):
        clock.now += timedelta(seconds=chance.choice([0.2, 0.5, 1, 5, 12]))
        for _ in range(chance.choice([0, 0, 1, 3])):
            number += 1
            store.publish([event(number, clock.now - timedelta(seconds=chance.choice([0, 0.5, 3, 15])), chance)])
        rows, end = reader.read(offset)
        frames = [Frame(MARK, blob) for (blob,) in rows]
        assert bool(frames) == (end != offset)
        if not frames:
            continue
        ticks += decode_mark(frames[0].blob).clock is not None
        before = dict(pipeline.state)
        if chance.random() < 0.3:
            pipeline.host = Host()
        pipeline.serve(frames)
        if chance.random() < 0.3:  # Spark did not hear of it: the same again, later, from the state before
            clock.now += SECOND
            pipeline.state, pipeline.batch, pipeline.host = before, pipeline.batch - 1, Host()
            again = [Frame(MARK, blob) for (blob,) in reader.readBetweenOffsets(offset, end)]
            assert again == frames
            pipeline.serve(again)
        offset = end
    clock.now += timedelta(minutes=1)
    for _ in range(3):
        rows, end = reader.read(offset)
        for (blob,) in rows:
            pipeline.serve([Frame(MARK, blob)])
        offset = end
    assert ticks > 5
    assert world.delivered(store) == replayed(store, clock.now)


def test_a_period_is_delivered_when_it_is_over_as_in_process(make, clock, tmp_path, world):
    store, local = make(), make("local")
    served = LocalPipeline(local, 2)
    pipeline, reader = world.Pipeline(store, tmp_path / "s.db"), source(store, tmp_path / "s.db")
    offset = reader.initialOffset()
    assert reader.read(offset)[1] == offset, "nothing waits"
    for each in (store, local):
        each.publish([event(n, START + n * SECOND, random.Random(n)) for n in range(8)])
    list(served.serve())
    for seconds in range(1, 40):
        clock.now = START + seconds * SECOND
        rows, offset = reader.read(offset)
        for (blob,) in rows:
            pipeline.serve([Frame(MARK, blob)])
        served.advance()
        assert world.delivered(store) == world.delivered(local)
    assert {one.forwarded for one in world.delivered(store) if one.user == "user0"} == {START + 10 * SECOND}
    assert store.progress().offset == local.progress().offset == 8


def test_an_event_that_is_being_logged_goes_first(make, clock, tmp_path, world, monkeypatch):
    store = make()
    pipeline, reader = world.Pipeline(store, tmp_path / "s.db"), source(store, tmp_path / "s.db")
    store.publish([event(1, START, random.Random(1))])
    _, offset = reader.read(reader.initialOffset())
    pipeline.serve_log(1)
    clock.now += 20 * SECOND
    last = reader._growing.end

    def logged_meanwhile(start, limit):
        found = last(start, limit)
        store.publish([event(2, START + SECOND, random.Random(2))])
        return found

    monkeypatch.setattr(reader._growing, "end", logged_meanwhile)
    assert reader.read(offset)[1] == offset
    monkeypatch.undo()
    assert reader.read(offset)[1] == {**offset, "number": 2}


def test_what_a_process_left_is_delivered_though_nothing_is_published(make, clock, tmp_path, world):
    store = make()
    store.publish([event(n, START + n * SECOND, random.Random(n)) for n in range(8)])
    list(LocalPipeline(store, 3).serve())
    before = store.last_delivery()
    pipeline, reader = world.Pipeline(store, tmp_path / "s.db"), source(store, tmp_path / "s.db")
    clock.now += 40 * SECOND
    rows, end = reader.read(reader.initialOffset())
    pipeline.serve([Frame(MARK, blob) for (blob,) in rows])
    assert store.last_delivery() > before
    assert world.delivered(store) == replayed(store, clock.now)
    assert reader.read(end)[1] == end, "once is enough"


def message(made, received, written):
    columns = {
        JSON: pa.array([dumps(encode_event(one)) for one in made], pa.string()),
        RECEIVED: pa.array([received] * len(made), pa.timestamp("us", "UTC")),
        WRITTEN: pa.array(written, pa.timestamp("us", "UTC")),
    }
    return Frame(EVENTS, stream_of(pa.table(columns)))


def tick(clock):
    return Frame(MARK, encode_mark(Mark("p", 1, 1, clock=microseconds(clock.now - GRACE))))


def test_from_a_topic_a_restored_shard_takes_versions_and_clocks_in_their_order(
    make, clock, tmp_path, world, monkeypatch
):
    store, steps = make(), []
    move, advance = LiveShard._move, LiveShard._advance

    def moving(shard, version):
        if version != shard.version:
            steps.append(version)
        return move(shard, version)

    monkeypatch.setattr(LiveShard, "_move", moving)
    monkeypatch.setattr(LiveShard, "_advance", lambda shard, at: steps.append("clock") or advance(shard, at))
    pipeline = world.Pipeline(store, tmp_path / "s.db", shards=1, is_log=False, journal=1000)
    made = [event(n, START + n * SECOND, random.Random(n)) for n in range(8)]
    first = Frame(MARK, encode_mark(Mark("p", -1, 1)))
    pipeline.serve([first, message(made, START + 8 * SECOND, [one.time for one in made])])
    store.change(put=[Policy("user0", mode=Mode.ALL)])
    pipeline.serve([Frame(MARK, encode_mark(Mark("p", 1, 2)))])
    clock.now = START + 12 * SECOND
    pipeline.serve([Frame(MARK, encode_mark(Mark("p", 2, 2, clock=microseconds(clock.now - GRACE))))])
    assert steps == [1, 2, "clock"]
    steps.clear()
    pipeline.host = Host()
    pipeline.serve([])
    assert steps == [1, 2, "clock"]


def test_from_a_topic_a_period_ends_when_no_message_comes(make, clock, tmp_path, world):
    store = make()
    pipeline, reader = (
        world.Pipeline(store, tmp_path / "s.db", is_log=False),
        source(store, tmp_path / "s.db", "versions"),
    )
    made = [event(n, START + n * SECOND, random.Random(n)) for n in range(8)]
    (blob,), end = next(reader.read(reader.initialOffset())[0]), {"number": 1, "pipeline": "p", "closed": 0}
    pipeline.serve([Frame(MARK, blob), message(made, START + 8 * SECOND, [one.time for one in made])])
    assert datetime_of(store.due()) == START + 8 * SECOND, "the end of the 7 s of user1"
    before = world.delivered(store)
    clock.now = START + 12 * SECOND
    _, ticked = reader.read(end)
    assert ticked == {**end, "clock": microseconds(START + 11 * SECOND)}

    # Messages that have waited in the topic, as after a restart, are served by when they were written.
    state = dict(pipeline.state)
    more = [event(8, START + 8.5 * SECOND, random.Random(3)), event(9, START + 9 * SECOND, random.Random(4))]
    pipeline.serve([tick(clock), message(more, clock.now, [one.time for one in more])])
    assert [one for one in world.delivered(store) if one.user == "user0"] == []
    pipeline.state, pipeline.host, pipeline.batch = state, Host(), pipeline.batch - 1
    pipeline.serve([tick(clock), message(more, clock.now, [one.time for one in more])])

    pipeline.host = Host()
    pipeline.serve([tick(clock)])
    fresh = [one for one in world.delivered(store) if one not in before]
    assert {one.forwarded for one in fresh if one.user == "user0"} == {START + 10 * SECOND}
    shard = Shard(store.catalog())
    everything = [one.at(seq) for seq, one in enumerate([*made, *more], 1)]
    wanted = shard.publish(everything, None, [one.time - GRACE for one in everything]) + shard.advance(
        clock.now - GRACE
    )
    assert world.delivered(store) == sorted(wanted, key=lambda one: one.order)


def test_from_a_topic_with_a_lateness_events_alone_end_periods(make, clock, tmp_path, world):
    store = make()
    pipeline = world.Pipeline(store, tmp_path / "s.db", is_log=False, lateness=5 * 10**6)
    made = [event(n, START + n * SECOND, random.Random(n)) for n in range(8)]
    first = Frame(MARK, encode_mark(Mark("p", -1, 1)))
    pipeline.serve([first, message(made, START + 8 * SECOND, [one.time for one in made])])
    reader = source(store, tmp_path / "s.db", "versions")
    clock.now += timedelta(days=1)
    end = {"number": 1, "pipeline": "p", "closed": 0}
    assert reader.read(end)[1] == end

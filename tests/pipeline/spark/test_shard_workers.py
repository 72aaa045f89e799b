"""Matched in tasks and served in shards, a stream is delivered as the reference does, whatever the cuts (no session)."""

import random
from datetime import UTC, datetime
from itertools import groupby

import pyarrow as pa
import pytest
from pyspark import SparkFiles

from rankcast.engine.reference.shard import Shard, replay, shard_of
from rankcast.language import dumps, encode_event, parse
from rankcast.matching import OracleMatcher
from rankcast.model import Advertisement, Catalog, Concept, Event, LeftShoulder, Policy, ScorePart, Subscription
from rankcast.model import in_publication_order as numbered
from rankcast.pipeline.spark import blocks, sending_workers, shard_workers
from rankcast.pipeline.spark.inputs import catalog_parts
from rankcast.pipeline.spark.matching_workers import ShippedIndex
from rankcast.pipeline.spark.workers import WHOLE

START = datetime(2026, 1, 1, tzinfo=UTC)

pytestmark = pytest.mark.slow  # loads the kernels
EVERY_CUT = [(1, 60, 60), (2, 7, 25), (5, 1, 3), (3, 20, 10)]
"""Shards, rows of a batch, rows of a partition."""


@pytest.fixture(autouse=True)
def session_folder(monkeypatch, tmp_path):
    monkeypatch.setattr(SparkFiles, "getRootDirectory", lambda: str(tmp_path))


def served(catalog, events, shards, rows, partition, serve=shard_workers.deliver_in_shard):
    """What the two steps make of events that Spark has sorted and cut into partitions and batches."""
    keys = range(shards)
    index = ShippedIndex.of_catalog(catalog, lambda user: shard_of(user, shards))
    table = pa.table(
        {
            "id": [event.id for event in events],
            "time": pa.array([event.time for event in events], pa.timestamp("us", "UTC")),
            WHOLE: [dumps(encode_event(event)) for event in events],
        }
    )
    packets = [
        (shard, -(2**62), "", part)
        for shard, part in enumerate(catalog_parts(catalog, shards, lambda user: shard_of(user, shards)))
    ]
    for start in range(0, len(events), partition):
        task = table.slice(start, partition).to_batches(max_chunksize=rows)
        for sent in sending_workers.send_matches(iter(task), index, keys):
            packets += [tuple(row.values()) for row in sent.to_pylist()]
    random.Random(len(packets)).shuffle(packets)
    packets.sort(key=lambda packet: packet[:3])
    made = []
    for _, own in groupby(packets, key=lambda packet: packet[0]):
        columns = list(zip(*own, strict=True))
        batch = pa.RecordBatch.from_arrays(
            [pa.array(columns[0], pa.int32()), pa.array(columns[3])], ["shard", "packet"]
        )
        parts = (batch.slice(at, 2) for at in range(0, batch.num_rows, 2))
        for done in shard_workers.serve_shards(parts, serve):
            made += done.to_pylist()
    return made


def deliveries(rows):
    return sorted((row["window"], row["user"], row["seq"], row["event"], row["rank"], row["forwarded"]) for row in rows)


def expected(made):
    return sorted((one.window, one.user, one.seq, one.event, one.rank, one.forwarded) for one in made)


@pytest.mark.parametrize("cut", EVERY_CUT)
def test_deliveries_do_not_depend_on_shards_batches_and_partitions(world, monkeypatch, cut):
    monkeypatch.setattr(sending_workers, "_PACKED_EVENTS", 9)
    monkeypatch.setattr(blocks, "_EVENTS", 12)
    catalog = Catalog(list(world.records()))
    catalog.add(Advertisement("a1", "shop", parse("x >= 0"), k=3))
    events = numbered(world.events(60, seed=sum(cut), advertised=True))
    assert deliveries(served(catalog, events, *cut)) == expected(replay(catalog, events))


def test_small_jobs_use_the_reference_and_large_ones_arrays(world, monkeypatch):
    catalog, events = Catalog(list(world.records())), numbered(world.events(40))
    small = served(catalog, events, 2, 10, 20)
    monkeypatch.setattr(shard_workers, "is_small", lambda events, subscriptions: False)
    monkeypatch.setattr(shard_workers, "is_served_before_compiled", lambda catalog, matched: False)
    assert deliveries(served(catalog, events, 2, 10, 20)) == deliveries(small) == expected(replay(catalog, events))


def test_while_loops_are_not_compiled_the_reference_serves_what_takes_less(world, monkeypatch):
    def no_arrays(catalog):
        raise AssertionError("the loops would be compiled")

    catalog, events = Catalog(list(world.records())), numbered(world.events(40))
    monkeypatch.setattr(shard_workers, "is_small", lambda events, subscriptions: False)
    monkeypatch.setattr(shard_workers, "_batch_shard", no_arrays)
    monkeypatch.setattr("rankcast.engine.warming.are_compiled", lambda: False)
    assert deliveries(served(catalog, events, 2, 10, 20)) == expected(replay(catalog, events))
    monkeypatch.setattr("rankcast.engine.warming.are_compiled", lambda: True)
    with pytest.raises(AssertionError, match="compiled"):
        served(catalog, events, 2, 10, 20)


def test_imprecise_values_have_degrees(world):
    catalog = Catalog([Concept("low", "x", LeftShoulder(1, 4))])
    for number in range(4):
        catalog.add(Subscription(f"s{number}", f"u{number}", parse("x is low [0.2, 0]"), 0.5))
        catalog.add(Policy(f"u{number}", score={ScorePart.DEGREE: 1.0}))
    events = numbered(world.events(30))
    made = deliveries(served(catalog, events, 2, 10, 20))
    assert made == expected(replay(catalog, events))
    assert {round(rank, 3) for *_, rank, _ in made} == {0.333, 0.667, 1.0}


def test_what_cannot_be_matched_or_admitted_is_set_aside_and_nobody_else_notices(world, monkeypatch):
    catalog = Catalog(list(world.records()))
    catalog.add(Advertisement("a1", "shop", parse("x >= 0"), k=3))
    events = numbered(world.events(60, advertised=True))
    untouched = expected(replay(catalog, events))
    from rankcast.engine.index.segments import IndexSegment
    from rankcast.overlay import Admission

    find, match, admit = IndexSegment.match_batch, OracleMatcher.match, Admission.admitted

    def cannot_find(self, given, *others):
        if any(event.id == "e00007" for event in given):
            raise OverflowError("on purpose")
        return find(self, given, *others)

    def cannot_match(self, event):
        if event.id == "e00007" and any(one.user == "user3" for one in self._subscriptions):
            raise OverflowError("on purpose")
        return match(self, event)

    def cannot_admit(self, event, matches):
        if event.id == "e00010":
            raise ZeroDivisionError
        return admit(self, event, matches)

    monkeypatch.setattr(IndexSegment, "match_batch", cannot_find)
    monkeypatch.setattr(OracleMatcher, "match", cannot_match)
    monkeypatch.setattr(Admission, "admitted", cannot_admit)
    rows = served(catalog, events, 3, 10, 20, shard_workers.set_aside_in_shard)
    assert sorted((row["user"] or "", row["event"], row["seq"], row["error"]) for row in rows) == [
        ("", "e00010", 11, "ZeroDivisionError"),
        ("user3", "e00007", 8, "OverflowError: on purpose"),
    ]
    oracle = Shard(catalog)
    wanted = expected(oracle.publish(events) + oracle.close())
    assert [(row.user, row.event) for row in oracle.take_set_aside()] == [("user3", "e00007"), (None, "e00010")]
    assert deliveries(served(catalog, events, 3, 10, 20)) == wanted
    assert wanted != untouched


def test_a_shard_gets_of_other_events_nothing_but_their_time(world):
    catalog = Catalog([Subscription("s1", "u1", parse("x = 1"))])
    events = numbered([Event(f"e{number}", START, {"x": (number % 50,)}) for number in range(1_000)])
    seen = []

    def look(catalog, parts):
        seen.extend(parts)
        yield pa.table({"user": pa.array([], pa.string())})

    served(catalog, events, 1, 1_000, 1_000, look)
    (block,) = seen
    assert [event.attributes["x"] for event in block.events] == [(1,)] * 20
    assert len(block.times) == 1_000
    assert [event.seq for event in block.events] == [event.seq for event in events if event.attributes["x"] == (1,)]


def test_a_user_whose_subscription_cannot_be_indexed_is_served_all_the_same(world, monkeypatch):
    from rankcast.engine.index.draft import Draft

    catalog, events = Catalog(list(world.records())), numbered(world.events(40))
    add, bad = Draft.add, catalog.subscriptions["s5"].where

    def cannot_add(self, where, *others):
        if where == bad:
            raise RecursionError("on purpose")
        return add(self, where, *others)

    monkeypatch.setattr(Draft, "add", cannot_add)
    assert deliveries(served(catalog, events, 2, 10, 20)) == expected(replay(catalog, events))

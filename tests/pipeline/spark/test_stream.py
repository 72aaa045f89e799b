"""The streaming pipeline delivers what a replay does, whatever the micro-batches, and refuses what it cannot trust."""

import inspect
import json
import os
import re
import shutil
from datetime import UTC, datetime, timedelta
from pathlib import Path
from types import SimpleNamespace

import pyarrow.parquet as pq
import pytest

from rankcast.engine.reference.shard import Shard, replay
from rankcast.errors import ModelError, StoreError
from rankcast.language import decode_delivery, dumps, encode_event
from rankcast.model import Catalog, Event, in_publication_order
from rankcast.pipeline.local import serve_pending
from rankcast.pipeline.spark import deliver, serve_store, stream
from rankcast.pipeline.spark.failures import wait_for
from rankcast.pipeline.spark.file_sinks import JsonLines, ParquetFiles
from rankcast.pipeline.spark.saved import bring_back
from rankcast.pipeline.spark.source_tables import MAX_EVENTS
from rankcast.pipeline.spark.versions import GIVES_STARTS
from rankcast.pipeline.state_changes import repartition
from rankcast.store import Store


@pytest.fixture
def store(tmp_path, world):
    with Store.create(tmp_path / "s.db") as store:
        store.change(put=list(world.records()))
        yield store


@pytest.fixture
def serve(spark, tmp_path):
    def run(checkpoint="cp", **options):
        place = str(tmp_path / checkpoint)
        options = {"shards": 2, "trigger": None, **options}
        wait_for(serve_store(spark, tmp_path / "s.db", place, **options), checkpoint=place)

    return run


def publish_with_changes(store, world, published, changes):
    for put, remove in changes:
        store.publish(published[:9])
        published = published[9:]
        store.change(put, remove)
    store.publish(published)


def test_streaming_equals_a_replay_with_catalog_changes_and_restarts(serve, store, world, tmp_path, monkeypatch):
    """Two tasks serve six shards, also after a restart on a machine for which another number would be chosen."""
    changes = list(world.changes(store))
    store.change(*changes.pop())
    made = world.events(80, advertised=True)
    publish_with_changes(store, world, made[:40], changes[:2])
    list(serve_pending(store, shards=3, batch=25))[:1]
    publish_with_changes(store, world, made[40:], changes[2:])
    files = [JsonLines(str(tmp_path / "lines")), ParquetFiles(str(tmp_path / "parquet"))]
    serve(shards=6, max_events=17, sink=files, journal=30)
    assert store.progress().offset == 80
    store.publish(world.events(20, first=80, advertised=True))
    monkeypatch.setattr(stream, "partitions_of", lambda spark, shards: shards)
    serve(shards=6, max_events=13, sink=files, close=True)
    assert sorted(folder.name for folder in (tmp_path / "cp" / "state" / "0").glob("[0-9]*")) == ["0", "1"]
    assert world.delivered(store) == world.expected(store)
    known = store.pipeline()
    assert (known.events, known.shards, known.late, known.rejected) == (60, 6, 0, 0)
    streamed = [one for _, one in store.deliveries() if one.served is not None and one.served >= _claimed(known)]
    assert streamed
    assert all(one.served <= one.matched <= one.received for one in streamed)
    lines = [line for file in sorted((tmp_path / "lines").glob("*.jsonl")) for line in file.read_text().splitlines()]
    written = [decode_delivery(json.loads(line)) for line in lines]
    rows = pq.read_table(tmp_path / "parquet").num_rows
    assert len(written) == rows == known.delivered
    assert set(written) <= set(world.delivered(store))


@pytest.mark.parametrize(
    ("master", "shards", "partitions"),
    [("local[2]", 16, 2), ("local[3]", 16, 2), ("local[4,9]", 6, 3), ("local[8]", 2, 2), ("spark://host:7077", 16, 16)],
)
def test_a_machine_has_as_many_tasks_as_cores_and_a_cluster_as_many_as_shards(master, shards, partitions):
    session = SimpleNamespace(conf={"spark.master": master})
    assert stream.partitions_of(session, shards) == partitions


def _claimed(known):
    from rankcast.store.schema import datetime_of

    return datetime_of(known.claimed)


def test_what_the_checkpoint_is_not_is_said_and_nothing_starts_over(spark, serve, store, world, tmp_path):
    store.publish(world.events(20))
    serve()
    before = world.delivered(store)
    store.publish(world.events(20, first=20))
    with pytest.raises(StoreError, match=r"has 2 shards, not 3; .* rankcast state repartition --shards 3"):
        serve(shards=3)
    with pytest.raises(
        StoreError, match=r"is served by the pipeline with the checkpoint '.*cp', and '.*other' is not it"
    ):
        serve("other")
    with pytest.raises(StoreError, match=r"served by the pipeline with the checkpoint '.*cp'; go on with that"):
        list(serve_pending(store, shards=2))
    shutil.copytree(tmp_path / "cp", tmp_path / "copy")
    offsets = max((tmp_path / "copy" / "offsets").glob("[0-9]*"), key=lambda file: int(file.name))
    offsets.write_text("")
    with pytest.raises(StoreError, match=r"the checkpoint '.*copy' is damaged"):
        serve("copy")
    with Store.create(tmp_path / "foreign.db") as foreign:
        foreign.change(put=list(world.records()))
        foreign.publish(world.events(30))
    with pytest.raises(
        StoreError, match=r"'.*cp' does not belong to the store '.*foreign.db' as it is now, .* by nobody"
    ):
        wait_for(serve_store(spark, tmp_path / "foreign.db", tmp_path / "cp", shards=2, trigger=None))
    assert world.delivered(store) == before
    serve()
    assert world.delivered(store) == world.expected(store, close=False)


def test_a_damaged_state_is_said(serve, store, world, tmp_path):
    store.publish(world.events(20))
    serve()
    store.publish(world.events(20, first=20))
    for file in (tmp_path / "cp" / "state").rglob("*"):
        if file.suffix in (".changelog", ".delta", ".zip"):
            file.write_bytes(file.read_bytes()[: file.stat().st_size // 2])
            file.with_name(f".{file.name}.crc").unlink(missing_ok=True)
    with pytest.raises(StoreError, match=r"the checkpoint '.*cp' is damaged"):
        serve()
    assert store.progress().offset == 20


def test_serving_from_an_offset_or_a_time_on(serve, store, world):
    store.publish(world.events(40))
    serve("first", start=30)
    events = [entry.event for entry in store.events(after=30)]
    wanted = sorted(Shard(store.catalog()).publish(events), key=lambda one: one.order)
    assert world.delivered(store) == wanted
    serve("second", start="2026-01-01T00:20:00Z")
    assert store.pipeline().start_offset == 20
    assert len(world.delivered(store)) > len(wanted)


def lines_stream(spark, folder: Path):
    return spark.readStream.option("maxFilesPerTrigger", 1).text(str(folder))


@pytest.mark.skipif(not GIVES_STARTS, reason="Spark 4.1 serves all files in one micro-batch, in which nothing is late")
def test_events_from_elsewhere_by_time_with_late_and_bad_ones(spark, serve, store, world, tmp_path):
    made = world.events(60)
    folder = tmp_path / "in"
    folder.mkdir()
    far = Event("far", datetime(9999, 1, 1, tzinfo=UTC), {"x": (5,)})
    swapped = [*made[10:20], *made[:10], *made[20:50], Event("late", world.start, {"x": (5,)}), *made[50:], far]
    for number, start in enumerate(range(0, len(swapped), 25)):
        texts = [dumps(encode_event(event)) for event in swapped[start : start + 25]]
        (folder / f"{number}.jsonl").write_text("\n".join([*texts, '{"id": 5}' if number == 1 else texts[1]]))
        os.utime(folder / f"{number}.jsonl", (number + 1, number + 1))
    serve(events=lines_stream(spark, folder), json="value", lateness=timedelta(minutes=12))
    wanted = Shard(store.catalog()).publish(
        in_publication_order([event for event in made if event.time < made[-13].time])
    )
    assert world.delivered(store) == sorted(wanted, key=lambda one: one.order)
    assert store.pipeline().late == 1
    assert sorted(reject.reason.split(":")[0] for reject in store.rejects()) == [
        "field 'id' of an event must be a string, not the number 5; write \"5\" in quotes",
        "late",
        "time 9999-01-01T00",
    ]


def test_deliver_takes_a_stream(spark, world, tmp_path):
    catalog = Catalog(list(world.records()))
    made = world.events(50)
    folder = tmp_path / "in"
    rows = [(one.id, one.time, one.attributes["x"][0], one.attributes["y"][0], one.attributes["z"][0]) for one in made]
    frame = spark.createDataFrame(rows, "id string, time timestamp, x long, y long, z string")
    frame.limit(30).coalesce(1).write.parquet(str(folder))
    frame.subtract(frame.limit(30)).coalesce(1).write.mode("append").parquet(str(folder))
    stream = spark.readStream.schema(frame.schema).option("maxFilesPerTrigger", 1).parquet(str(folder))
    before = spark.conf.get("spark.sql.shuffle.partitions")
    spark.conf.set("spark.sql.shuffle.partitions", "2")
    try:
        query = (
            deliver(stream, catalog, shards=2)
            .writeStream.format("memory")
            .queryName("streamed")
            .outputMode("update")
            .option("checkpointLocation", str(tmp_path / "cp"))
            .trigger(availableNow=True)
            .start()
        )
        query.awaitTermination()
    finally:
        spark.conf.set("spark.sql.shuffle.partitions", before)
    got = {(row.user, row.event, row.window) for row in spark.table("streamed").collect()}
    wanted = Shard(catalog).publish(in_publication_order(made))
    assert got == {(one.user, one.event, one.window) for one in wanted}


def test_what_is_no_stream_is_said(spark, serve, store):
    batch = spark.range(1).selectExpr("'e1' as id", "timestamp'2026-01-01' as time")
    with pytest.raises(ModelError, match="the events are no stream"):
        serve(events=batch)
    with pytest.raises(ModelError, match="lateness is for streams"):
        deliver(batch, store.catalog(), lateness=timedelta(1))


def test_a_plain_session_is_told_what_to_set(spark, world):
    provider = "spark.sql.streaming.stateStore.providerClass"
    plain = spark.newSession()
    plain.conf.set(provider, "org.apache.spark.sql.execution.streaming.state.HDFSBackedStateStoreProvider")
    stream = plain.readStream.format("rate").load().selectExpr("string(value) as id", "timestamp as time")
    catalog = Catalog(list(world.records()))
    with pytest.raises(ModelError, match=r"first run spark.conf.set\('.*providerClass', '.*'\)") as caught:
        deliver(stream, catalog, shards=2)
    plain.conf.set(*re.findall(r"'([^']+)'", str(caught.value)))
    assert deliver(stream, catalog, shards=2).isStreaming


def test_backpressure_is_on_unless_it_is_turned_off():
    assert inspect.signature(serve_store).parameters["max_events"].default == MAX_EVENTS


def test_a_replay_of_the_same_says_the_same(serve, store, world):
    store.publish(world.events(30))
    serve(close=True)
    assert world.delivered(store) == replay(store.catalog(), [entry.event for entry in store.events()])


def test_the_state_of_a_checkpoint_is_brought_back_for_another_number_of_shards(spark, serve, store, world, tmp_path):
    store.publish(world.events(40))
    serve(max_events=25, journal=1_000)
    assert bring_back(spark, store, str(tmp_path / "cp"), 3) == 11
    assert store.progress().shards == 3
    store.publish(world.events(20, first=40))
    list(serve_pending(store, shards=3, batch=10))
    repartition(store, 1)
    store.publish(world.events(20, first=60))
    serve("another", shards=1, close=True)
    assert world.delivered(store) == world.expected(store)
    with pytest.raises(StoreError, match=r"'.*cp' does not belong to the store"):
        serve()

"""Files and a topic have what the store has, once each, after repartitioning and after a checkpoint was put back."""

import json
import shutil

import pyarrow.parquet as pq
import pytest

from rankcast.language import decode_delivery
from rankcast.pipeline.spark import file_sinks, kafka_sink, serve_store, table_sink
from rankcast.pipeline.spark.failures import wait_for
from rankcast.pipeline.spark.saved import bring_back
from rankcast.pipeline.spark.sinks import sink_of
from rankcast.store import Store


@pytest.fixture
def store(tmp_path, world):
    with Store.create(tmp_path / "s.db") as store:
        store.change(put=list(world.records()))
        yield store


def test_every_sink_has_each_delivery_once(spark, kafka, store, world, tmp_path):
    kafka.create("restored", partitions=2)
    topic = f"kafka://{kafka.address}/restored"
    table = f"table:orc?path={tmp_path}/table"
    sinks = [sink_of(name) for name in (f"jsonl:{tmp_path}/lines", f"parquet:{tmp_path}/rows", table, topic)]

    def serve(checkpoint, **options):
        options = {"shards": 2, "trigger": None, "sink": sinks, **options}
        wait_for(serve_store(spark, tmp_path / "s.db", tmp_path / checkpoint, **options))
        file_sinks._progress.clear()
        kafka_sink._writers.clear()
        table_sink._progress.clear()

    store.publish(world.events(40))
    serve("first", max_events=25)
    shutil.copytree(tmp_path / "first", tmp_path / "backup")
    store.publish(world.events(24, first=40))
    serve("first", max_events=13)
    shutil.rmtree(tmp_path / "first")
    (tmp_path / "backup").rename(tmp_path / "first")
    store.publish(world.events(6, first=64))
    serve("first", max_events=29)
    bring_back(spark, store, tmp_path / "first", 3)
    store.publish(world.events(20, first=70))
    serve("second", max_events=15, shards=3, close=True)

    wanted = world.expected(store)
    assert world.delivered(store) == wanted
    lines = [line for file in (tmp_path / "lines").glob("*.jsonl") for line in file.read_text().splitlines()]
    values = [value for _, value in kafka.messages("restored")]
    for written in (lines, values):
        assert sorted((decode_delivery(json.loads(one)) for one in written), key=lambda one: one.order) == wanted
    for rows in (pq.read_table(tmp_path / "rows").to_pylist(), spark.read.orc(f"{tmp_path}/table").collect()):
        assert sorted((row["user"], row["event"]) for row in rows) == sorted((one.user, one.event) for one in wanted)

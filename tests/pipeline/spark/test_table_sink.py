"""Deliveries to tables of any format that Spark can append to and read. `scripts/check-spark` adds Delta Lake."""

import os
import shutil

import pytest
from shard_parts import made, table

from rankcast.errors import ModelError, StoreError
from rankcast.pipeline.spark import serve_store, table_sink
from rankcast.pipeline.spark.failures import wait_for
from rankcast.pipeline.spark.sinks import sink_of
from rankcast.pipeline.spark.table_sink import TableSink
from rankcast.store import Store


@pytest.fixture(autouse=True)
def restarted():
    restart()


def restart():
    table_sink._progress.clear()


@pytest.fixture(params=["orc", "json", *os.environ.get("RANKCAST_TABLE_FORMATS", "").split()])
def sink(request, tmp_path):
    return sink_of(f"table:{request.param}?path={tmp_path}/sent")


def send(spark, sink, whole):
    sink.append(whole, spark.createDataFrame(whole.deliveries))


def seqs(spark, sink):
    return sorted(row.seq for row in spark.read.format(sink.format).options(**sink.options).load().collect())


def test_batches_run_again_or_cut_anew_are_neither_skipped_nor_repeated(spark, sink):
    for number in range(1, 4):
        send(spark, sink, made(number, number))
    send(spark, sink, made(4, 90, after=3, up_to=3))  # a period that ended by the clock
    restart()  # the checkpoint is put back to position 1, and batch 2 is larger than before
    send(spark, sink, made(2, 2, 3, 4))
    send(spark, sink, made(3, 90, after=4, up_to=4))
    send(spark, sink, made(4, 5, pipeline="p2"))
    assert seqs(spark, sink) == [1, 2, 3, 4, 5, 90]


def test_what_a_killed_job_left_is_completed(spark, sink):
    send(spark, sink, made(0, 1, 2))
    whole = made(1, 3, 4)
    sink.append(whole, spark.createDataFrame(table(3)))  # the format has shown one of two tasks
    restart()
    send(spark, sink, whole)
    assert seqs(spark, sink) == [1, 2, 3, 4]


def test_what_is_foreign_is_refused(spark, sink, tmp_path):
    send(spark, sink, made(0, 1))
    restart()
    with pytest.raises(StoreError, match="has the deliveries of another store; choose another table"):
        send(spark, sink, made(0, 2, pipeline="p2", store=2))
    shutil.rmtree(tmp_path / "sent")
    spark.createDataFrame([(1,)], "x int").write.format(sink.format).save(f"{tmp_path}/sent")
    with pytest.raises(StoreError, match=r"has other columns \(x\): no pipeline of Rankcast wrote it"):
        send(spark, sink, made(1, 2))


@pytest.mark.parametrize("name", ["table:", "table:orc", "table:?path=x"])
def test_a_table_needs_a_format_and_a_place(name):
    with pytest.raises(ModelError, match="table:"):
        sink_of(name)


def test_options_go_to_spark_and_passwords_are_not_shown():
    sink = TableSink.of("table:jdbc?url=jdbc:postgresql://db/x&dbtable=sent&password=not-to-be-shown")
    assert sink.options["password"] == "not-to-be-shown"
    assert str(sink) == "the table of format jdbc at 'sent'"


def test_a_table_can_have_the_deliveries_instead_of_the_store(spark, tmp_path, world):
    sink = sink_of(f"table:parquet?path={tmp_path}/sent&compression=zstd")
    with Store.create(tmp_path / "s.db") as store:
        store.change(put=list(world.records()))
        store.publish(world.events(40))
        serve = {"shards": 2, "trigger": None, "close": True, "max_events": 15, "sink": sink, "has_deliveries": False}
        wait_for(serve_store(spark, tmp_path / "s.db", tmp_path / "checkpoint", **serve))
        wanted = world.expected(store)
        rows = spark.read.parquet(f"{tmp_path}/sent").collect()
        assert sorted((row.user, row.seq) for row in rows) == sorted((one.user, one.seq) for one in wanted)
        assert not world.delivered(store)
        assert store.pipeline().delivered == len(wanted)
        assert store.progress().offset == 40

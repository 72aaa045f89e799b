"""The data source reads a store's tables at once and as they grow, and pipelines claim the store with it."""

import pytest
from pyspark.errors import AnalysisException

from rankcast.errors import ModelError, StoreError
from rankcast.pipeline.spark import register
from rankcast.pipeline.spark.blobs import MARK
from rankcast.pipeline.spark.keys import shard_keys
from rankcast.pipeline.spark.live.marks import Mark, decode_mark
from rankcast.pipeline.spark.source_readers import BatchReader, LogPipelineReader, PipelineReader, StreamReader
from rankcast.pipeline.spark.source_tables import Options
from rankcast.pipeline.spark.versions import ReadAllAvailable, ReadMaxRows
from rankcast.store import Store


@pytest.fixture
def store(tmp_path, world):
    with Store.create(tmp_path / "s.db") as store:
        store.change(put=list(world.records()))
        store.publish(world.events(30))
        yield store


@pytest.fixture
def reader(tmp_path, store):
    def make(kind=StreamReader, **options):
        return kind(Options.of({"store": str(tmp_path / "s.db"), **options}))

    return make


def rows(reader, parts):
    return [row for part in parts for batch in reader.read(part) for row in batch.to_pylist()]


def test_a_batch_has_all_that_is_there(reader, store):
    batch = reader(BatchReader)
    found = rows(batch, batch.partitions())
    assert [row["event_offset"] for row in found] == list(range(1, 31))
    assert {row["catalog_version"] for row in found} == {1}
    assert found[4]["id"] == "e00004"
    assert found[4]["content"].startswith('{"id":"e00004"')
    later = reader(BatchReader, startingTime="2026-01-01T00:25:00Z")
    assert [row["id"] for row in rows(later, later.partitions())] == [f"e{n:05d}" for n in range(25, 30)]


def test_a_stream_grows_within_its_limit(reader, store, world):
    stream = reader(startingOffset="20", maxEventsPerTrigger="7")
    assert stream.getDefaultReadLimit() == ReadMaxRows(7)
    start = stream.initialOffset()
    end = stream.latestOffset(start, ReadMaxRows(7))
    assert (start, end) == ({"number": 20}, {"number": 27})
    assert [row["event_offset"] for row in rows(stream, stream.partitions(start, end))] == list(range(21, 28))
    assert stream.latestOffset(end, ReadAllAvailable()) == {"number": 30}
    assert stream.latestOffset({"number": 30}, ReadMaxRows(7)) == {"number": 30}
    assert stream.partitions({"number": 30}, {"number": 30}) == []
    stream.prepareForTriggerAvailableNow()
    store.publish(world.events(10, first=30))
    assert stream.latestOffset(end, ReadAllAvailable()) == {"number": 30}
    stream.stop()


def test_changes_and_deliveries_are_tables_too(reader, store):
    from rankcast.pipeline.local import serve_pending

    list(serve_pending(store))
    changes = reader(table="catalog")
    found = rows(
        changes, changes.partitions(changes.initialOffset(), changes.latestOffset({"number": 0}, ReadAllAvailable()))
    )
    assert len(found) == 33
    assert {row["version"] for row in found} == {1}
    deliveries = reader(table="deliveries", startingOffset="5")
    end = deliveries.latestOffset({"number": 5}, ReadMaxRows(3))
    sent = rows(deliveries, deliveries.partitions({"number": 5}, end))
    assert [row["number"] for row in sent] == [6, 7, 8]
    assert all(row["received"] is not None for row in sent)
    newest = reader(table="deliveries", startingOffset="latest")
    assert newest.initialOffset() == {"number": store.last_delivery()}


def marks(rows):
    return [decode_mark(blob) for (blob,) in rows]


def test_a_pipeline_claims_the_store_once_and_is_checked_every_time(reader, store):
    mine = reader(PipelineReader, table="log", pipeline="mine", place="cp", shards="2", maxEventsPerTrigger="12")
    start = mine.initialOffset()
    assert start == mine.initialOffset() == {"number": 0, "pipeline": "mine", "closed": 0}
    found, end = mine.read(start)
    assert end == {**start, "number": 12}
    assert marks(found) == marks(mine.readBetweenOffsets(start, end)) == [Mark("mine", 0, 12)]
    resharded = reader(PipelineReader, table="log", pipeline="mine", place="cp", shards="5")
    with pytest.raises(StoreError, match="has 2 shards, not 5"):
        resharded.read(start)
    with pytest.raises(StoreError, match="has 2 shards, not 5"):
        resharded.readBetweenOffsets(start, end)
    other = reader(PipelineReader, table="log", pipeline="other", place="elsewhere", shards="2")
    other.initialOffset()  # nothing was committed yet: whoever comes later may begin
    with pytest.raises(
        StoreError, match=r"'cp' does not belong to the store .* by the pipeline with the checkpoint 'elsewhere'"
    ):
        mine.read(start)
    with pytest.raises(StoreError, match=r"has read log up to 31, but the store .* has only 30"):
        other.read({"number": 31, "pipeline": "other", "closed": 0})


def test_where_nothing_is_new_there_is_no_row(reader, store, world):
    mine = reader(PipelineReader, table="log", pipeline="mine", place="cp")
    _, end = mine.read(mine.initialOffset())
    found, same = mine.read(end)
    assert (list(found), same) == ([], end)
    store.publish(world.events(5, first=30))
    found, later = mine.read(end)
    assert (marks(found), later["number"]) == ([Mark("mine", 30, 35)], 35)


def test_one_micro_batch_may_take_everything_and_close(reader):
    """For Spark 4.1, which makes only one micro-batch of what is available."""
    options = {"table": "log", "pipeline": "mine", "place": "cp", "maxEventsPerTrigger": "7", "close": "true"}
    mine = reader(PipelineReader, once="true", **options)
    found, end = mine.read(mine.initialOffset())
    assert end == {"number": 30, "pipeline": "mine", "closed": 1}
    assert marks(found) == [Mark("mine", 0, 30, True)]
    assert mine.read(end)[1] == end


def test_the_log_is_matched_in_ranges(reader, store, monkeypatch):
    monkeypatch.setattr("rankcast.pipeline.spark.source_readers._ENOUGH_TO_MATCH", 10)
    mine = reader(LogPipelineReader, table="matches", pipeline="mine", place="cp", shards="2", matchers="2")
    start = mine.initialOffset()
    end = mine.latestOffset(start, mine.getDefaultReadLimit())
    assert end["number"] == 30
    parts = mine.partitions(start, end)
    assert [(part.number, tuple(part.part)) for part in parts] == [(0, (0, 15)), (1, (15, 30))]
    assert [part.mark is None for part in parts] == [False, True]  # the first brings the mark
    assert decode_mark(parts[0].mark) == Mark("mine", 0, 30)
    few = mine.partitions(start, {**start, "number": 19})
    assert [tuple(part.part) for part in few] == [(0, 19)]
    assert mine.partitions(end, end) == []


def test_a_micro_batch_without_events_reaches_every_shard(reader, store):
    mine = reader(LogPipelineReader, table="matches", pipeline="mine", place="cp", shards="3", close="true")
    start = mine.initialOffset()
    mine.prepareForTriggerAvailableNow()
    end = mine.latestOffset(start, mine.getDefaultReadLimit())
    closed = mine.latestOffset(end, mine.getDefaultReadLimit())
    found = rows(mine, mine.partitions(end, closed))
    assert sorted(row["shard_key"] for row in found) == sorted(shard_keys(3))
    assert {(row["kind"], decode_mark(row["blob"])) for row in found} == {(MARK, Mark("mine", 30, 30, close=True))}
    mine.stop()


def test_versions_are_taken_all_at_once(reader, store, world):
    mine = reader(PipelineReader, table="versions", pipeline="mine", place="cp", maxEventsPerTrigger="1")
    start = mine.initialOffset()
    store.change(remove=[next(iter(store.catalog().subscriptions.values()))])
    found, end = mine.read(start)
    assert (start["number"], end["number"], marks(found)) == (-1, 2, [Mark("mine", -1, 2)])


def test_the_end_of_the_stream_is_an_offset_of_its_own(reader, store):
    mine = reader(PipelineReader, table="log", pipeline="mine", place="cp", close="true")
    start = mine.initialOffset()
    mine.prepareForTriggerAvailableNow()
    _, end = mine.read(start)
    found, closed = mine.read(end)
    assert (end["number"], end["closed"], closed["number"], closed["closed"]) == (30, 0, 30, 1)
    assert marks(found) == [Mark("mine", 30, 30, close=True)]
    assert mine.read(closed)[1] == closed


def test_what_pipelines_read_is_no_batch(spark, store, tmp_path):
    register(spark)
    with pytest.raises(AnalysisException, match="'log' is for pipelines, which read it as a stream"):
        spark.read.format("rankcast").option("store", str(tmp_path / "s.db")).option("table", "log").load().collect()


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"table": "event"}, "has no table 'event'; did you mean 'events'"),
        ({"startingoffset": "x"}, "startingOffset is 'x'; it must be a whole number"),
        ({"startingOffset": "1", "startingTime": "2026-01-01"}, "not both"),
        ({"table": "deliveries", "startingTime": "2026-01-01"}, "startingTime is for the table events"),
        ({"maxEventsPerTrigger": "0"}, "maxEventsPerTrigger is 0; it must be at least 1"),
        ({"maxEventPerTrigger": "5"}, "has no option 'maxeventpertrigger'; did you mean 'maxeventspertrigger'"),
    ],
)
def test_options_that_cannot_be_are_said(options, message):
    with pytest.raises(ModelError, match=message):
        Options.of({"store": "s.db", **options})
    with pytest.raises(ModelError, match="needs the option 'store'"):
        Options.of({})


def test_spark_reads_a_store_by_its_format(spark, store, tmp_path):
    register(spark)
    frame = spark.read.format("rankcast").option("store", str(tmp_path / "s.db")).load()
    assert frame.columns == ["event_offset", "catalog_version", "id", "time", "content", "logged"]
    assert frame.where("event_offset > 20").count() == 10

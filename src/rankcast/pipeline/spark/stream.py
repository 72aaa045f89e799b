"""The live pipeline: events and catalog versions in, through the shards, deliveries out, each exactly once."""

import os
import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from datetime import timedelta
from functools import partial
from pathlib import Path
from uuid import uuid4

from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as f
from pyspark.sql.streaming.query import StreamingQuery

from rankcast.errors import ModelError
from rankcast.language import dumps, encode_record
from rankcast.model import Catalog
from rankcast.pipeline.spark.blobs import EVENTS, MARK
from rankcast.pipeline.spark.checkpoints import pipeline_name
from rankcast.pipeline.spark.columns import event_columns
from rankcast.pipeline.spark.executors import executor_cores
from rankcast.pipeline.spark.keys import shard_keys
from rankcast.pipeline.spark.live.hosts import matchers_here
from rankcast.pipeline.spark.live.processor import ShardProcessor
from rankcast.pipeline.spark.live.requests import HostSettings
from rankcast.pipeline.spark.locking import start_locked
from rankcast.pipeline.spark.shipping import shipped
from rankcast.pipeline.spark.sinks import (
    OUTPUT,
    FunctionSink,
    Sink,
    StoreSink,
    TaskSink,
    publish_batch,
    unpacked,
    write_part,
)
from rankcast.pipeline.spark.source import register
from rankcast.pipeline.spark.source_tables import MAX_EVENTS
from rankcast.pipeline.spark.versions import GIVES_STARTS
from rankcast.pipeline.spark.workers import JSON, RECEIVED, WRITTEN, pack
from rankcast.store import Store

SHARDS = 16
"""The shards of a new checkpoint. More would let more cores share the work, but each costs some 4 ms of processor time
per micro-batch."""

_PROVIDER = "spark.sql.streaming.stateStore.providerClass"
_ROCKSDB = "org.apache.spark.sql.execution.streaming.state.RocksDBStateStoreProvider"


def serve_store(
    spark: SparkSession,
    store: str | os.PathLike[str],
    checkpoint: str | os.PathLike[str],
    *,
    shards: int | None = None,
    events: DataFrame | None = None,
    json: str | None = None,
    sink: Sink | TaskSink | Sequence[Sink | TaskSink] = (),
    has_deliveries: bool = True,
    trigger: str | None = "200 milliseconds",
    max_events: int | None = MAX_EVENTS,
    start: int | str | None = None,
    lateness: timedelta | None = None,
    max_ahead: timedelta | None = timedelta(hours=1),
    close: bool = False,
    journal: int = 100_000,
    name: str | None = None,
    is_locked: bool = False,
) -> StreamingQuery:
    """Serve a store with Structured Streaming. Returns the running query.

    Parameters
    ----------
    checkpoint
        A folder (or any URL that Spark can write) that belongs to this store. It holds the position of the pipeline
        and the delivery state. With it, the pipeline continues where it stopped, whatever was killed. If the store is
        served in-process, a new checkpoint takes over, including the state.
    shards
        The number of shards that share the users; by default `SHARDS`. It cannot change later. It is the largest number
        of cores that can serve them. Which executors have these cores may change at any time.
    events
        Any streaming DataFrame with the columns of `rankcast.pipeline.spark.deliver`, or with events as JSON in the
        column `json` (and their positions in the columns `file` and `line`, for rejects). By default, the store's own
        event log. Each micro-batch is served with one version of the catalog, which the checkpoint records. Events of
        the store's log are served with the version at their publication.
    sink
        Where deliveries go besides the store: a sink to which shards write (`rankcast.pipeline.spark.sinks.sink_of`), or
        a function of `rankcast.pipeline.spark.sinks.MicroBatchResult`, which the driver calls.
    has_deliveries
        Whether deliveries also go to the store. If not, the store has the progress, the counts and the rejects only.
    trigger
        How often to look for events. None serves the available events and ends.
    max_events
        The maximum number of the store's events per micro-batch; None means no limit. Other sources limit themselves.
    start
        For a new checkpoint: serve the store's log after this offset, or from a time on ("2004-02-13T20:05:00Z"),
        without earlier state.
    lateness
        How far an event may be behind the newest. Later ones are rejected. See
        `rankcast.pipeline.spark.live.intake.Intake`.
    max_ahead
        How far an event of another source may be ahead of the clock when its micro-batch begins. Others are rejected,
        because one event in the far future would end the periods of all users. None means no limit. Events of the
        store's own log were checked when they were published.
    close
        With `trigger` None: end unfinished periods after the last event, as a replay does.
    journal
        The approximate number of events after which each page of the state is rewritten.
    is_locked
        Whether the caller holds the store's lock (`rankcast.store.store_lock`) while the query runs. If not, it is
        taken here, and released when the query ends.

    Deliveries and rejects are written to the store exactly once. Works in a classic session and under Spark Connect.
    """
    url, run = absolute(store), uuid4().hex
    with Store.open(url) as opened:
        known = opened.pipeline()
        identity = opened.created()
        if has_deliveries:
            opened.prepare_staging()
        count = shards or (known.shards if known and known.engine == "spark" else None) or SHARDS
    register(spark)
    source = spark.readStream.format("rankcast").option("store", url).option("place", os.fspath(checkpoint))
    source = (
        source.option("pipeline", pipeline_name(spark, checkpoint))
        .option("shards", count)
        .option("close", str(close).lower())
        .option("once", str(trigger is None and not GIVES_STARTS).lower())
    )
    if max_events is not None:
        source = source.option("maxEventsPerTrigger", max_events)
    if start is not None:
        source = source.option("startingOffset" if isinstance(start, int) else "startingTime", start)
    asks = events is None and (_is_one_matcher(spark) or not GIVES_STARTS)
    if asks:
        marks = source.option("table", "log").load().select(f.lit(MARK).alias("kind"), "blob")
        rows = _everywhere(marks, count)
    elif events is None:
        source = source.option("table", "matches").option("matchers", count).option("run", run)
        # The key is never null, and checkpoints of earlier releases insist on it.
        rows = source.load().withColumn("shard_key", f.coalesce("shard_key", f.lit(0)))
    else:
        versions = source.option("table", "versions").load().select(f.lit(MARK).alias("kind"), "blob")
        rows = _everywhere(versions.unionAll(_packed(events, json)), count)
    settings = HostSettings(
        run=run,
        place=os.fspath(checkpoint),
        shards=count,
        store=url,
        is_log=events is None,
        is_json=json is not None,
        lateness=_microseconds(lateness),
        journal=journal,
        max_ahead=_microseconds(max_ahead),
        asks_for_matches=asks,
    )
    more = (sink,) if callable(sink) or isinstance(sink, TaskSink) else sink
    given = [one if isinstance(one, TaskSink) else FunctionSink(one) for one in more]
    sinks = [StoreSink(url, has_deliveries), *given]
    writer = (
        _by_shard(rows, settings, b"", sinks, identity)
        .writeStream.foreachBatch(partial(publish_batch, sinks=sinks, store=identity))
        .option("checkpointLocation", os.fspath(checkpoint))
        .outputMode("update")
    )
    if name is not None:
        writer = writer.queryName(name)
    writer = writer.trigger(availableNow=True) if trigger is None else writer.trigger(processingTime=trigger)
    with settings_for(spark, partitions_of(spark, count)):
        return writer.start() if is_locked else start_locked(url, writer.start)


def deliver_stream(
    events: DataFrame, catalog: Catalog, *, shards: int, json: str | None, lateness: timedelta | None
) -> DataFrame:
    """The deliveries of a stream of events with a fixed catalog, as a streaming DataFrame."""
    provider = events.sparkSession.conf.get(_PROVIDER, "") or ""
    if "RocksDB" not in provider:
        raise ModelError(
            f"streams of deliveries need the RocksDB state store; first run spark.conf.set({_PROVIDER!r}, {_ROCKSDB!r})"
        )
    settings = HostSettings(
        run=uuid4().hex,
        place="",
        shards=shards,
        store="",
        is_log=False,
        is_json=json is not None,
        lateness=_microseconds(lateness),
        journal=100_000,
    )
    lines = "\n".join(dumps(encode_record(record)) for record in catalog.records()).encode()
    rows = _everywhere(_packed(events, json), shards)
    return unpacked(_by_shard(rows, settings, lines, [TaskSink()]), 0)


def _packed(events: DataFrame, json: str | None) -> DataFrame:
    """The events as packed rows."""
    if not events.isStreaming:
        raise ModelError(
            "the events are no stream; this takes a streaming DataFrame (spark.readStream, not spark.read)"
        )
    if json is None:
        events = event_columns(events)
    elif json not in events.columns:
        raise ModelError(f"the events have no column {json!r}; columns are {', '.join(events.columns)}")
    else:
        place = [name for name in ("file", "line") if {"file", "line"} <= {*events.columns} - {json}]
        # As bytes, so that invalid UTF-8 becomes a reject instead of an error in Arrow.
        written = [WRITTEN] if WRITTEN in events.columns else []
        events = events.select(f.col(json).cast("binary").alias(JSON), *place, *written)
    # Spark records the time of a micro-batch in the checkpoint, so a repeated one has the same time.
    events = events.withColumn(RECEIVED, f.current_timestamp())
    return events.mapInArrow(shipped(pack), "blob binary").select(f.lit(EVENTS).alias("kind"), "blob")


def _everywhere(rows: DataFrame, shards: int) -> DataFrame:
    """Send every row to every shard."""
    keys = f.array(*(f.lit(key) for key in shard_keys(shards)))
    return rows.select(f.explode(keys).alias("shard_key"), "kind", "blob")


def _by_shard(
    rows: DataFrame, settings: HostSettings, catalog: bytes, sinks: Sequence[TaskSink], store: int = 0
) -> DataFrame:
    """Give each shard its rows. Each answers with one row."""
    numbers = {key: number for number, key in enumerate(shard_keys(settings.shards))}
    return rows.groupBy("shard_key").transformWithState(
        ShardProcessor(settings, numbers, catalog, partial(write_part, sinks=sinks, store=store)),
        OUTPUT,
        "update",
        "none",
    )


def _is_one_matcher(spark: SparkSession) -> bool:
    """Whether one process matches all events, because the shards are on one machine with few cores.

    It needs no Spark task to give it a range, which saves 0.2 to 0.3 s per micro-batch, and it matches in advance.
    """
    return (spark.conf.get("spark.master", "") or "").startswith("local[") and matchers_here() == 1


def partitions_of(spark: SparkSession, shards: int) -> int:
    """The number of tasks that serve the shards of a new checkpoint.

    On a cluster each shard has a task, because the cluster may grow. A machine has the cores that it has, and each task
    costs it some 20 ms per micro-batch. The number divides that of the shards, so all tasks have equally many.
    """
    cores = re.fullmatch(r"local\[(\d+|\*)(?:,.*)?\]", spark.conf.get("spark.master", "") or "")
    if cores is None:
        return shards
    most = executor_cores() if cores[1] == "*" else int(cores[1])
    return max(count for count in range(1, shards + 1) if shards % count == 0 and count <= max(most, 1))


@contextmanager
def settings_for(spark: SparkSession, partitions: int) -> Iterator[None]:
    """Set what a query needs in the session while it starts, then restore the session. The query keeps a copy.

    Spark keeps the number of partitions in the checkpoint. A query that goes on has the number that it began with.
    """
    wanted = {
        "spark.sql.shuffle.partitions": str(partitions),
        _PROVIDER: _ROCKSDB,
        "spark.sql.streaming.stateStore.rocksdb.changelogCheckpointing.enabled": "true",
    }
    before = {name: spark.conf.get(name, None) for name in wanted}
    try:
        for name, value in wanted.items():
            spark.conf.set(name, value)
        yield
    finally:
        for name, old in before.items():
            if old is None:
                spark.conf.unset(name)
            else:
                spark.conf.set(name, old)


def absolute(store: str | os.PathLike[str]) -> str:
    """The place of a store as the executors need it, which run in folders of their own."""
    text = os.fspath(store)
    return text if "://" in text else str(Path(text).absolute())


def _microseconds(duration: timedelta | None) -> int | None:
    return None if duration is None else duration // timedelta(microseconds=1)

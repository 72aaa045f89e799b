"""The live pipeline: events and catalog versions in, through the shards, deliveries out, each exactly once."""

import os
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from datetime import timedelta
from functools import partial
from pathlib import Path
from typing import Any
from uuid import uuid4

from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as f
from pyspark.sql.streaming.query import StreamingQuery

from rankcast.errors import ModelError
from rankcast.language import dumps, encode_record
from rankcast.language.columns import spark_schema
from rankcast.model import Catalog, Delivery
from rankcast.pipeline.spark.checkpoints import pipeline_name
from rankcast.pipeline.spark.columns import check_columns
from rankcast.pipeline.spark.keys import shard_keys
from rankcast.pipeline.spark.live.frames import EVENTS, MARK
from rankcast.pipeline.spark.live.processor import OUTPUT, ShardProcessor
from rankcast.pipeline.spark.live.requests import HostSettings
from rankcast.pipeline.spark.locking import start_locked
from rankcast.pipeline.spark.sinks import Sink, StoreSink, made_of, unpack
from rankcast.pipeline.spark.source import register
from rankcast.pipeline.spark.workers import JSON, RECEIVED, WRITTEN, pack
from rankcast.store import Store

__all__ = ["deliver_stream", "serve_store"]

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
    sink: Sink | Sequence[Sink] = (),
    trigger: str | None = "200 milliseconds",
    max_events: int | None = None,
    start: int | str | None = None,
    lateness: timedelta | None = None,
    max_ahead: timedelta | None = timedelta(hours=1),
    close: bool = False,
    journal: int = 100_000,
    name: str | None = None,
    is_locked: bool = False,
) -> StreamingQuery:
    """Serve a store by Structured Streaming; the running query.

    Parameters
    ----------
    checkpoint
        A folder (or any URL that Spark writes) that belongs to this store: it holds how far the pipeline is, and the delivery
        state. With it, the pipeline goes on where it was, whatever was killed. A store that is served in-process is
        taken over, state and all, into a new one.
    shards
        Among how many the users are divided; one per core of this machine by default. Stays what it was.
    events
        Any streaming DataFrame with the columns of `rankcast.pipeline.spark.deliver`, or with events as JSON in the column `json` (and
        where each stood in the columns `file` and `line`, for rejects); by default the store's own event log. Each micro-batch is served under one version of the catalog, which the checkpoint
        records; of the store's log, each event under the version of its publication.
    sink
        Where deliveries go besides the store: functions of `rankcast.pipeline.spark.sinks.MicroBatchResult`.
    trigger
        How often to look for events; None serves what is there and ends.
    max_events
        How many of the store's events a micro-batch has at most.
    start
        Of a new checkpoint: serve the store's log after this offset, or from a time on ("2004-02-13T20:05:00Z"), without
        state from before.
    lateness
        How long an event may be behind the newest; later ones are rejects. See `rankcast.pipeline.spark.live.intake.Intake`.
    max_ahead
        How long an event from elsewhere may be ahead of the clock when its micro-batch begins; others are rejects, because one event of
        a far future would end everybody's periods. None for any. The store's own log has been checked by whoever published.
    close
        With `trigger` None: in the end, end unfinished periods, as a replay does.
    journal
        After about how many events each page of the state is written anew.
    is_locked
        Whether the caller holds the store's lock (`rankcast.store.store_lock`) for as long as the query runs. If not, it is
        taken here, and given back when the query has ended.

    Deliveries are in the store exactly once, rejects too. Works in a classic session and under Spark Connect.
    """
    url = _absolute(store)
    with Store.open(url) as opened:
        known = opened.pipeline()
        identity = opened.created()
        count = shards or (known.shards if known and known.engine == "spark" else None) or os.cpu_count() or 1
    register(spark)
    source = spark.readStream.format("rankcast").option("store", url).option("place", os.fspath(checkpoint))
    source = (
        source.option("pipeline", pipeline_name(spark, checkpoint))
        .option("shards", count)
        .option("close", str(close).lower())
    )
    if max_events is not None:
        source = source.option("maxEventsPerTrigger", max_events)
    if start is not None:
        source = source.option("startingOffset" if isinstance(start, int) else "startingTime", start)
    if events is None:
        rows = source.option("table", "log").load().select(f.lit(MARK).alias("kind"), "blob")
    else:
        versions = source.option("table", "versions").load().select(f.lit(MARK).alias("kind"), "blob")
        rows = versions.unionAll(_packed(events, json))
    settings = HostSettings(
        run=uuid4().hex,
        place=os.fspath(checkpoint),
        shards=count,
        store=url,
        is_log=events is None,
        is_json=json is not None,
        lateness=_microseconds(lateness),
        journal=journal,
        max_ahead=_microseconds(max_ahead),
    )
    more = (sink,) if callable(sink) else tuple(sink)
    writer = (
        _by_shard(rows, settings, b"")
        .writeStream.foreachBatch(partial(_write, sinks=(StoreSink(url), *more), store=identity))
        .option("checkpointLocation", os.fspath(checkpoint))
        .outputMode("update")
    )
    if name is not None:
        writer = writer.queryName(name)
    writer = writer.trigger(availableNow=True) if trigger is None else writer.trigger(processingTime=trigger)
    with settings_for(spark, count):
        return writer.start() if is_locked else start_locked(url, writer.start)


def deliver_stream(
    events: DataFrame, catalog: Catalog, *, shards: int, json: str | None, lateness: timedelta | None
) -> DataFrame:
    """The deliveries of a stream of events under a fixed catalog, as a streaming DataFrame."""
    provider = events.sparkSession.conf.get(_PROVIDER, "") or ""
    if "RocksDB" not in provider:
        raise ModelError(
            f"streams of deliveries need the RocksDB state store; start the session with {_PROVIDER} = {_ROCKSDB}"
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
    return _by_shard(_packed(events, json), settings, lines).mapInArrow(unpack, spark_schema(Delivery))


def _packed(events: DataFrame, json: str | None) -> DataFrame:
    """The events as packed rows."""
    if not events.isStreaming:
        raise ModelError(
            "the events are no stream; this takes a streaming DataFrame (spark.readStream, not spark.read)"
        )
    if json is None:
        check_columns(events.schema)
    elif json not in events.columns:
        raise ModelError(f"the events have no column {json!r}; columns are {', '.join(events.columns)}")
    else:
        place = [name for name in ("file", "line") if {"file", "line"} <= {*events.columns} - {json}]
        # Bytes: what is no UTF-8 is a reject, and no failure of Arrow's.
        written = [WRITTEN] if WRITTEN in events.columns else []
        events = events.select(f.col(json).cast("binary").alias(JSON), *place, *written)
    # Spark writes the time of a micro-batch into the checkpoint, so one that is run again has the same.
    events = events.withColumn(RECEIVED, f.current_timestamp())
    return events.mapInArrow(pack, "blob binary").select(f.lit(EVENTS).alias("kind"), "blob")


def _by_shard(rows: DataFrame, settings: HostSettings, catalog: bytes) -> DataFrame:
    """Every row to every shard, each of which answers with one row."""
    keys = shard_keys(settings.shards)
    everywhere = rows.select(f.explode(f.array(*(f.lit(key) for key in keys))).alias("shard_key"), "kind", "blob")
    numbers = {key: number for number, key in enumerate(keys)}
    return everywhere.groupBy("shard_key").transformWithState(
        ShardProcessor(settings, numbers, catalog), OUTPUT, "update", "none"
    )


def _write(rows: DataFrame, batch: int, sinks: Sequence[Callable[[Any], None]], store: int) -> None:
    made = made_of(rows, batch, store)
    for sink in sinks:
        sink(made)


@contextmanager
def settings_for(spark: SparkSession, shards: int) -> Iterator[None]:
    """What a query of ours needs of the session while it is started: it keeps a copy, and the session gets its own back."""
    wanted = {
        "spark.sql.shuffle.partitions": str(shards),
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


def _absolute(store: str | os.PathLike[str]) -> str:
    text = os.fspath(store)
    return text if "://" in text else str(Path(text).absolute())


def _microseconds(duration: timedelta | None) -> int | None:
    return None if duration is None else duration // timedelta(microseconds=1)

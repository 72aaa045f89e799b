"""Batch jobs: a DataFrame of events and a catalog in, deliveries, matches or rejects out.

Each input batch of events travels to every shard as one packed Arrow blob; the shard's part of the catalog
travels beside it; one grouped step per shard runs `Shard` and lets only results out. Candidates are never
shuffled.
"""

import os
from collections.abc import Callable, Iterator
from functools import partial

import pyarrow as pa
from pyspark.sql import Column, DataFrame, SparkSession, Window
from pyspark.sql import functions as f

from rankcast.errors import CatalogError, ModelError
from rankcast.language import decode_record, dumps, encode_event, encode_match, encode_record
from rankcast.model import Catalog, Concept, Event, Policy, Preference, Subscription, in_publication_order
from rankcast.shard import Shard, shard_of
from rankcast.spark.columns import check_columns, events_of_json, events_of_table
from rankcast.spark.keys import shard_keys

__all__ = ["deliver", "match", "rejects"]

_DELIVERY = (
    "user string, event string, seq long, rank double, subscriptions array<string>, "
    "published timestamp, forwarded timestamp, window long"
)
_MATCH = "event string, subscription string, user string, degree double"
_CATALOG, _EVENTS = 0, 1
_JSON = "event_json"


def deliver(events: DataFrame, catalog: Catalog, *, shards: int | None = None, json: str | None = None) -> DataFrame:
    """What each user receives of a finished stream of events: the same as `rankcast.shard.replay`.

    Parameters
    ----------
    events
        One event per row. Columns `id` and `time`, optionally `source`, `advertisement`, `k`; every other column
        is an attribute: null is absent, an array is multi-valued.
    shards
        Among how many the users are divided; by default one per core of this machine.
    json
        Instead of columns: the name of the one column that holds each event as JSON, whatever its attributes.

    Returns a DataFrame with columns user, event, seq, rank, subscriptions, published, forwarded, window; its rows
    have no order. Rows that cannot be events take no part: see `rejects`. Each shard holds all events of the
    job in memory.
    """
    return _by_shard(_deliver_in_shard, _DELIVERY, events, catalog, shards, json)


def match(events: DataFrame, catalog: Catalog, *, shards: int | None = None, json: str | None = None) -> DataFrame:
    """Which subscriptions each event matches: columns event, subscription, user, degree. Parameters as `deliver`."""
    return _by_shard(_match_in_shard, _MATCH, events, catalog, shards, json)


def rejects(events: DataFrame, catalog: Catalog, *, json: str | None = None) -> DataFrame:
    """The rows that `deliver` and `match` leave out: columns raw (the row) and reason.

    Of several events with one id the earliest counts (by time, then by content); the others are rejects.
    """
    prepared = _prepared(events, json)
    concepts = _lines([record for record in catalog.records() if isinstance(record, Concept)])
    checked = prepared.mapInArrow(
        partial(_check_rows, concepts=concepts), "id string, time timestamp, content string, raw string, reason string"
    )
    earliest = Window.partitionBy("id").orderBy("time", "content")
    repeated = checked.where("reason is null").withColumn("nth", f.row_number().over(earliest)).where("nth > 1")
    reason = f.concat(f.lit("duplicate event '"), f.col("id"), f.lit("'"))
    return (
        checked.where("reason is not null")
        .select("raw", "reason")
        .unionAll(repeated.select("raw", reason.alias("reason")))
    )


def _prepared(events: DataFrame, json: str | None) -> DataFrame:
    if events.isStreaming:
        raise ModelError("the events are a stream; this takes a batch DataFrame (spark.read, not spark.readStream)")
    if json is None:
        check_columns(events.schema)
        return events
    if json not in events.columns:
        raise ModelError(f"the events have no column {json!r}; columns are {', '.join(events.columns)}")
    return events.select(f.col(json).cast("string").alias(_JSON))


def _by_shard(
    in_shard: Callable[[Shard, list[Event]], pa.Table],
    schema: str,
    events: DataFrame,
    catalog: Catalog,
    shards: int | None,
    json: str | None,
) -> DataFrame:
    count = shards or os.cpu_count() or 1
    if count < 1:
        raise ModelError(f"shards is {count}; it must be at least 1")
    keys = shard_keys(count)
    everywhere: Column = f.explode(f.array(*(f.lit(key) for key in keys)))
    packed = _prepared(events, json).mapInArrow(_pack, "blob binary")
    parts = [(key, _CATALOG, blob) for key, blob in zip(keys, _split(catalog, count), strict=True)]
    rows = (
        _catalog_frame(events.sparkSession, parts)
        .unionAll(packed.select(everywhere.alias("shard"), f.lit(_EVENTS).alias("kind"), "blob"))
        .repartition(count, "shard")
    )
    return rows.groupBy("shard").applyInArrow(partial(_run_shard, in_shard=in_shard), schema)


def _catalog_frame(spark: SparkSession, parts: list[tuple[int, int, bytes]]) -> DataFrame:
    return spark.createDataFrame(parts, "shard int, kind int, blob binary")


def _split(catalog: Catalog, shards: int) -> list[bytes]:
    """The catalog of each shard: the records of its users, and what everybody needs."""
    parts: list[list[str]] = [[] for _ in range(shards)]
    for record in catalog.records():
        line = dumps(encode_record(record))
        if isinstance(record, Subscription | Preference | Policy):
            parts[shard_of(record.user, shards)].append(line)
        else:
            for part in parts:
                part.append(line)
    return ["\n".join(part).encode() for part in parts]


def _lines(records: list[Concept]) -> bytes:
    return "\n".join(dumps(encode_record(record)) for record in records).encode()


# What follows runs in Spark's Python workers.


def _pack(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    for batch in batches:
        sink = pa.BufferOutputStream()
        with pa.ipc.new_stream(sink, batch.schema) as writer:
            writer.write_batch(batch)
        yield pa.RecordBatch.from_arrays([pa.array([sink.getvalue().to_pybytes()], pa.binary())], ["blob"])


def _outcomes(batch: pa.RecordBatch | pa.Table, catalog: Catalog) -> Iterator[Event | tuple[str, str]]:
    decoded = events_of_json(batch[_JSON]) if batch.schema.names == [_JSON] else events_of_table(batch)
    for outcome in decoded:
        if isinstance(outcome, Event):
            try:
                catalog.check_event(outcome)
            except CatalogError as error:
                yield _content(outcome), str(error)
                continue
        yield outcome


def _content(event: Event) -> str:
    return dumps(encode_event(event))


def _catalog(lines: bytes) -> Catalog:
    return Catalog([decode_record(line) for line in lines.splitlines()])


def _check_rows(batches: Iterator[pa.RecordBatch], concepts: bytes) -> Iterator[pa.RecordBatch]:
    catalog = _catalog(concepts)
    schema = pa.schema(
        [
            ("id", pa.string()),
            ("time", pa.timestamp("us", "UTC")),
            ("content", pa.string()),
            ("raw", pa.string()),
            ("reason", pa.string()),
        ]
    )
    for batch in batches:
        rows = []
        for outcome in _outcomes(batch, catalog):
            if isinstance(outcome, Event):
                content = _content(outcome)
                rows.append({"id": outcome.id, "time": outcome.time, "content": content, "raw": content})
            else:
                rows.append({"raw": outcome[0], "reason": outcome[1]})
        yield pa.RecordBatch.from_pylist(rows, schema=schema)


def _accepted(blobs: list[bytes], catalog: Catalog) -> list[Event]:
    events: dict[str, Event] = {}
    for blob in blobs:
        for outcome in _outcomes(pa.ipc.open_stream(blob).read_all(), catalog):
            if isinstance(outcome, Event):
                known = events.get(outcome.id)
                if known is None or (outcome.time, _content(outcome)) < (known.time, _content(known)):
                    events[outcome.id] = outcome
    return in_publication_order(list(events.values()))


def _run_shard(rows: pa.Table, in_shard: Callable[[Shard, list[Event]], pa.Table]) -> pa.Table:
    kinds = rows["kind"].to_pylist()
    blobs = rows["blob"].to_pylist()
    lines = [blob for kind, blob in zip(kinds, blobs, strict=True) if kind == _CATALOG]
    catalog = _catalog(lines[0] if lines else b"")
    events = _accepted([blob for kind, blob in zip(kinds, blobs, strict=True) if kind == _EVENTS], catalog)
    return in_shard(Shard(catalog), events)


def _deliver_in_shard(shard: Shard, events: list[Event]) -> pa.Table:
    schema = pa.schema(
        [
            ("user", pa.string()),
            ("event", pa.string()),
            ("seq", pa.int64()),
            ("rank", pa.float64()),
            ("subscriptions", pa.list_(pa.string())),
            ("published", pa.timestamp("us", "UTC")),
            ("forwarded", pa.timestamp("us", "UTC")),
            ("window", pa.int64()),
        ]
    )
    deliveries = shard.publish(events) + shard.close()
    rows = [{name: getattr(delivery, name) for name in schema.names} for delivery in deliveries]
    return pa.Table.from_pylist(rows, schema=schema)


def _match_in_shard(shard: Shard, events: list[Event]) -> pa.Table:
    schema = pa.schema(
        [("event", pa.string()), ("subscription", pa.string()), ("user", pa.string()), ("degree", pa.float64())]
    )
    rows = [encode_match(found) for event in events for found in shard.match(event)]
    return pa.Table.from_pylist(rows, schema=schema)

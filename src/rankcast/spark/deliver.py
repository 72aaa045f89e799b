"""Batch jobs: a DataFrame of events and a catalog in, deliveries, matches or rejects out.

Each input batch of events travels to every shard as one packed Arrow blob; the shard's part of the catalog
travels beside it; one grouped step per shard runs `Shard` and lets only results out. Candidates are never
shuffled.
"""

import os
from functools import partial

from pyspark.sql import Column, DataFrame, SparkSession, Window
from pyspark.sql import functions as f

from rankcast.errors import ModelError
from rankcast.language import dumps, encode_record
from rankcast.model import Catalog, Policy, Preference, Record, Subscription
from rankcast.shard import shard_of
from rankcast.spark.columns import check_columns
from rankcast.spark.keys import shard_keys
from rankcast.spark.workers import (
    CATALOG,
    EVENTS,
    JSON,
    InShard,
    check_rows,
    deliver_in_shard,
    in_worker,
    match_in_shard,
    pack,
)

__all__ = ["deliver", "match", "rejects"]

_DELIVERY = (
    "user string, event string, seq long, rank double, subscriptions array<string>, "
    "published timestamp, forwarded timestamp, window long"
)
_OfUser = Subscription | Preference | Policy
_MATCH = "event string, subscription string, user string, degree double"


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
    return _by_shard(deliver_in_shard, _DELIVERY, events, catalog, shards, json)


def match(events: DataFrame, catalog: Catalog, *, shards: int | None = None, json: str | None = None) -> DataFrame:
    """Which subscriptions each event matches: columns event, subscription, user, degree. Parameters as `deliver`."""
    return _by_shard(match_in_shard, _MATCH, events, catalog, shards, json)


def rejects(events: DataFrame, catalog: Catalog, *, json: str | None = None) -> DataFrame:
    """The rows that `deliver` and `match` leave out: columns raw (the row) and reason.

    Of several events with one id the earliest counts (by time, then by content); the others are rejects.
    """
    prepared = _prepared(events, json)
    shared = _lines([record for record in catalog.records() if not isinstance(record, _OfUser)])
    checked = prepared.mapInArrow(
        partial(check_rows, shared=shared), "id string, time timestamp, content string, raw string, reason string"
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
    return events.select(f.col(json).cast("string").alias(JSON))


def _by_shard(
    in_shard: InShard,
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
    packed = _prepared(events, json).mapInArrow(pack, "blob binary")
    parts = [(key, CATALOG, blob) for key, blob in zip(keys, _split(catalog, count), strict=True)]
    rows = (
        _catalog_frame(events.sparkSession, parts)
        .unionAll(packed.select(everywhere.alias("shard"), f.lit(EVENTS).alias("kind"), "blob"))
        .repartition(count, "shard")
    )
    return rows.groupBy("shard").applyInArrow(in_worker(in_shard), schema)


def _catalog_frame(spark: SparkSession, parts: list[tuple[int, int, bytes]]) -> DataFrame:
    return spark.createDataFrame(parts, "shard int, kind int, blob binary")


def _split(catalog: Catalog, shards: int) -> list[bytes]:
    """The catalog of each shard: the records of its users, and what everybody needs."""
    parts: list[list[str]] = [[] for _ in range(shards)]
    for record in catalog.records():
        line = dumps(encode_record(record))
        if isinstance(record, _OfUser):
            parts[shard_of(record.user, shards)].append(line)
        else:
            for part in parts:
                part.append(line)
    return ["\n".join(part).encode() for part in parts]


def _lines(records: list[Record]) -> bytes:
    return "\n".join(dumps(encode_record(record)) for record in records).encode()

"""The input of all jobs: checked events, each id once, in publication order; and one part of the catalog per shard."""

import os
from collections.abc import Callable, Iterable
from typing import TypeAlias

import msgspec
import numpy as np
import pyarrow as pa
from pyspark.sql import Column, DataFrame, SparkSession, Window
from pyspark.sql import functions as f
from pyspark.sql.types import TimestampType

from rankcast.errors import ModelError
from rankcast.language import dumps, encode_record
from rankcast.model import Catalog, Policy, Preference, Record, Subscription
from rankcast.pipeline.spark.columns import event_columns
from rankcast.pipeline.spark.keys import shard_keys
from rankcast.pipeline.spark.packets import CatalogPart
from rankcast.pipeline.spark.shipping import shipped
from rankcast.pipeline.spark.workers import CHECKED, TIMED, WHOLE, check_rows, time_rows

_REPEATED = "rankcast_repeated_id"

LivesIn: TypeAlias = Callable[[str], int]
"""Gives the shard of a user, from 0."""

_OfUser = Subscription | Preference | Policy


def prepared(events: DataFrame, json: str | None) -> DataFrame:
    """The events in the form that the workers expect: their columns, or the one JSON column."""
    if events.isStreaming:
        raise ModelError("the events are a stream; this takes a batch DataFrame (spark.read, not spark.readStream)")
    if json is None:
        return event_columns(events)
    if json not in events.columns:
        raise ModelError(f"the events have no column {json!r}; columns are {', '.join(events.columns)}")
    return events.select(f.col(json).cast("string").alias(WHOLE))


def shard_count(shards: int | None) -> int:
    """The number of shards: as given, or one per core of this machine."""
    count = shards or os.cpu_count() or 1
    if count < 1:
        raise ModelError(f"shards is {count}; it must be at least 1")
    return count


def shared_lines(catalog: Catalog) -> bytes:
    """The records that concern all events (concepts and advertisements), one line of JSON each."""
    return _lines(record for record in catalog.records() if not isinstance(record, _OfUser))


def each_once(events: DataFrame, shared: bytes) -> DataFrame:
    """The prepared events without repeated ids: the earliest one counts (by time, then by content).

    Only events whose id occurs more than once are shuffled; they come back as JSON. The DataFrame is read twice, the
    first time for the ids only.
    """
    is_json = events.columns == [WHOLE]
    name: Column = f.get_json_object(f.col(WHOLE), "$.id") if is_json else f.col("id")
    repeated = f.broadcast(events.groupBy(name.alias(_REPEATED)).count().where("count > 1").select(_REPEATED))
    once = events.join(repeated, name == f.col(_REPEATED), "left_anti")
    several = events.join(repeated, name == f.col(_REPEATED), "left_semi")
    checked = several.mapInArrow(shipped(check_rows, shared=shared), CHECKED).where("reason is null")
    first = Window.partitionBy("id").orderBy("time", "content")
    earliest = checked.withColumn("nth", f.row_number().over(first)).where("nth = 1")
    whole = f.col("content").alias(WHOLE)
    if is_json:
        return once.unionAll(earliest.select(whole))
    columns = ["id", "time", whole] if _is_sortable(events) else [whole]
    return once.unionByName(earliest.select(*columns), allowMissingColumns=True)


def in_publication_order(events: DataFrame, shared: bytes) -> DataFrame:
    """The events by time and id: each partition is sorted, and follows the one before it.

    Spark samples the events to choose the bounds of the partitions, so it reads them once more.
    """
    if not _is_sortable(events):
        events = events.mapInArrow(shipped(time_rows, shared=shared), TIMED)
    return events.repartitionByRange("time", "id").sortWithinPartitions("time", "id")


def _is_sortable(events: DataFrame) -> bool:
    """Whether Spark orders the events as we do. Times without a zone would follow the zone of the session."""
    return "time" in events.columns and isinstance(events.schema["time"].dataType, TimestampType)


def catalog_packets(spark: SparkSession, catalog: Catalog, count: int, lives_in: LivesIn) -> DataFrame:
    """The first packet of each shard, its part of the catalog."""
    rows = {
        "shard": pa.array(shard_keys(count), pa.int32()),
        "at": pa.nulls(count, pa.int64()),
        "id": pa.nulls(count, pa.string()),
        "packet": pa.array(catalog_parts(catalog, count, lives_in), pa.binary()),
    }
    return spark.createDataFrame(pa.table(rows))  # rows of Python objects would go through a Python worker


def catalog_parts(catalog: Catalog, count: int, lives_in: LivesIn) -> list[bytes]:
    """For each shard a `CatalogPart`: the records of its users together with the shared ones."""
    parts: list[list[Record]] = [[] for _ in range(count)]
    numbers: list[list[int]] = [[] for _ in range(count)]
    number_of = {name: number for number, name in enumerate(catalog.subscriptions)}
    for record in catalog.records():
        if isinstance(record, _OfUser):
            place = lives_in(record.user)
            parts[place].append(record)
            if isinstance(record, Subscription):
                numbers[place].append(number_of[record.id])
        else:
            for part in parts:
                part.append(record)
    return [
        msgspec.msgpack.encode(CatalogPart(_lines(part), np.array(own, np.uint32).tobytes()))
        for part, own in zip(parts, numbers, strict=True)
    ]


def _lines(records: Iterable[Record]) -> bytes:
    return "\n".join(dumps(encode_record(record)) for record in records).encode()

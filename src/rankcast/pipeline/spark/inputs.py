"""The input of all jobs: checked events, and one part of the catalog per shard."""

import os
from collections.abc import Callable, Iterable
from typing import TypeAlias

import pyarrow as pa
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as f

from rankcast.engine.reference.shard import shard_of
from rankcast.errors import ModelError
from rankcast.language import dumps, encode_record
from rankcast.model import Catalog, Policy, Preference, Record, Subscription
from rankcast.pipeline.spark.columns import check_columns
from rankcast.pipeline.spark.keys import shard_keys
from rankcast.pipeline.spark.workers import CATALOG, JSON

__all__ = ["LivesIn", "catalog_rows", "prepared", "shard_count", "shared_lines"]

LivesIn: TypeAlias = Callable[[str], int]
"""Gives the shard of a user, from 0."""

_OfUser = Subscription | Preference | Policy


def prepared(events: DataFrame, json: str | None) -> DataFrame:
    """The events in the form that the workers expect: their columns, or the one JSON column."""
    if events.isStreaming:
        raise ModelError("the events are a stream; this takes a batch DataFrame (spark.read, not spark.readStream)")
    if json is None:
        check_columns(events.schema)
        return events
    if json not in events.columns:
        raise ModelError(f"the events have no column {json!r}; columns are {', '.join(events.columns)}")
    return events.select(f.col(json).cast("string").alias(JSON))


def shard_count(shards: int | None) -> int:
    """The number of shards: as given, or one per core of this machine."""
    count = shards or os.cpu_count() or 1
    if count < 1:
        raise ModelError(f"shards is {count}; it must be at least 1")
    return count


def shared_lines(catalog: Catalog) -> bytes:
    """The records that concern all events (concepts and advertisements), one line of JSON each."""
    return _lines(record for record in catalog.records() if not isinstance(record, _OfUser))


def catalog_rows(spark: SparkSession, catalog: Catalog, count: int, lives_in: LivesIn | None = None) -> DataFrame:
    """One row per shard: its key, CATALOG, and the records of its users together with the shared ones."""
    home = lives_in or (lambda user: shard_of(user, count))
    parts: list[list[Record]] = [[] for _ in range(count)]
    for record in catalog.records():
        if isinstance(record, _OfUser):
            place = home(record.user)
            if not 0 <= place < count:
                raise ModelError(f"user {record.user!r} lives in shard {place}; shards are 0 to {count - 1}")
            parts[place].append(record)
        else:
            for part in parts:
                part.append(record)
    rows = {
        "shard": pa.array(shard_keys(count), pa.int32()),
        "kind": pa.array([CATALOG] * count, pa.int32()),
        "blob": pa.array([_lines(part) for part in parts], pa.binary()),
    }
    return spark.createDataFrame(pa.table(rows))  # rows of Python objects would go through a Python worker


def _lines(records: Iterable[Record]) -> bytes:
    return "\n".join(dumps(encode_record(record)) for record in records).encode()

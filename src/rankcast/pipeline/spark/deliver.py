"""Batch jobs: a DataFrame of events and a catalog in, deliveries, matches or rejects out.

Each input batch of events goes to every shard as one packed Arrow blob, beside the shard's part of the catalog. One
grouped step per shard runs `Shard` and returns only results. Candidates are never shuffled.
"""

from datetime import timedelta
from functools import partial

from pyspark.sql import Column, DataFrame, Window
from pyspark.sql import functions as f

from rankcast.errors import ModelError
from rankcast.language.columns import spark_schema
from rankcast.model import Catalog, Delivery, Match
from rankcast.pipeline.spark.inputs import catalog_rows, prepared, shard_count, shared_lines
from rankcast.pipeline.spark.keys import shard_keys
from rankcast.pipeline.spark.route import recipients
from rankcast.pipeline.spark.stream import deliver_stream
from rankcast.pipeline.spark.workers import (
    ADMITTED,
    EVENTS,
    InShard,
    check_rows,
    deliver_in_shard,
    in_worker,
    match_in_shard,
    pack,
    set_aside_in_shard,
)

__all__ = ["deliver", "match", "rejects", "set_aside"]

_SET_ASIDE = "user string, event string, seq long, error string"


def deliver(
    events: DataFrame,
    catalog: Catalog,
    *,
    shards: int | None = None,
    json: str | None = None,
    lateness: timedelta | None = None,
) -> DataFrame:
    """What each user receives from the events.

    For a finished stream, this is the result of `rankcast.engine.reference.shard.replay`.

    Parameters
    ----------
    events
        One event per row. Columns `id` and `time`, optionally `source`, `advertisement`, `k`. Every other column is
        an attribute: null means absent, and an array is multi-valued. A struct is an imprecise value, with exactly
        one field that is not null: ``struct<between: array<double>>``, ``struct<value: double, is: string>``.
    shards
        The number of shards that share the users; by default one per core of this machine.
    json
        Instead of attribute columns: the name of the column that holds each event as JSON, with any attributes.
    lateness
        For streaming DataFrames only: serve events by time instead of arrival. Each event waits until another arrives
        that is later by more than this. An event that arrives after its turn is left out.

    A streaming DataFrame gives a streaming DataFrame. Start it with any sink, in output mode update. Its session
    needs the RocksDB state store (`local_session` has it), and should have one shuffle partition per shard. A period
    ends when a later event arrives.

    Returns a DataFrame with columns user, event, seq, rank, subscriptions, published, forwarded, window. Its rows
    have no order. Rows that are not valid events are left out: see `rejects`. Failures of one user or one event are
    left out: see `set_aside`. Each shard holds all events of the job in memory.
    """
    if events.isStreaming:
        return deliver_stream(events, catalog, shards=shard_count(shards), json=json, lateness=lateness)
    if lateness is not None:
        raise ModelError("lateness is for streams; the events are a batch, of which none is late")
    return _by_shard(
        deliver_in_shard, spark_schema(Delivery), events, catalog, shards, json, _advertised(events, catalog, json)
    )


def match(events: DataFrame, catalog: Catalog, *, shards: int | None = None, json: str | None = None) -> DataFrame:
    """The subscriptions that each event matches: columns event, subscription, user, degree.

    The parameters are those of `deliver`.
    """
    return _by_shard(match_in_shard, spark_schema(Match), events, catalog, shards, json)


def rejects(events: DataFrame, catalog: Catalog, *, json: str | None = None) -> DataFrame:
    """The rows that `deliver` and `match` leave out: columns raw (the row) and reason.

    If several events have the same id, the earliest one counts (by time, then by content). The others are rejects.
    """
    checked = prepared(events, json).mapInArrow(
        partial(check_rows, shared=shared_lines(catalog)),
        "id string, time timestamp, content string, raw string, reason string",
    )
    earliest = Window.partitionBy("id").orderBy("time", "content")
    repeated = checked.where("reason is null").withColumn("nth", f.row_number().over(earliest)).where("nth > 1")
    reason = f.concat(f.lit("duplicate event '"), f.col("id"), f.lit("'"))
    return (
        checked.where("reason is not null")
        .select("raw", "reason")
        .unionAll(repeated.select("raw", reason.alias("reason")))
    )


def set_aside(events: DataFrame, catalog: Catalog, *, shards: int | None = None, json: str | None = None) -> DataFrame:
    """The events that `deliver` cannot serve, while it serves everything else: columns user, event, seq, error.

    `user` is null if the event fails for all users. `event` is null if the user is not served at all from `seq` on.
    The cost and the parameters are those of `deliver`.
    """
    advertised = _advertised(events, catalog, json)
    return _by_shard(set_aside_in_shard, _SET_ASIDE, events, catalog, shards, json, advertised).distinct()


def _by_shard(
    in_shard: InShard,
    schema: str,
    events: DataFrame,
    catalog: Catalog,
    shards: int | None,
    json: str | None,
    advertised: DataFrame | None = None,
) -> DataFrame:
    count = shard_count(shards)
    everywhere: Column = f.explode(f.array(*(f.lit(key) for key in shard_keys(count))))
    rows = catalog_rows(events.sparkSession, catalog, count)
    packed = {EVENTS: prepared(events, json).mapInArrow(pack, "blob binary")}
    if advertised is not None:
        admitted = recipients(advertised, catalog, shards=count, json=json).select("event", "subscription")
        packed[ADMITTED] = admitted.mapInArrow(pack, "blob binary")
    for kind, blobs in packed.items():
        rows = rows.unionAll(blobs.select(everywhere.alias("shard"), f.lit(kind).alias("kind"), "blob"))
    return rows.repartition(count, "shard").groupBy("shard").applyInArrow(in_worker(in_shard), schema)


def _advertised(events: DataFrame, catalog: Catalog, json: str | None) -> DataFrame | None:
    """The events under an advertisement; None if there can be none. All shards choose their recipients together."""
    if not catalog.advertisements or (json is None and "advertisement" not in events.columns):
        return None
    named = f.col("advertisement") if json is None else f.get_json_object(f.col(json).cast("string"), "$.advertisement")
    return events.where(named.isNotNull())

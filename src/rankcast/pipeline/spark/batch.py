"""Batch jobs: a DataFrame of events and a catalog in, deliveries or rejects out.

Events are matched where they arrive, against one mapped index; users are served where they live. Spark sorts the
events into publication order. The tasks that read them in this order match them, and send to each shard the events
that concern it, once each, with the numbers of the subscriptions that they matched, and of all events the time. Each
shard then ranks and chooses, packet by packet, so its memory does not grow with the stream.
"""

from datetime import timedelta

from pyspark.sql import DataFrame, Window
from pyspark.sql import functions as f

from rankcast.engine.reference.shard import shard_of
from rankcast.errors import ModelError
from rankcast.language.columns import spark_schema
from rankcast.model import Catalog, Delivery
from rankcast.overlay import functions_of
from rankcast.pipeline.spark.inputs import (
    LivesIn,
    catalog_packets,
    each_once,
    in_publication_order,
    prepared,
    shard_count,
    shared_lines,
)
from rankcast.pipeline.spark.keys import shard_keys
from rankcast.pipeline.spark.matching_workers import ShippedIndex
from rankcast.pipeline.spark.packets import PACKET
from rankcast.pipeline.spark.sending_workers import send_matches
from rankcast.pipeline.spark.shard_workers import ServeShard, deliver_in_shard, serve_shards, set_aside_in_shard
from rankcast.pipeline.spark.shipping import shipped
from rankcast.pipeline.spark.stream import deliver_stream
from rankcast.pipeline.spark.workers import CHECKED, check_rows

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
    left out: see `set_aside`.

    The DataFrame of a batch is read three times: for repeated ids, for the bounds of sorted partitions, and to match.
    Cache it if that is expensive. A shard holds the delivery state of its users and one packet of events.
    """
    if events.isStreaming:
        return deliver_stream(events, catalog, shards=shard_count(shards), json=json, lateness=lateness)
    if lateness is not None:
        raise ModelError("lateness is for streams; the events are a batch, of which none is late")
    return _by_user(deliver_in_shard, spark_schema(Delivery), events, catalog, shards, json)


def rejects(events: DataFrame, catalog: Catalog, *, json: str | None = None) -> DataFrame:
    """The rows that `deliver` and `match` leave out: columns raw (the row) and reason.

    If several events have the same id, the earliest one counts (by time, then by content). The others are rejects.
    """
    checked = prepared(events, json).mapInArrow(
        shipped(check_rows, shared=shared_lines(catalog)),
        CHECKED,
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
    return _by_user(set_aside_in_shard, _SET_ASIDE, events, catalog, shards, json)


def _by_user(
    serve: ServeShard, schema: str, events: DataFrame, catalog: Catalog, shards: int | None, json: str | None
) -> DataFrame:
    count = shard_count(shards)
    return by_shard(serve, schema, prepared(events, json), catalog, count, lambda user: shard_of(user, count))


def by_shard(
    serve: ServeShard, schema: str, events: DataFrame, catalog: Catalog, count: int, lives_in: LivesIn
) -> DataFrame:
    """The result of serving every shard, with prepared events. `lives_in` gives the shard of a user, from 0."""
    shared, keys = shared_lines(catalog), shard_keys(count)
    ordered = in_publication_order(each_once(events, shared), shared)
    sent = ordered.mapInArrow(
        shipped(send_matches, index=ShippedIndex.of_catalog(catalog, lives_in), keys=keys), PACKET
    )
    packets = catalog_packets(events.sparkSession, catalog, count, lives_in).unionAll(sent)
    placed = packets.repartition(count, "shard").sortWithinPartitions("shard", "at", "id")
    return placed.mapInArrow(shipped(serve_shards, serve=serve, functions=functions_of(catalog)), schema)

"""Teams in Structured Streaming: nodes that share one user's filter, while events come (semantics: Teams).

A round has a fixed number of published events, so rounds do not depend on how the stream is cut into micro-batches. In
each micro-batch the nodes serve the rounds that are complete. After a round each node sends its report to the driver,
which merges them and answers with orders: at most about 2 KiB and two bits per event of the round, in either direction.
Matches and the knowledge of a node stay where the node is.

The state after micro-batch n is written to one of two folders, the other one holds that after n - 1. So a micro-batch
that is repeated after a crash starts from the same state and makes the same deliveries.
"""

import os
from collections.abc import Callable, Iterable, Iterator
from functools import partial
from typing import TypeVar

import msgspec
import pyarrow as pa
from pyspark.sql import DataFrame
from pyspark.sql import functions as f
from pyspark.sql.streaming.query import StreamingQuery

from rankcast.choose.filters.team_rounds import (
    NodeReport,
    RoundOrders,
    TeamState,
    check_team_filter,
    first_orders,
    merge,
)
from rankcast.errors import ModelError
from rankcast.model import Catalog, Filter
from rankcast.pipeline.spark.inputs import shard_count
from rankcast.pipeline.spark.stream import settings_for
from rankcast.pipeline.spark.team import NODE, NodeState, deliveries_of, matched_nodes, node_table, nodes_of

__all__ = ["serve_team"]

_Message = TypeVar("_Message", bound=msgspec.Struct)
WriteBatch = Callable[[DataFrame, int], None]
"""Writes the deliveries of a micro-batch. Spark may repeat a batch, with the same number and deliveries."""


def serve_team(
    events: DataFrame,
    catalog: Catalog,
    team: str,
    write: WriteBatch,
    checkpoint: str | os.PathLike[str],
    *,
    round_length: int,
    nodes: int | None = None,
    json: str | None = None,
    trigger: str | None = "1 second",
) -> StreamingQuery:
    """Deliver to a team as events come. Returns the running query.

    Parameters
    ----------
    events, json
        A streaming DataFrame, otherwise as for `deliver_to_team`. The events of a micro-batch are taken in publication
        order, after those of the micro-batches before.
    team, nodes
        As for `deliver_to_team`. The number of nodes cannot change while the checkpoint is used.
    write
        Gets the deliveries of each micro-batch (columns as of `deliver_to_team`) and its number. Make it idempotent by
        that number: after a crash Spark repeats the last micro-batch.
    checkpoint
        A folder or a URL that Spark can write. It keeps the position in the stream and the state of the nodes.
    round_length
        The number of published events in a round. Its deliveries come when the round is complete.
    trigger
        How often to look for events. None serves the available events and ends.
    """
    settings = check_team_filter(catalog.policy_of(team).filter)
    if round_length < 1:
        raise ModelError(f"round_length is {round_length}; it must be at least 1")
    if not events.isStreaming:
        raise ModelError("the events are no stream; use deliver_to_team")
    place = os.fspath(checkpoint)
    served = partial(
        _serve,
        catalog=catalog,
        team=team,
        settings=settings,
        write=write,
        place=f"{place}/team",
        length=round_length,
        count=shard_count(nodes),
        json=json,
    )
    writer = events.writeStream.foreachBatch(served).option("checkpointLocation", place)
    writer = writer.trigger(availableNow=True) if trigger is None else writer.trigger(processingTime=trigger)
    with settings_for(events.sparkSession, shard_count(nodes)):
        return writer.start()


def _serve(
    batch: DataFrame,
    number: int,
    *,
    catalog: Catalog,
    team: str,
    settings: Filter,
    write: WriteBatch,
    place: str,
    length: int,
    count: int,
    json: str | None,
) -> None:
    """Serve the rounds that a micro-batch completes."""
    found = matched_nodes(batch, catalog, team, count, json)
    if number:
        state = batch.sparkSession.read.parquet(f"{place}/{(number - 1) % 2}")
        found = state.where(f.col("batch") == number - 1).drop("batch").unionAll(found)
    found = found.groupBy("node").applyInArrow(_joined, NODE).persist()
    kept = [found]
    heads = _sent(found.mapInArrow(_heads, "node int, message binary"), _Head)
    if len(heads) != count or {head.is_kept for head in heads} != {number > 0}:
        raise ModelError(f"the state in {place!r} is not that of {count} nodes before micro-batch {number}")
    done, state_of_team = heads[0].rounds, heads[0].team
    orders: list[RoundOrders] = [head.orders or RoundOrders(0.0, 0) for head in heads]
    for at in range(done, heads[0].published // length):
        if state_of_team is None:
            state_of_team, orders = first_orders(settings, count, length)
        step = partial(_advance, team=team, settings=settings, orders=orders, length=length, number=at)
        served = found.mapInArrow(step, f"{NODE}, message binary").persist()
        kept.append(served)
        reports = _sent(served.select("node", "message"), NodeReport)
        state_of_team, orders = merge(reports, state_of_team, settings, length)
        found = served.drop("message")
    write(deliveries_of(found.coalesce(1), team), number)
    settled = found.mapInArrow(partial(_settled, orders=orders, team=state_of_team, length=length), NODE)
    settled.withColumn("batch", f.lit(number)).write.mode("overwrite").parquet(f"{place}/{number % 2}")
    for one in kept:
        one.unpersist()


class _Head(msgspec.Struct):
    """What the driver needs of a node before the first round of a micro-batch."""

    published: int
    rounds: int
    orders: RoundOrders | None
    team: TeamState | None
    is_kept: bool


def _sent(rows: DataFrame, kind: type[_Message]) -> list[_Message]:
    """The messages of the nodes, in their order."""
    found = sorted((row.node, bytes(row.message)) for row in rows.collect())
    return [msgspec.msgpack.decode(message, type=kind) for _, message in found]


def _joined(rows: pa.Table) -> pa.Table:
    """The node with its matches of this micro-batch; positions continue those before."""
    found = nodes_of(rows)
    (new,) = (node for node in found if not node.is_kept)
    for before in (node for node in found if node.is_kept):
        before.matches += [(seq + before.published, name, own, specific) for seq, name, own, specific in new.matches]
        before.published += new.published
        new = before
    return node_table([new])


def _heads(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    for batch in batches:
        nodes = nodes_of(batch)
        yield from _messages(
            nodes, [_Head(node.published, node.rounds, node.orders, node.team, node.is_kept) for node in nodes], False
        )


def _advance(
    batches: Iterable[pa.RecordBatch], team: str, settings: Filter, orders: list[RoundOrders], length: int, number: int
) -> Iterator[pa.RecordBatch]:
    bounds = number * length, (number + 1) * length
    for batch in batches:
        nodes = nodes_of(batch)
        reports = [node.advance(team, settings, orders[node.number], bounds, number) for node in nodes]
        yield from _messages(nodes, reports, True)


def _settled(
    batches: Iterable[pa.RecordBatch], orders: list[RoundOrders], team: TeamState | None, length: int
) -> Iterator[pa.RecordBatch]:
    """The nodes without what is done: matches of served rounds, and deliveries."""
    for batch in batches:
        nodes = nodes_of(batch)
        for node in nodes:
            node.rounds = node.published // length
            node.matches = [match for match in node.matches if match[0] > node.rounds * length]
            node.delivered, node.orders, node.team, node.is_kept = [], orders[node.number], team, True
        yield from node_table(nodes).to_batches()


def _messages(nodes: list[NodeState], messages: Iterable[msgspec.Struct], with_nodes: bool) -> list[pa.RecordBatch]:
    table = node_table(nodes)
    column = pa.array([msgspec.msgpack.encode(message) for message in messages], pa.binary())
    if not with_nodes:
        table = table.drop_columns(["blob"])
    found: list[pa.RecordBatch] = table.append_column("message", column).to_batches()
    return found

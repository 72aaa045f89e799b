"""A team inbox on Spark: one user's subscriptions spread over nodes, with a merged top-k threshold (thesis 3.4)."""

from collections.abc import Callable
from dataclasses import replace
from hashlib import blake2b

import msgspec
import pyarrow as pa
from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as f

from rankcast.choose.filters.team import (
    NodeSummary,
    RoundSummary,
    TeamNode,
    check_team_filter,
    first_round,
    merge,
    round_bounds,
)
from rankcast.engine.reference.shard import Shard
from rankcast.errors import ModelError
from rankcast.model import Catalog, Concept, Event, Filter, Policy
from rankcast.pipeline.spark.inputs import catalog_rows, prepared, shard_count
from rankcast.pipeline.spark.keys import shard_keys
from rankcast.pipeline.spark.workers import EVENTS, in_worker, pack

__all__ = ["deliver_to_team"]

_NODE = "node int, blob binary"
_DELIVERY = "user string, event string, seq long, score double, subscriptions array<string>, round int"


def deliver_to_team(
    events: DataFrame, catalog: Catalog, team: str, *, rounds: int, nodes: int | None = None, json: str | None = None
) -> DataFrame:
    """What a team receives if its subscriptions are spread over nodes.

    Parameters
    ----------
    events, json
        The same as for `deliver`.
    team
        A user with a policy that has a lazy threshold filter.
    rounds
        The number of rounds into which the stream is divided. After each round, the nodes merge their best scores.
        More rounds mean more communication.
    nodes
        The number of nodes that share the subscriptions; by default one per core of this machine.

    Returns the columns user, event, seq, score, subscriptions, round. Each subscription lives in one node, chosen by
    a hash of its id. A round has two grouped steps, one over the nodes and one that merges, so a job has two shuffles
    per round. At most the merged quotas are delivered, and an event that two nodes deliver arrives once.
    docs/novelty.md measures the difference from a single node that knows everything.
    """
    settings = check_team_filter(catalog.policy_of(team).filter)
    if rounds < 1:
        raise ModelError(f"rounds is {rounds}; it must be at least 1")
    count = shard_count(nodes)
    everywhere: Column = f.explode(f.array(*(f.lit(key) for key in shard_keys(count))))
    packed = prepared(events, json).mapInArrow(pack, "blob binary")
    rows = catalog_rows(events.sparkSession, _divided(catalog, team, count), count, lambda user: int(user)).unionAll(
        packed.select(everywhere.alias("shard"), f.lit(EVENTS).alias("kind"), "blob")
    )
    found = rows.repartition(count, "shard").groupBy("shard").applyInArrow(in_worker(_matched), _NODE)
    for number in range(rounds):
        served = found.groupBy("node").applyInArrow(_advance(settings, count, number, rounds), _NODE)
        found = served.groupBy(f.lit(0).alias("team")).applyInArrow(_merge(settings, count, rounds, number), _NODE)
    return (
        found.groupBy("node")
        .applyInArrow(_deliveries(team), _DELIVERY)
        .groupBy("user", "event", "seq", "round")
        .agg(f.max("score").alias("score"), f.flatten(f.collect_list("subscriptions")).alias("subscriptions"))
        .select("user", "event", "seq", "score", f.array_sort("subscriptions").alias("subscriptions"), "round")
    )


def node_of(subscription: str, nodes: int) -> int:
    """The node of a subscription: a hash of its id."""
    return int.from_bytes(blake2b(subscription.encode(), digest_size=8).digest()) % nodes


def _divided(catalog: Catalog, team: str, nodes: int) -> Catalog:
    """The team's part of the catalog, with its nodes as separate users."""
    divided = Catalog([record for record in catalog.records() if isinstance(record, Concept) and record.user is None])
    for number in range(nodes):
        for concept in catalog.concepts.values():
            if concept.user == team:
                divided.add(replace(concept, user=str(number)))
        divided.add(Policy(str(number), norm=catalog.policy_of(team).norm))
    for subscription in catalog.subscriptions_of(team):
        divided.add(replace(subscription, user=str(node_of(subscription.id, nodes))))
    return divided


class _Node(msgspec.Struct):
    """The state of a node between two steps: its matches, its knowledge, and its deliveries (seq, score, round)."""

    number: int
    published: int
    matches: list[tuple[int, str, list[str]]]
    state: dict[str, object] | None = None
    summary: NodeSummary | None = None
    merged: RoundSummary | None = None
    delivered: list[tuple[int, float, int]] = []


def _table(nodes: list[_Node]) -> pa.Table:
    blobs = [msgspec.msgpack.encode(node) for node in nodes]
    return pa.table(
        {"node": pa.array([node.number for node in nodes], pa.int32()), "blob": pa.array(blobs, pa.binary())}
    )


def _nodes(rows: pa.Table) -> list[_Node]:
    found = [msgspec.msgpack.decode(blob, type=_Node) for blob in rows["blob"].to_pylist()]
    return sorted(found, key=lambda node: node.number)


def _matched(catalog: Catalog, events: list[Event], admitted: dict[str, set[str]]) -> pa.Table:
    """All matches of one node, with the positions of the events in publication order."""
    (user,) = catalog.policies
    shard = Shard(catalog)
    matches = []
    for event in events:
        names = [found.subscription for found in shard.match(event)] if catalog.subscriptions else []
        if names:
            matches.append((event.seq, event.id, names))
    return _table([_Node(int(user), len(events), matches)])


def _advance(settings: Filter, nodes: int, number: int, rounds: int) -> Callable[[pa.Table], pa.Table]:
    def run(rows: pa.Table) -> pa.Table:
        (node,) = _nodes(rows)
        start, end = round_bounds(node.published, number, rounds)
        worker = TeamNode(node.number, settings)
        if node.state is not None:
            worker.restore(node.state)
        known = node.merged or first_round(settings, nodes, end - start)
        own = [(seq, names) for seq, _, names in node.matches if start < seq <= end]
        node.summary = worker.advance(own, start, known)
        scores = {seq: score for score, seq in node.summary.best}
        node.delivered += [(seq, scores[seq], number) for seq in node.summary.delivered]
        node.state = worker.state()
        return _table([node])

    return run


def _merge(settings: Filter, nodes: int, rounds: int, number: int) -> Callable[[pa.Table], pa.Table]:
    def run(rows: pa.Table) -> pa.Table:
        found = _nodes(rows)
        start, end = round_bounds(found[0].published, number, rounds)
        before = found[0].merged or first_round(settings, nodes, end - start)
        merged = merge([node.summary for node in found if node.summary], before, settings.rate, end - start)
        for node in found:
            node.merged, node.summary = merged, None
        return _table(found)

    return run


def _deliveries(team: str) -> Callable[[pa.Table], pa.Table]:
    schema = pa.schema(
        [
            ("user", pa.string()),
            ("event", pa.string()),
            ("seq", pa.int64()),
            ("score", pa.float64()),
            ("subscriptions", pa.list_(pa.string())),
            ("round", pa.int32()),
        ]
    )

    def run(rows: pa.Table) -> pa.Table:
        (node,) = _nodes(rows)
        known = {seq: (event, names) for seq, event, names in node.matches}
        made = [
            {
                "user": team,
                "event": known[seq][0],
                "seq": seq,
                "score": score,
                "subscriptions": known[seq][1],
                "round": at + 1,
            }
            for seq, score, at in node.delivered
        ]
        return pa.Table.from_pylist(made, schema=schema)

    return run

"""A team inbox on Spark: one user's subscriptions spread over nodes, which agree after each round (thesis 3.4)."""

from collections.abc import Callable, Iterator
from dataclasses import replace
from hashlib import blake2b

import msgspec
import pyarrow as pa
from pyspark.sql import DataFrame
from pyspark.sql import functions as f

from rankcast.choose.filters.team import TeamMatch, TeamNode, round_bounds
from rankcast.choose.filters.team_rounds import (
    NodeReport,
    RoundOrders,
    TeamState,
    check_team_filter,
    first_orders,
    merge,
    seqs_of,
)
from rankcast.errors import ModelError
from rankcast.model import Catalog, Concept, Filter, Policy
from rankcast.pipeline.spark.batch import by_shard
from rankcast.pipeline.spark.blocks import Block
from rankcast.pipeline.spark.inputs import prepared, shard_count
from rankcast.plain import State
from rankcast.rank import Specificity

__all__ = ["deliver_to_team"]

_NODE = "node int, blob binary"
_DELIVERY = "user string, event string, seq long, subscriptions array<string>, round int"


def deliver_to_team(
    events: DataFrame, catalog: Catalog, team: str, *, rounds: int, nodes: int | None = None, json: str | None = None
) -> DataFrame:
    """What a team receives if its subscriptions are spread over nodes.

    Parameters
    ----------
    events, json
        The same as for `deliver`.
    team
        A user with a policy that has a threshold or sampling filter, by rate or interval.
    rounds
        The number of rounds into which the stream is divided. A round is the period of a lazy filter. After each round
        the nodes exchange messages of at most about 2 KiB and two bits per event of the round.
    nodes
        The number of nodes that share the subscriptions; by default one per core of this machine.

    Returns the columns user, event, seq, subscriptions, round. Each subscription lives in one node, chosen by
    a hash of its id. A round has two grouped steps, one over the nodes and one that merges, so a job has two shuffles
    per round. At most the merged quotas are delivered, and an event that two nodes deliver arrives once.
    docs/novelty.md measures the difference from a single node that knows everything.
    """
    settings = check_team_filter(catalog.policy_of(team).filter)
    if rounds < 1:
        raise ModelError(f"rounds is {rounds}; it must be at least 1")
    count = shard_count(nodes)
    found = by_shard(_matched, _NODE, prepared(events, json), _divided(catalog, team, count), count, int)
    for number in range(rounds):
        served = found.groupBy("node").applyInArrow(_advance(team, settings, count, number, rounds), _NODE)
        found = served.groupBy(f.lit(0).alias("team")).applyInArrow(_merge(settings, count, rounds, number), _NODE)
    return (
        found.groupBy("node")
        .applyInArrow(_deliveries(team), _DELIVERY)
        .groupBy("user", "event", "seq", "round")
        .agg(f.flatten(f.collect_list("subscriptions")).alias("subscriptions"))
        .select("user", "event", "seq", f.array_sort("subscriptions").alias("subscriptions"), "round")
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
    """The state of a node between two steps: its matches, its knowledge, and its deliveries (seq, round).

    A match has the position and id of the event, all matching subscriptions and the most specific ones. Node 0 also
    has the state of the coordinator.
    """

    number: int
    published: int
    matches: list[tuple[int, str, list[str], list[str]]]
    state: State | None = None
    report: NodeReport | None = None
    orders: RoundOrders | None = None
    team: TeamState | None = None
    delivered: list[tuple[int, int]] = []


def _table(nodes: list[_Node]) -> pa.Table:
    blobs = [msgspec.msgpack.encode(node) for node in nodes]
    return pa.table(
        {"node": pa.array([node.number for node in nodes], pa.int32()), "blob": pa.array(blobs, pa.binary())}
    )


def _nodes(rows: pa.Table) -> list[_Node]:
    found = [msgspec.msgpack.decode(blob, type=_Node) for blob in rows["blob"].to_pylist()]
    return sorted(found, key=lambda node: node.number)


def _matched(catalog: Catalog, blocks: Iterator[Block]) -> Iterator[pa.Table]:
    """All matches of one node, with the positions of the events in publication order."""
    (user,) = catalog.policies
    names = list(catalog.subscriptions)
    covers = Specificity(catalog.subscriptions_of(user), catalog.meaning_of(user))
    published = 0
    matches = []
    for block in blocks:
        published += len(block.times)
        of_event: list[list[str]] = [[] for _ in block.events]
        for place, slot in zip(block.matches.event.tolist(), block.matches.subscription.tolist(), strict=True):
            of_event[place].append(names[slot])
        matches += [
            (event.seq, event.id, own, list(covers.most_specific(own)))
            for event, own in zip(block.events, of_event, strict=True)
            if own
        ]
    yield _table([_Node(int(user), published, matches)])


def _advance(team: str, settings: Filter, nodes: int, number: int, rounds: int) -> Callable[[pa.Table], pa.Table]:
    def run(rows: pa.Table) -> pa.Table:
        (node,) = _nodes(rows)
        start, end = round_bounds(node.published, number, rounds)
        worker = TeamNode(team, settings)
        if node.state is not None:
            worker.restore(node.state)
        orders = node.orders or first_orders(settings, nodes, end - start)[1][node.number]
        own = [TeamMatch(*match) for match in node.matches if start < match[0] <= end]
        node.report = worker.advance(own, start, end - start, orders)
        node.delivered += [(seq, number) for seq in seqs_of(node.report.delivered, start)]
        node.state = worker.state()
        return _table([node])

    return run


def _merge(settings: Filter, nodes: int, rounds: int, number: int) -> Callable[[pa.Table], pa.Table]:
    def run(rows: pa.Table) -> pa.Table:
        found = _nodes(rows)
        start, end = round_bounds(found[0].published, number, rounds)
        before = found[0].team or first_orders(settings, nodes, end - start)[0]
        reports = [node.report for node in found if node.report is not None]
        found[0].team, orders = merge(reports, before, settings, end - start)
        for node, told in zip(found, orders, strict=True):
            node.orders, node.report = told, None
        return _table(found)

    return run


def _deliveries(team: str) -> Callable[[pa.Table], pa.Table]:
    schema = pa.schema(
        [
            ("user", pa.string()),
            ("event", pa.string()),
            ("seq", pa.int64()),
            ("subscriptions", pa.list_(pa.string())),
            ("round", pa.int32()),
        ]
    )

    def run(rows: pa.Table) -> pa.Table:
        (node,) = _nodes(rows)
        known = {seq: (event, names) for seq, event, names, _ in node.matches}
        made = [
            {
                "user": team,
                "event": known[seq][0],
                "seq": seq,
                "subscriptions": known[seq][1],
                "round": at + 1,
            }
            for seq, at in node.delivered
        ]
        return pa.Table.from_pylist(made, schema=schema)

    return run

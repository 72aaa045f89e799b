"""A team inbox on Spark: one user's subscriptions spread over nodes, which agree after each round (thesis 3.4)."""

import os
from bisect import bisect_right
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import TypeAlias

import msgspec
import pyarrow as pa
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as f
from pyspark.sql.streaming.query import StreamingQuery

from rankcast.choose.filters.team import Team, TeamMatch, node_of, round_bounds
from rankcast.choose.filters.team_rounds import NodeReport, check_team_filter
from rankcast.errors import ModelError
from rankcast.model import Catalog, Concept, Filter, Policy
from rankcast.pipeline.spark.barrier import joined_tasks
from rankcast.pipeline.spark.batch import by_shard
from rankcast.pipeline.spark.blocks import Block
from rankcast.pipeline.spark.inputs import prepared, shard_count
from rankcast.pipeline.spark.keys import shard_keys
from rankcast.pipeline.spark.shipping import shipped
from rankcast.pipeline.spark.stream import settings_for
from rankcast.plain import State
from rankcast.rank import Specificity

_NODE = "node int, blob binary"
_SERVED = f"{_NODE}, user string, event string, seq long, subscriptions array<string>, round int"
"""What nodes answer with: deliveries, and their own state in the columns of `_NODE`."""

_TYPES = {
    "node": pa.int32(),
    "blob": pa.binary(),
    "user": pa.string(),
    "event": pa.string(),
    "seq": pa.int64(),
    "subscriptions": pa.list_(pa.string()),
    "round": pa.int32(),
}
_REPORTS = dict[int, NodeReport]

_Rounds: TypeAlias = Callable[[int, int], Sequence[tuple[int, int, int]]]
"""The rounds to serve, given the number of events in served rounds and of all events: a number and two bounds each."""

_Match: TypeAlias = tuple[int, str, list[str], list[str]]
"""The position and id of an event, all matching subscriptions of a node, and the most specific ones."""

WriteBatch: TypeAlias = Callable[[DataFrame, int], None]
"""Writes the deliveries of a micro-batch, given its number. Spark may repeat a micro-batch."""


def deliver_to_team(
    events: DataFrame,
    catalog: Catalog,
    team: str | Sequence[str],
    *,
    rounds: int,
    nodes: int | None = None,
    json: str | None = None,
) -> DataFrame:
    """What a team receives if its subscriptions are spread over nodes.

    Parameters
    ----------
    events, json
        The same as for `deliver`.
    team
        A user with a policy that has a threshold or sampling filter, by rate or interval. Several teams are served by
        the same nodes, each for itself.
    rounds
        The number of rounds into which the stream is divided. A round is the period of a lazy filter. After each round
        the nodes exchange messages of at most about 2 KiB and two bits per event of the round.
    nodes
        The number of nodes that share the subscriptions; by default one per core of this machine.

    Returns the columns user, event, seq, subscriptions, round. Each subscription lives in one node, chosen by
    a hash of its id. All rounds are one stage of Spark, whose tasks run at the same time and send each other their
    reports (a barrier stage). If the session has fewer cores than there are nodes, a task has several nodes. Under
    Spark Connect, where the number of cores is not known, one task has all. At most the merged quotas are delivered,
    and an event that two nodes deliver arrives once. docs/novelty.md measures the difference from a single node that
    knows everything.
    """
    settings = _settings_of(catalog, team)
    if rounds < 1:
        raise ModelError(f"rounds is {rounds}; it must be at least 1")
    count = shard_count(nodes)
    matched = _matches(events, catalog, settings, count, json)
    return _deliveries(_served(matched, settings, count, partial(_equal_rounds, rounds=rounds)))


def serve_team(
    events: DataFrame,
    catalog: Catalog,
    team: str | Sequence[str],
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
        order, after those of the micro-batches before. Only within a micro-batch is an id taken once.
    catalog, team, nodes
        As for `deliver_to_team`. The catalog stays as it is while the query runs; the teams and the number of nodes,
        as long as the checkpoint is used.
    write
        Gets the deliveries of each micro-batch (columns as of `deliver_to_team`) and its number. After a crash Spark
        repeats the last micro-batch: the same number comes again, with the same deliveries.
    checkpoint
        A folder or a URL that Spark can write. It has the position in the stream and the state of the nodes.
    round_length
        The number of published events in a round, whatever the micro-batches. Its deliveries come when it is complete.
    trigger
        How often to look for events. None serves the available events and ends.

    A micro-batch is a batch job of several stages, so it takes seconds, whatever the number of rounds in it.
    """
    settings = _settings_of(catalog, team)
    if round_length < 1:
        raise ModelError(f"round_length is {round_length}; it must be at least 1")
    if not events.isStreaming:
        raise ModelError("the events are no stream; use deliver_to_team")
    count, place = shard_count(nodes), os.fspath(checkpoint)
    rounds = partial(_complete_rounds, length=round_length)

    def serve(batch: DataFrame, number: int) -> None:
        """Serve the rounds that a micro-batch completes.

        Of two folders, one gets the state after this micro-batch and the other has the one before it, from which a
        repeated micro-batch starts again.
        """
        before, after = (f"{place}/team/{at % 2}" for at in (number - 1, number))
        read = batch.sparkSession.read.parquet
        events = batch.persist()
        try:
            rows = _matches(events, catalog, settings, count, json)
            if number:
                rows = rows.unionAll(
                    read(before).where(f"batch = {number - 1} and event is null").select("node", "blob")
                )
            served = _served(rows, settings, count, rounds, number)
            served.withColumn("batch", f.lit(number)).write.mode("overwrite").parquet(after)
        finally:
            events.unpersist()
        write(_deliveries(read(after)), number)

    writer = events.writeStream.foreachBatch(serve).option("checkpointLocation", place)
    writer = writer.trigger(availableNow=True) if trigger is None else writer.trigger(processingTime=trigger)
    with settings_for(events.sparkSession, count):
        return writer.start()


class _Node(msgspec.Struct):
    """A team's matches of a node in rounds that were not served yet; and its state, if this is what a micro-batch left.

    `published` is the number of events so far; without a state, of this batch. `nodes` is the size of the team.
    """

    team: str
    number: int
    nodes: int
    published: int
    matches: list[_Match]
    state: State | None = None


def _settings_of(catalog: Catalog, team: str | Sequence[str]) -> dict[str, Filter]:
    """The filter of each team."""
    teams = [team] if isinstance(team, str) else team
    return {one: check_team_filter(catalog.policy_of(one).filter) for one in teams}


def _matches(events: DataFrame, catalog: Catalog, teams: Iterable[str], nodes: int, json: str | None) -> DataFrame:
    """A row `_NODE` for each node of each team, with its matches of a batch."""
    known = list(teams)
    match = partial(_matched, nodes=nodes, teams=known)
    return by_shard(match, _NODE, prepared(events, json), _divided(catalog, known, nodes), nodes, _node_of_user)


def _divided(catalog: Catalog, teams: Sequence[str], nodes: int) -> Catalog:
    """The teams' part of the catalog, with their nodes as separate users (`_user`)."""
    divided = Catalog([record for record in catalog.records() if isinstance(record, Concept) and record.user is None])
    for place, team in enumerate(teams):
        for number in range(nodes):
            user = _user(number, place)
            for concept in catalog.concepts.values():
                if concept.user == team:
                    divided.add(replace(concept, user=user))
            divided.add(Policy(user, norm=catalog.policy_of(team).norm))
        for subscription in catalog.subscriptions_of(team):
            divided.add(replace(subscription, user=_user(node_of(subscription.id, nodes), place)))
    return divided


def _user(node: int, team: int) -> str:
    """The user that stands for a node of a team, by their numbers."""
    return f"{node} {team}"


def _node_of_user(user: str) -> int:
    return int(user.partition(" ")[0])


def _matched(catalog: Catalog, blocks: Iterator[Block], nodes: int, teams: Sequence[str]) -> Iterator[pa.Table]:
    """All matches of one node, by team, with the positions of the events in publication order."""
    owned = [(one.user, one.id) for one in catalog.subscriptions.values()]
    covers = {user: Specificity(catalog.subscriptions_of(user), catalog.meaning_of(user)) for user in catalog.policies}
    published = 0
    matches: dict[str, list[_Match]] = {user: [] for user in covers}
    for block in blocks:
        published += len(block.times)
        of_event: list[dict[str, list[str]]] = [{} for _ in block.events]
        for place, slot in zip(block.matches.event.tolist(), block.matches.subscription.tolist(), strict=True):
            user, name = owned[slot]
            of_event[place].setdefault(user, []).append(name)
        for event, by_user in zip(block.events, of_event, strict=True):
            for user, own in by_user.items():
                matches[user].append((event.seq, event.id, own, list(covers[user].most_specific(own))))
    found = [
        _Node(teams[int(user.partition(" ")[2])], _node_of_user(user), nodes, published, own)
        for user, own in matches.items()
    ]
    numbers = pa.array([node.number for node in found], pa.int32())
    yield pa.table({"node": numbers, "blob": [msgspec.msgpack.encode(node) for node in found]})


def _served(
    rows: DataFrame, settings: Mapping[str, Filter], nodes: int, rounds: _Rounds, number: int | None = None
) -> DataFrame:
    """Serve the rounds that are there, in as many tasks as can run at the same time: rows `_SERVED`.

    `number` is that of the micro-batch; without it, no state is saved.
    """
    tasks = min(nodes, _cores(rows.sparkSession))
    keys = f.array(*map(f.lit, shard_keys(tasks)))
    placed = rows.repartition(tasks, keys[f.col("node") % tasks])
    step = shipped(_serve_nodes, settings=dict(settings), nodes=nodes, tasks=tasks, rounds=rounds, number=number)
    return placed.mapInArrow(step, _SERVED, barrier=tasks > 1)


def _cores(spark: SparkSession) -> int:
    context = getattr(spark, "sparkContext", None)  # Spark Connect has none
    return 1 if context is None else int(context.defaultParallelism)


def _deliveries(served: DataFrame) -> DataFrame:
    """Each event once, with the matching subscriptions of all nodes."""
    return (
        served.where("event is not null")
        .groupBy("user", "event", "seq", "round")
        .agg(f.array_sort(f.flatten(f.collect_list("subscriptions"))).alias("subscriptions"))
        .select("user", "event", "seq", "subscriptions", "round")
    )


def _equal_rounds(served: int, published: int, rounds: int) -> list[tuple[int, int, int]]:
    return [(number + 1, *round_bounds(published, number, rounds)) for number in range(rounds)]


def _complete_rounds(served: int, published: int, length: int) -> list[tuple[int, int, int]]:
    ends = range(served + length, published + 1, length)
    return [(end // length, end - length, end) for end in ends]


def _serve_nodes(
    batches: Iterator[pa.RecordBatch],
    settings: Mapping[str, Filter],
    nodes: int,
    tasks: int,
    rounds: _Rounds,
    number: int | None,
) -> Iterator[pa.RecordBatch]:
    """Serve the nodes of one task, team by team, while other tasks serve the others."""
    blobs = [blob for batch in batches for blob in batch["blob"].to_pylist()]
    rows = [msgspec.msgpack.decode(blob, type=_Node) for blob in blobs]
    answers: list[tuple[object, ...]] = []
    with joined_tasks(tasks) as send:

        def exchange(own: dict[int, NodeReport]) -> dict[int, NodeReport]:
            found = send(msgspec.msgpack.encode(own))
            return {at: one for part in found for at, one in msgspec.msgpack.decode(part, type=_REPORTS).items()}

        for team, of_team in settings.items():
            held = _joined([node for node in rows if node.team == team], nodes, bool(number))
            together = Team(team, of_team, nodes, [node.number for node in held], exchange)
            answers += _serve_rounds(team, together, held, rounds)
            if number is not None:
                answers += _saved(team, together, held)
    columns = zip(*answers, strict=True) if answers else [()] * len(_TYPES)
    arrays = [pa.array(column, kind) for column, kind in zip(columns, _TYPES.values(), strict=True)]
    yield pa.RecordBatch.from_arrays(arrays, names=[*_TYPES])


def _serve_rounds(team: str, together: Team, held: list[_Node], rounds: _Rounds) -> Iterator[tuple[object, ...]]:
    """What the nodes of this task deliver in the rounds that are there, after the state that they hold."""
    states = [node.state for node in held if node.state is not None]
    if states:
        together.restore({**states[0], "nodes": [state["nodes"][0] for state in states]})
    for at, start, end in rounds(together.published, held[0].published):
        parts = [_between(node.matches, start, end) for node in held]
        found = set(together.advance([[TeamMatch(*one) for one in part] for part in parts], end - start))
        for node, part in zip(held, parts, strict=True):
            for seq, name, own, _ in part:
                if seq in found:
                    yield node.number, None, team, name, seq, own, at


def _saved(team: str, together: Team, held: list[_Node]) -> Iterator[tuple[object, ...]]:
    """The state of each node after this micro-batch, with the matches that wait for the end of a round."""
    state = together.state()
    for node, of_node in zip(held, state["nodes"], strict=True):
        node.matches = _between(node.matches, together.published, node.published)
        node.state = {**state, "nodes": [of_node]}
        yield node.number, msgspec.msgpack.encode(node), team, None, None, None, None


def _joined(rows: Sequence[_Node], nodes: int, resumes: bool) -> list[_Node]:
    """The nodes of a team, by number, with the matches of this batch after those that wait for the end of a round."""
    new = sorted((node for node in rows if node.state is None), key=lambda node: node.number)
    if not resumes:
        return new
    held = {node.number: node for node in rows if node.state is not None and node.nodes == nodes}
    for node in new:
        if node.number not in held:
            raise ModelError(
                f"the checkpoint lacks node {node.number} of {nodes} of {node.team!r}; begin with a new one"
            )
        before = held[node.number]
        before.matches += [(seq + before.published, name, own, best) for seq, name, own, best in node.matches]
        before.published += node.published
    return [held[node.number] for node in new]


def _between(matches: list[_Match], start: int, end: int) -> list[_Match]:
    first, last = (bisect_right(matches, bound, key=lambda match: match[0]) for bound in (start, end))
    return matches[first:last]

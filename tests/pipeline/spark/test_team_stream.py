"""Teams in Structured Streaming: the same deliveries as in a batch, however the stream is cut, and after a crash."""

import json
import os
from datetime import timedelta

import msgspec
import pytest

from rankcast.choose.filters.chance import chance
from rankcast.choose.filters.team import TeamMatch, serve_together
from rankcast.choose.filters.team_rounds import NodeReport, first_orders, merge
from rankcast.errors import ModelError
from rankcast.language import parse
from rankcast.model import EPOCH, Catalog, Filter, FilterKind, Policy, Scoring, Subscription, Update
from rankcast.pipeline.spark import serve_team
from rankcast.pipeline.spark.team import NodeState, node_of, node_table, nodes_of
from rankcast.pipeline.spark.team_stream import _advance, _Head, _heads, _joined, _settled

TOPICS = "abcdefgh"
PUBLISHED, LENGTH = 160, 40


@pytest.fixture(scope="module")
def topics():
    return [
        [TOPICS[int(len(TOPICS) * chance(0, str(k), str(seq)) ** 2)] for k in range(1 + seq % 2)]
        for seq in range(1, PUBLISHED + 1)
    ]


@pytest.fixture
def folder(tmp_path, topics):
    """The events in files of 60: a micro-batch completes one or two rounds, and leaves a part of one."""
    made = tmp_path / "events"
    made.mkdir()
    for start in range(0, PUBLISHED, 60):
        lines = []
        for seq in range(start + 1, min(start + 60, PUBLISHED) + 1):
            time = (EPOCH + timedelta(seconds=seq)).isoformat()
            lines.append(json.dumps({"id": f"e{seq:03}", "time": time, "attributes": {"topic": topics[seq - 1]}}))
        file = made / f"{start:04}.jsonl"
        file.write_text("\n".join(lines))
        os.utime(file, (1_000_000 + start, 1_000_000 + start))  # Spark takes files by their time
    return made


def catalog_of(settings: Filter) -> Catalog:
    catalog = Catalog([Subscription(f"s-{topic}", "team", parse(f"topic = '{topic}'")) for topic in TOPICS])
    catalog.add(Policy("team", filter=settings))
    return catalog


def matches_of(topics, nodes: int) -> list[list[TeamMatch]]:
    matches = [[] for _ in range(nodes)]
    for seq, topic in enumerate(topics, 1):
        for node in range(nodes):
            own = tuple(f"s-{name}" for name in TOPICS if name in topic and node_of(f"s-{name}", nodes) == node)
            if own:
                matches[node].append(TeamMatch(seq, f"e{seq:03}", own, own))
    return matches


def expected(topics, settings: Filter, nodes: int) -> list[int]:
    return serve_together(matches_of(topics, nodes), PUBLISHED, settings, PUBLISHED // LENGTH)


@pytest.mark.parametrize(
    ("settings", "nodes"),
    [
        (Filter(FilterKind.THRESHOLD, 0.3, 40, update=Update.PACED, aging=0.5), 3),
        (Filter(FilterKind.THRESHOLD, 0.3, 40, update=Update.EAGER, scoring=Scoring.INTERVAL), 2),
        (Filter(FilterKind.THRESHOLD, 0.3, 40), 2),
        (Filter(FilterKind.SAMPLING, 0.3, 40), 2),
    ],
    ids=["paced-aging", "eager", "lazy", "sampling"],
)
def test_a_stream_gets_what_a_batch_gets_and_goes_on_after_a_crash(spark, tmp_path, folder, topics, settings, nodes):
    found: dict[int, list[tuple[int, str]]] = {}
    crashes = [1]

    def write(deliveries, number: int) -> None:
        rows = sorted((row.seq, row.event) for row in deliveries.collect())
        assert found.get(number, rows) == rows  # a repeated micro-batch makes the same deliveries
        found[number] = rows
        if number in crashes:
            crashes.remove(number)
            raise RuntimeError("the sink died after it wrote")

    def serve():
        stream = spark.readStream.option("maxFilesPerTrigger", 1).text(str(folder))
        options = {"round_length": LENGTH, "nodes": nodes, "json": "value", "trigger": None}
        query = serve_team(stream, catalog_of(settings), "team", write, tmp_path / "checkpoint", **options)
        query.awaitTermination(240)
        assert not query.isActive

    with pytest.raises(Exception, match="the sink died"):
        serve()
    serve()
    assert len(found) > 2
    assert [seq for number in sorted(found) for seq, _ in found[number]] == expected(topics, settings, nodes)


def test_what_cannot_be_served_is_refused(spark, tmp_path):
    catalog = catalog_of(Filter(FilterKind.SAMPLING, 0.3, 40))
    batch = spark.createDataFrame([], "id string, time timestamp")
    with pytest.raises(ModelError, match="no stream; use deliver_to_team"):
        serve_team(batch, catalog, "team", print, tmp_path, round_length=10)
    with pytest.raises(ModelError, match="round_length is 0"):
        serve_team(batch, catalog, "team", print, tmp_path, round_length=0)


def test_the_steps_of_the_nodes_without_spark(topics):
    """What Spark runs in its tasks, called one after the other: the same as one process, whatever the micro-batches."""
    settings, nodes = Filter(FilterKind.THRESHOLD, 0.3, 40, update=Update.PACED, aging=0.5), 3
    matches = matches_of(topics, nodes)
    state, team, found = None, None, []
    for start, end in ((0, 10), (10, 95), (95, 100), (100, PUBLISHED)):
        rows = []
        for number in range(nodes):
            own = [
                (one.seq - start, one.id, [*one.matching], [*one.specific])
                for one in matches[number]
                if start < one.seq <= end
            ]
            rows.append(NodeState(number, end - start, own))
        kept = state or [None] * nodes
        joined = [_joined(node_table([old, new] if old else [new])) for old, new in zip(kept, rows, strict=True)]
        tables = [table.to_batches()[0] for table in joined]
        heads = [msgspec.msgpack.decode(one["message"][0].as_py(), type=_Head) for one in _heads(tables)]
        assert {head.published for head in heads} == {end}
        team, orders = heads[0].team, [head.orders for head in heads]
        for at in range(heads[0].rounds, end // LENGTH):
            if team is None:
                team, orders = first_orders(settings, nodes, LENGTH)
            served = [*_advance(tables, "team", settings, orders, LENGTH, at)]
            reports = [msgspec.msgpack.decode(one["message"][0].as_py(), type=NodeReport) for one in served]
            assert all(len(one["message"][0].as_py()) < 2_048 + LENGTH // 4 for one in served)
            team, orders = merge(reports, team, settings, LENGTH)
            tables = [one.drop_columns(["message"]) for one in served]
        found += sorted({seq for table in tables for node in nodes_of(table) for seq, _ in node.delivered})
        state = [node for table in _settled(tables, orders, team, LENGTH) for node in nodes_of(table)]
        assert all(match[0] > end // LENGTH * LENGTH for node in state for match in node.matches)
    assert found == expected(topics, settings, nodes)

"""Teams on Spark: what they deliver is what one process delivers, in batch and live (semantics: Teams)."""

import json
import os
from datetime import timedelta
from functools import partial

import msgspec
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rankcast.choose.filters.chance import chance
from rankcast.choose.filters.team import TeamMatch, node_of, serve_together
from rankcast.errors import ModelError
from rankcast.language import parse
from rankcast.model import EPOCH, Catalog, Credit, Filter, FilterKind, Policy, Scoring, Subscription, Update
from rankcast.pipeline.spark import deliver_to_team, serve_team
from rankcast.pipeline.spark.team import _complete_rounds, _Node, _serve_nodes

TOPICS = "abcdef"
PUBLISHED, LENGTH = 200, 50
PACED = Filter(FilterKind.THRESHOLD, 0.3, 50, update=Update.PACED, aging=0.5, credit=Credit.MOST_NOVEL)
VARIANTS = {
    "paced, aging": PACED,
    "lazy": Filter(FilterKind.THRESHOLD, 0.3, 50),
    "eager, interval": Filter(FilterKind.THRESHOLD, 0.3, 50, Scoring.INTERVAL, update=Update.EAGER),
    "sampling": Filter(FilterKind.SAMPLING, 0.3, 50),
}


def topics():
    """The topics of each event; some have two, so that an event may concern two nodes."""
    seqs = range(1, PUBLISHED + 1)
    return [[TOPICS[int(6 * chance(0, str(k), str(seq)) ** 2)] for k in range(1 + seq % 2)] for seq in seqs]


def catalog_of(settings):
    catalog = Catalog([Subscription(f"s-{topic}", "team", parse(f"topic = '{topic}'")) for topic in TOPICS])
    catalog.add(Policy("team", filter=settings))
    return catalog


def matches_of(nodes):
    matches = [[] for _ in range(nodes)]
    for seq, topic in enumerate(topics(), 1):
        for node in range(nodes):
            own = tuple(f"s-{name}" for name in TOPICS if name in topic and node_of(f"s-{name}", nodes) == node)
            if own:
                matches[node].append(TeamMatch(seq, f"e{seq:03}", own, own))
    return matches


def expected(settings, nodes):
    """What one process delivers: (seq, event, subscriptions, round)."""
    found = serve_together(matches_of(nodes), PUBLISHED, settings, PUBLISHED // LENGTH)
    names = [sorted({f"s-{name}" for name in topic}) for topic in topics()]
    return [(seq, f"e{seq:03}", names[seq - 1], (seq - 1) // LENGTH + 1) for seq in found]


def rows_of(deliveries):
    return sorted((row.seq, row.event, row.subscriptions, row.round) for row in deliveries.collect())


def test_the_nodes_on_spark_do_what_they_do_in_one_process(spark):
    """Three nodes in two tasks; one has no subscriptions."""
    variant, nodes = "sampling", 3
    rows = [(f"e{seq:03}", EPOCH + timedelta(seconds=seq), topic) for seq, topic in enumerate(topics(), 1)]
    events = spark.createDataFrame(rows, "id string, time timestamp, topic array<string>")
    assert sorted(len(own) > 0 for own in matches_of(nodes)) == [False, True, True]
    found = deliver_to_team(events, catalog_of(VARIANTS[variant]), "team", rounds=PUBLISHED // LENGTH, nodes=nodes)
    assert rows_of(found) == expected(VARIANTS[variant], nodes)


def test_a_stream_gets_what_one_process_delivers_and_goes_on_after_a_crash(spark, tmp_path):
    """Micro-batches of 80 events complete one or two rounds of 50, and leave a part of one."""
    (tmp_path / "events").mkdir()
    for start in range(0, PUBLISHED, 80):
        lines = []
        for seq, topic in [*enumerate(topics(), 1)][start : start + 80]:
            time = (EPOCH + timedelta(seconds=seq)).isoformat()
            lines.append(json.dumps({"id": f"e{seq:03}", "time": time, "attributes": {"topic": topic}}))
        file = tmp_path / "events" / f"{start:04}.jsonl"
        file.write_text("\n".join(lines))
        os.utime(file, (1_000_000 + start, 1_000_000 + start))  # Spark takes files by their time
    found, crashes = {}, [1]

    def write(deliveries, number):
        made = rows_of(deliveries)
        assert found.setdefault(number, made) == made  # a repeated micro-batch makes the same deliveries
        if number in crashes:
            crashes.remove(number)
            raise RuntimeError("the sink died after it wrote")

    def serve():
        stream = spark.readStream.option("maxFilesPerTrigger", 1).text(str(tmp_path / "events"))
        options = {"round_length": LENGTH, "nodes": 2, "json": "value", "trigger": None}
        query = serve_team(stream, catalog_of(PACED), "team", write, tmp_path / "checkpoint", **options)
        query.awaitTermination(120)
        assert not query.isActive

    with pytest.raises(Exception, match="the sink died"):
        serve()
    serve()
    assert [len(found[number]) > 0 for number in sorted(found)] == [True, True, True]
    assert [row for number in sorted(found) for row in found[number]] == expected(PACED, 2)


def rows(new, state):
    return iter([pa.record_batch({"blob": [*reversed(new), *state]})])


@given(st.sampled_from([*VARIANTS]), st.integers(1, 4), st.lists(st.integers(0, 120), max_size=6))
def test_any_cut_into_micro_batches_gives_the_same(variant, nodes, sizes):
    """What Spark runs in a task, with the state that it reads back, but without Spark."""
    settings, matches, state, delivered = VARIANTS[variant], matches_of(nodes), [], {}
    start = 0
    for number, size in enumerate([*sizes, PUBLISHED]):
        end = min(start + size, PUBLISHED)
        new = []
        for at, own in enumerate(matches):
            part = [
                (one.seq - start, one.id, [*one.matching], [*one.specific]) for one in own if start < one.seq <= end
            ]
            new.append(msgspec.msgpack.encode(_Node(at, nodes, end - start, part)))
        (answer,) = _serve_nodes(
            rows(new, state),
            "team",
            settings,
            nodes,
            tasks=1,
            rounds=partial(_complete_rounds, length=LENGTH),
            number=number,
        )
        state = [row["blob"] for row in answer.to_pylist() if row["blob"]]
        for row in answer.to_pylist():
            if row["event"]:
                one = delivered.setdefault((row["seq"], row["event"], row["round"]), [])
                one += row["subscriptions"]
        held = [msgspec.msgpack.decode(blob, type=_Node) for blob in state]
        assert {node.published for node in held} == {end}
        assert all(match[0] > end // LENGTH * LENGTH for node in held for match in node.matches)
        start = end
    with pytest.raises(ModelError, match=f"lacks node 0 of {nodes + 1}"):
        next(_serve_nodes(rows(new, state), "team", settings, nodes + 1, 1, _complete_rounds, number=9))
    found = sorted((seq, event, sorted(names), at) for (seq, event, at), names in delivered.items())
    assert found == expected(settings, nodes)


def test_a_team_needs_a_filter_that_nodes_can_share(spark, tmp_path):
    catalog = Catalog([Subscription("s", "team", parse("topic = 'a'"))])
    events = spark.createDataFrame([], "id string, time timestamp")
    with pytest.raises(ModelError, match="threshold or sampling filter"):
        deliver_to_team(events, catalog, "team", rounds=2)
    with pytest.raises(ModelError, match="no stream; use deliver_to_team"):
        serve_team(events, catalog_of(PACED), "team", print, tmp_path, round_length=10)
    with pytest.raises(ModelError, match="round_length is 0"):
        serve_team(events, catalog_of(PACED), "team", print, tmp_path, round_length=0)

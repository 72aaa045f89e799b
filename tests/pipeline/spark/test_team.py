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
from rankcast.model import (
    EPOCH,
    Catalog,
    Concept,
    Credit,
    Filter,
    FilterKind,
    Policy,
    RateSpan,
    Scoring,
    Subscription,
    Table,
    Term,
    Update,
)
from rankcast.pipeline.spark import deliver_to_team, serve_team
from rankcast.pipeline.spark.team import _complete_rounds, _divided, _Node, _serve_nodes

TOPICS = "abcdef"
PUBLISHED, LENGTH = 200, 50
VARIANTS = {
    "paced, aging": Filter(FilterKind.THRESHOLD, 0.3, 50, update=Update.PACED, aging=0.5, credit=Credit.MOST_NOVEL),
    "paced, interval": Filter(FilterKind.THRESHOLD, 0.3, 50, Scoring.INTERVAL, update=Update.PACED),
    "lazy": Filter(FilterKind.THRESHOLD, 0.3, 50),
    "lazy, aging": Filter(FilterKind.THRESHOLD, 0.3, 50, Scoring.INTERVAL, aging=0.5),
    "eager": Filter(FilterKind.THRESHOLD, 0.3, 50, update=Update.EAGER, rates=RateSpan.DECAYED),
    "eager, interval": Filter(FilterKind.THRESHOLD, 0.3, 50, Scoring.INTERVAL, update=Update.EAGER),
    "eager, aging": Filter(FilterKind.THRESHOLD, 0.3, 50, update=Update.EAGER, aging=0.5),
    "sampling": Filter(FilterKind.SAMPLING, 0.3, 50),
    "sampling, fading": Filter(FilterKind.SAMPLING, 0.3, 50, rates=RateSpan.DECAYED),
    "sampling, interval": Filter(FilterKind.SAMPLING, 0.3, 50, Scoring.INTERVAL),
    "sampling, eager": Filter(FilterKind.SAMPLING, 0.3, 50, Scoring.INTERVAL, update=Update.EAGER),
}


def topics():
    """The topics of each event; some have two, so that an event may concern two nodes."""
    seqs = range(1, PUBLISHED + 1)
    return [[TOPICS[int(6 * chance(0, str(k), str(seq)) ** 2)] for k in range(1 + seq % 2)] for seq in seqs]


def catalog():
    """A team for each variant, with the same interests."""
    known = Catalog()
    for team, settings in VARIANTS.items():
        for topic in TOPICS:
            known.add(Subscription(f"{team}-{topic}", team, parse(f"topic = '{topic}'")))
        known.add(Policy(team, filter=settings))
    return known


def matches_of(team, nodes):
    matches = [[] for _ in range(nodes)]
    for seq, topic in enumerate(topics(), 1):
        for node in range(nodes):
            names = [f"{team}-{name}" for name in TOPICS if name in topic]
            own = tuple(name for name in names if node_of(name, nodes) == node)
            if own:
                matches[node].append(TeamMatch(seq, f"e{seq:03}", own, own))
    return matches


def expected(team, nodes):
    """What one process delivers: (team, seq, event, subscriptions, round)."""
    found = serve_together(matches_of(team, nodes), PUBLISHED, VARIANTS[team], PUBLISHED // LENGTH, team)
    names = [sorted({f"{team}-{name}" for name in topic}) for topic in topics()]
    return [(team, seq, f"e{seq:03}", names[seq - 1], (seq - 1) // LENGTH + 1) for seq in found]


def expected_of_all(nodes):
    return sorted(row for team in VARIANTS for row in expected(team, nodes))


def rows_of(deliveries):
    return sorted((row.user, row.seq, row.event, row.subscriptions, row.round) for row in deliveries.collect())


def test_every_variant_delivers_something_of_its_own():
    delivered = {team: {row[1] for row in expected(team, 3)} for team in VARIANTS}
    assert all(30 < len(found) <= 60 for found in delivered.values()), delivered  # 0.3 of 200 is the budget
    assert len({frozenset(found) for found in delivered.values()}) == len(VARIANTS)


def test_the_nodes_on_spark_do_what_they_do_in_one_process(spark):
    """Every variant on three nodes in two tasks; of some teams, one node has no subscriptions."""
    nodes = 3
    assert [] in matches_of("eager", nodes)
    rows = [(f"e{seq:03}", EPOCH + timedelta(seconds=seq), topic) for seq, topic in enumerate(topics(), 1)]
    events = spark.createDataFrame(rows, "id string, time timestamp, topic array<string>")
    found = deliver_to_team(events, catalog(), [*VARIANTS], rounds=PUBLISHED // LENGTH, nodes=nodes)
    assert rows_of(found) == expected_of_all(nodes)


def test_a_stream_gets_what_one_process_delivers_and_goes_on_after_a_crash(spark, tmp_path):
    """Every variant in one query. Micro-batches of 80 events complete one or two rounds of 50, and leave a part of one."""
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
        query = serve_team(stream, catalog(), [*VARIANTS], write, tmp_path / "checkpoint", **options)
        query.awaitTermination(120)
        assert not query.isActive

    with pytest.raises(Exception, match="the sink died"):
        serve()
    serve()
    assert [len(found[number]) > 0 for number in sorted(found)] == [True, True, True]
    assert sorted(row for rows in found.values() for row in rows) == expected_of_all(2)


def rows(new, state):
    return iter([pa.record_batch({"blob": [*reversed(new), *state]})])


@given(st.sampled_from([*VARIANTS]), st.integers(1, 4), st.lists(st.integers(0, 120), max_size=6))
def test_any_cut_into_micro_batches_gives_the_same(variant, nodes, sizes):
    """What Spark runs in a task, with the state that it reads back, but without Spark."""
    settings, matches, state, delivered = {variant: VARIANTS[variant]}, matches_of(variant, nodes), [], {}
    start = 0
    for number, size in enumerate([*sizes, PUBLISHED]):
        end = min(start + size, PUBLISHED)
        new = []
        for at, own in enumerate(matches):
            part = [
                (one.seq - start, one.id, [*one.matching], [*one.specific]) for one in own if start < one.seq <= end
            ]
            new.append(msgspec.msgpack.encode(_Node(variant, at, nodes, end - start, part)))
        (answer,) = _serve_nodes(
            rows(new, state),
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
        next(_serve_nodes(rows(new, state), settings, nodes + 1, 1, _complete_rounds, number=9))
    found = sorted((variant, seq, event, sorted(names), at) for (seq, event, at), names in delivered.items())
    assert found == expected(variant, nodes)


def test_a_team_may_have_the_longest_name():
    team = "x" * 256
    known = Catalog([Concept("hot", "topic", Table((("a", 1.0),)), team)])
    known.add(Subscription("s", team, parse("topic is hot")))
    known.add(Policy(team, filter=VARIANTS["lazy"]))
    divided = _divided(known, ["other", team], 3)
    (one,) = divided.subscriptions.values()
    assert divided.meaning_of(one.user)("topic", Term("hot")) == Table((("a", 1.0),))


def test_a_team_needs_a_filter_that_nodes_can_share(spark, tmp_path):
    unfiltered = Catalog([Subscription("s", "team", parse("topic = 'a'"))])
    events = spark.createDataFrame([], "id string, time timestamp")
    with pytest.raises(ModelError, match="threshold or sampling filter"):
        deliver_to_team(events, unfiltered, "team", rounds=2)
    with pytest.raises(ModelError, match="no stream; use deliver_to_team"):
        serve_team(events, catalog(), "lazy", print, tmp_path, round_length=10)
    with pytest.raises(ModelError, match="round_length is 0"):
        serve_team(events, catalog(), "lazy", print, tmp_path, round_length=0)

"""``rankcast publish --to``, to a real broker."""

import json
from typing import Any

import pytest

pytestmark = pytest.mark.xdist_group("spark")  # where the one broker is

EVENTS = [{"id": f"e{n}", "time": "2026-01-01T00:00:00Z", "attributes": {"n": n}} for n in range(3)]


def test_events_of_a_file_to_a_topic(kafka: Any, rankcast: Any, lines: Any) -> None:
    kafka.create("from-file")
    url = f"kafka://{kafka.address}/from-file"
    result = rankcast("publish", lines("e.jsonl", [*EVENTS, "garbage"]), "--to", url, "--json", code=1)
    assert [json.loads(line) for line in result.stdout.splitlines()] == [
        {"id": f"e{n}", "partition": 0, "offset": n} for n in range(3)
    ]
    assert "e.jsonl:4: not valid JSON" in result.stderr
    assert f"published 3 events to {url}" in result.stderr
    assert [json.loads(value) for _, value in kafka.messages("from-file")] == EVENTS


def test_events_of_stdin_to_a_topic(kafka: Any, rankcast: Any) -> None:
    kafka.create("from-stdin")
    rankcast("publish", "-", "--to", f"kafka://{kafka.address}/from-stdin", stdin=json.dumps(EVENTS[0]))
    assert [key for key, _ in kafka.messages("from-stdin")] == [b"e0"]


def test_a_topic_that_is_not_there(kafka: Any, rankcast: Any, lines: Any) -> None:
    url = f"kafka://{kafka.address}/nowhere"
    assert "no topic 'nowhere'" in rankcast("publish", lines("e.jsonl", EVENTS), "--to", url, code=3).stderr


def test_what_is_no_topic(rankcast: Any, lines: Any) -> None:
    rankcast("publish", lines("e.jsonl", EVENTS), "--to", "kafka://nowhere", code=2)
    rankcast("publish", "--attr", "a=b", "--to", "kafka://localhost:1/t", code=2)

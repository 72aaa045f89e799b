"""``rankcast status``."""

import json
from typing import Any

from rankcast.store import BatchCounts, Store

EVENTS = [{"id": f"e{n}", "time": "2026-01-01", "attributes": {"genre": "drama"}} for n in range(3)]


def found(store: Any) -> dict[str, Any]:
    record: dict[str, Any] = json.loads(store("status", "--json").stdout)
    return record


def test_before_and_after_serving(store: Any, lines: Any) -> None:
    store("subscribe", "genre = 'drama'", "--user", "ann")
    store("publish", lines("events.jsonl", [*EVENTS, "garbage"]), code=1)
    before = found(store)
    assert (before["store"], before["version"], before["published"]) == ("rankcast.db", 1, 3)
    assert (before["served"], before["lag"], before["rejects"], before["pipeline"]) == (0, 3, 1, None)
    assert before["lag_seconds"] > 0
    store("run", "--shards", "2")
    after = found(store)
    assert (after["served"], after["lag"], after["lag_seconds"], after["deliveries"]) == (3, 0, 0, 3)
    assert (after["pipeline"]["engine"], after["pipeline"]["shards"]) == ("process", 2)
    assert after["pipeline"]["matched"] == 3


def test_for_people(store: Any, monkeypatch: Any) -> None:
    monkeypatch.setattr("rankcast.cli.output.Output.as_lines", False)
    assert "none yet; start one with rankcast run" in store("status").stdout
    with Store.open("rankcast.db") as opened:
        opened.claim("p1", "checkpoint", shards=2)
        assert "none yet" in store("status").stdout
        opened.commit_batch("p1", {}, [], BatchCounts(0, 5, 4, 3, 2, 0.25, 20_000), None, None, 0)
    shown = store("status").stdout
    assert "Spark, checkpoint checkpoint; 2 shards" in shown
    assert "5 events: 4 matched, 0 delivered, 3 late, 2 rejected" in shown
    assert "20.0 kB" in shown


def test_a_missing_store_is_an_error(rankcast: Any) -> None:
    assert "rankcast init" in rankcast("status", code=3).stderr

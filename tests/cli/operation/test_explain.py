"""``rankcast explain``."""

import json
import subprocess
import sys
from typing import Any

import pytest

CATALOG = [
    {"kind": "subscription", "id": "s1", "user": "ann", "where": "genre = 'drama'", "score": 0.7},
    {"kind": "subscription", "id": "s2", "user": "ann", "where": "genre = 'drama' and year > 1999", "score": 0.5},
    {"kind": "policy", "user": "ann", "mode": "periodic", "k": 1, "length": 2},
]
EVENTS = [
    {"id": "e1", "time": "2004-02-13T20:01:00Z", "attributes": {"genre": "drama", "year": 2004}},
    {"id": "e2", "time": "2004-02-13T20:02:00Z", "attributes": {"genre": "drama", "year": 1950}},
    {"id": "e3", "time": "2004-02-13T20:03:00Z", "attributes": {"genre": "comedy"}},
    {"id": "e4", "time": "2004-02-13T20:04:00Z", "attributes": {"genre": "drama"}},
    {"id": "e5", "time": "2004-02-13T20:05:00Z", "attributes": {"genre": "drama"}},
]


@pytest.fixture
def files(lines: Any) -> tuple[str, ...]:
    return ("--catalog", lines("c.jsonl", CATALOG), "--events", lines("e.jsonl", EVENTS))


@pytest.fixture
def stored(store: Any, files: tuple[str, ...]) -> Any:
    store("subscribe", "--file", "c.jsonl")
    store("publish", "e.jsonl")
    store("run")
    return store


def test_from_files(rankcast: Any, files: tuple[str, ...]) -> None:
    told = json.loads(rankcast("explain", "ann", "e1", *files, "--json").stdout)
    assert (told["sent"], told["rank"]) == (False, 0.5)
    assert {one["id"]: one["most_specific"] for one in told["subscriptions"]} == {"s1": False, "s2": True}
    assert [other["event"] for other in told["decision"]["others"]] == ["e2"]
    text = rankcast("explain", "ann", "e2", *files).stdout
    assert text.startswith("e2 for ann: sent at the end of period 1: rank 0.7")
    assert json.loads(rankcast("explain", "ann", "e5", *files, "--json").stdout)["sent"] is True


def test_from_a_store(stored: Any) -> None:
    assert stored("explain", "ann", "e2").stdout.startswith("e2 for ann: sent at the end of period 1")
    assert "none of the 2 subscriptions" in stored("explain", "ann", "e3").stdout
    assert "waits for the end of its period" in stored("explain", "ann", "e5").stdout


def test_an_event_is_explained_with_the_catalog_of_its_time(stored: Any) -> None:
    stored("unsubscribe", "s1", "s2")
    assert stored("explain", "ann", "e2").stdout.startswith("e2 for ann: sent")


def test_what_is_not_served_yet(stored: Any) -> None:
    stored("publish", "--attr", "genre=drama", "--id", "e6")
    result = stored("explain", "ann", "e6")
    assert "has not been served yet" in result.stderr
    assert "e6 for ann" in result.stdout


def test_nobody_and_nothing(stored: Any, files: tuple[str, ...]) -> None:
    assert "no event 'e9'" in stored("explain", "ann", "e9", code=1).stderr
    assert "did you mean 'ann'" in stored("explain", "anne", "e1", code=1).stderr
    assert "no event 'e9'" in stored("explain", "ann", "e9", *files, code=1).stderr
    assert "given together" in stored("explain", "ann", "e1", *files[:2], code=2).stderr


def test_a_diverse_period_is_explained_without_compiled_loops(store: Any, lines: Any) -> None:
    """To load the loops takes several times as long as the choice."""
    policy = {"kind": "policy", "user": "ann", "mode": "periodic", "k": 3, "length": 100, "sigma": 0.5}
    lines("c.jsonl", [*CATALOG[:1], policy])
    lines("e.jsonl", [{**EVENTS[0], "id": f"e{n}", "attributes": {"genre": "drama", "year": n}} for n in range(1, 101)])
    store("subscribe", "--file", "c.jsonl")
    store("publish", "e.jsonl")
    store("run")
    probe = "import sys; from rankcast.cli.main import main\ntry: main()\nfinally: print(*sys.modules, file=sys.stderr)"
    words = ["explain", "ann", "e100", "--json"]
    run = subprocess.run([sys.executable, "-c", probe, *words], capture_output=True, text=True, check=True, timeout=60)
    told = json.loads(run.stdout)
    assert told["sent"] is True
    assert "in the top 3 of 100 candidates" in told["verdict"]
    assert {"numba", "pandas", "pyarrow", "pyspark"}.isdisjoint(run.stderr.split())

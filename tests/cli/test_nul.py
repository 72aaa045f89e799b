"""A NUL character in a name is refused by commands and in files, on every database. PostgreSQL cannot keep one."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from rankcast.store import Store

NUL = "a\0b"
COMMANDS = [
    ["subscribe", "x = 1", "--user", NUL],
    ["subscribe", "x = 1", "--user", "ann", "--id", NUL],
    ["policy", "--user", NUL, "--k", "3"],
    ["concept", NUL, "--attribute", "n", "--trapezoid", "0", "0", "1", "2"],
    ["concept", "low", "--attribute", NUL, "--trapezoid", "0", "0", "1", "2"],
    ["concept", "low", "--attribute", "n", "--trapezoid", "0", "0", "1", "2", "--user", NUL],
    ["publish", "--id", NUL, "--attr", "x=1"],
    ["publish", "--attr", f"{NUL}=1"],
    ["token", "create", "--user", NUL],
    ["token", "create", "--publisher", NUL],
]
RECORDS = [
    {"kind": "subscription", "id": NUL, "user": "ann", "where": "true"},
    {"kind": "subscription", "id": "s", "user": NUL, "where": "true"},
    {"kind": "policy", "user": NUL, "k": 1},
    {"kind": "concept", "attribute": "n", "name": NUL, "trapezoid": [0, 0, 1, 2]},
    {"kind": "advertisement", "id": NUL, "publisher": "p", "where": "true", "k": 1},
]
EVENTS = [
    {"id": NUL, "time": "2026-01-01", "attributes": {"x": 1}},
    {"id": "e1", "time": "2026-01-01", "source": NUL, "attributes": {"x": 1}},
    {"id": "e2", "time": "2026-01-01", "attributes": {NUL: 1}},
    {"id": "e3", "time": "2026-01-01", "attributes": {"x": 1}},
]


@pytest.fixture(params=["sqlite", "postgresql"])
def place(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[str]:
    """The place of an empty store, on each database."""
    if request.param == "sqlite":
        Store.create(tmp_path / "store.db").close()
        yield str(tmp_path / "store.db")
        return
    with request.getfixturevalue("postgresql").place() as url:
        Store.create(url).close()
        yield url


def test_commands_refuse_it(rankcast: Any, place: str) -> None:
    for command in COMMANDS:
        told = rankcast(*command, "--store", place, code=2)
        assert "control character U+0000" in told.stderr, (command, told.stderr)
    with Store.open(place) as store:
        assert store.version() == 0
        assert store.last_offset() == 0


def test_files_refuse_it_line_by_line(rankcast: Any, place: str, lines: Any) -> None:
    lines("records.jsonl", RECORDS)
    lines("events.jsonl", EVENTS)
    told = rankcast("subscribe", "--file", "records.jsonl", "--store", place, code=1)
    assert told.stderr.count("control character U+0000") == len(RECORDS), told.stderr
    told = rankcast("publish", "events.jsonl", "--store", place, code=1)
    assert told.stderr.count("control character U+0000") == len(EVENTS) - 1, told.stderr
    with Store.open(place) as store:
        assert [one.event.id for one in store.events()] == ["e3"]
        assert len(store.rejects()) == len(RECORDS) + len(EVENTS) - 1
        assert all(json.loads(one.raw) in RECORDS + EVENTS for one in store.rejects())

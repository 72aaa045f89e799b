"""``rankcast index``: build a file, say what it holds, refuse a damaged one."""

import json
from pathlib import Path
from typing import Any

import pytest

CATALOG = [
    {"kind": "subscription", "id": "s1", "user": "ann", "where": "genre = 'drama' and year > 1999"},
    {"kind": "subscription", "id": "s2", "user": "bob", "where": "genre = 'comedy'"},
]
EVENTS = [{"id": "e1", "time": "2004-02-13T20:05:00Z", "attributes": {"genre": ["drama", "comedy"], "year": 2004}}]


@pytest.fixture
def files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    for name, lines in (("c.jsonl", CATALOG), ("e.jsonl", EVENTS)):
        (tmp_path / name).write_text("".join(json.dumps(line) + "\n" for line in lines))
    return tmp_path


def test_build_and_stats(rankcast: Any, files: Path) -> None:
    built = json.loads(rankcast("index", "build", "films.index", "--catalog", "c.jsonl", "--json").stdout)
    assert built["subscriptions"] == 2
    said = json.loads(rankcast("index", "stats", "films.index", "--events", "e.jsonl", "--json").stdout)
    assert said["subscriptions"] == 2
    assert said["matches_per_event"] == 2
    assert said["bytes"] == built["bytes"]


def test_a_damaged_index_is_refused(rankcast: Any, files: Path) -> None:
    rankcast("index", "build", "films.index", "--catalog", "c.jsonl")
    path = files / "films.index"
    path.write_bytes(path.read_bytes()[:-5])
    assert "films.index is damaged" in rankcast("index", "stats", "films.index", code=3).stderr


def test_a_damaged_index_is_built_again_from_its_catalog(rankcast: Any, files: Path) -> None:
    rankcast("index", "build", "films.index", "--catalog", "c.jsonl")
    path = files / "films.index"
    whole = path.read_bytes()
    path.write_bytes(whole[:-5])
    said = rankcast("index", "stats", "films.index", "--catalog", "c.jsonl", "--json")
    assert json.loads(said.stdout)["subscriptions"] == 2
    assert "films.index is damaged" in said.stderr
    assert "built again from the catalog" in said.stderr
    assert len(path.read_bytes()) == len(whole)

"""Reading a catalog and events from files."""

import gzip
import json
from pathlib import Path
from typing import Any

import pytest

from rankcast.cli.inputs import count_lines, read_inputs
from rankcast.cli.output import Output


def test_catalog_events_and_how_many_were_bad(lines: Any, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    catalog_file = lines("c.jsonl", [{"kind": "subscription", "id": "s", "user": "u", "where": "true"}, "bad"])
    events_file = lines("e.jsonl", ["worse", {"id": "e", "time": "2004-02-13", "attributes": {}}])
    catalog, events, bad = read_inputs(Path(catalog_file), Path(events_file), Output(), tmp_path / "r.jsonl")
    assert (list(catalog.subscriptions), [event.id for event in events], bad) == (["s"], ["e"], 2)
    kept = [json.loads(line) for line in (tmp_path / "r.jsonl").read_text().splitlines()]
    assert [(one["file"], one["line"], one["raw"]) for one in kept] == [("c.jsonl", 2, "bad"), ("e.jsonl", 1, "worse")]
    assert [line.split(": ")[0] for line in capsys.readouterr().err.splitlines()] == ["c.jsonl:2", "e.jsonl:1"]


def test_count_lines(lines: Any, tmp_path: Path) -> None:
    assert count_lines(lines("e.jsonl", ["a", "b"])) == 2
    (tmp_path / "e.jsonl.gz").write_bytes(gzip.compress(b"a\n"))
    assert count_lines("e.jsonl.gz") is None
    assert count_lines("-") is None
    assert count_lines(tmp_path) is None


def test_a_publication_outside_its_advertisement_is_rejected(lines: Any, capsys: pytest.CaptureFixture[str]) -> None:
    catalog_file = lines(
        "c.jsonl", [{"kind": "advertisement", "id": "a1", "publisher": "shop", "where": "price <= 100", "k": 1}]
    )
    under = {"time": "2004-02-13", "advertisement": "a1"}
    events_file = lines(
        "e.jsonl",
        [
            {"id": "in", "attributes": {"price": 99}, **under},
            {"id": "out", "attributes": {"price": 101}, **under},
            {"id": "nowhere", "attributes": {}, **under, "advertisement": "a2"},
        ],
    )
    _, events, bad = read_inputs(Path(catalog_file), Path(events_file), Output())
    assert ([event.id for event in events], bad) == (["in"], 2)
    assert "outside the space" in capsys.readouterr().err

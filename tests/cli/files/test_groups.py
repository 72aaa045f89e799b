"""``rankcast groups``: filters shared by similar users."""

import json
from pathlib import Path
from typing import Any

import pytest

CATALOG = [
    {"kind": "subscription", "id": f"{user}-{genre}", "user": user, "where": f"genre = '{genre}'"}
    for user in ("ann", "bob")
    for genre in ("drama", "short")
] + [
    {"kind": "policy", "user": user, "filter": {"novelty": "threshold", "rate": 0.5, "period": 4}}
    for user in ("ann", "bob")
]
EVENTS = [
    {"id": f"e{n}", "time": f"2026-01-01T00:{n:02}:00Z", "attributes": {"genre": "short" if n % 5 == 0 else "drama"}}
    for n in range(20)
]


def test_what_sharing_saves(rankcast: Any, lines: Any, tmp_path: Path) -> None:
    files = ["--catalog", str(lines("c.jsonl", CATALOG)), "--events", str(lines("e.jsonl", EVENTS))]
    rows = [json.loads(line) for line in rankcast("groups", *files).stdout.splitlines()]
    assert [row["similarity"] for row in rows] == [1.0, 0.8, 0.6, 0.4, 0.2]
    assert rows[0]["members"] == {"group of ann": ["ann", "bob"]}
    assert rows[0]["decisions"] == {"alone": 40, "shared": 20}
    assert rows[0]["entropy"]["alone"] == rows[0]["entropy"]["shared"]

    rankcast("groups", *files, "--similarity", "1", "--out", "shared.jsonl", "--deliveries", "d.jsonl")
    replayed = rankcast("replay", *files)
    assert (tmp_path / "d.jsonl").read_text() == replayed.stdout
    again = rankcast("replay", "--catalog", "shared.jsonl", "--events", files[3])
    assert len(again.stdout.splitlines()) * 2 == len(replayed.stdout.splitlines())
    rankcast("groups", *files, "--out", "x.jsonl", code=2)


@pytest.mark.parametrize("engine", ["local", pytest.param("spark", marks=pytest.mark.spark)])
def test_every_engine_gives_the_same(rankcast: Any, lines: Any, engine: str) -> None:
    files = ["--catalog", str(lines("c.jsonl", CATALOG)), "--events", str(lines("e.jsonl", EVENTS))]
    chosen = ["--similarity", "1", "--engine"]
    assert rankcast("groups", *files, *chosen, engine).stdout == rankcast("groups", *files, *chosen, "oracle").stdout

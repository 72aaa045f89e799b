"""``rankcast team``: one user's subscriptions on several nodes, with every engine."""

import json
from typing import Any

import pytest

CATALOG = [
    {"kind": "subscription", "id": genre, "user": "desk", "where": f"genre = '{genre}'"}
    for genre in ("drama", "short", "comedy", "news")
] + [
    {"kind": "subscription", "id": "other", "user": "ann", "where": "genre exists"},
    {"kind": "policy", "user": "desk", "filter": {"novelty": "threshold", "rate": 0.4, "period": 10}},
]
EVENTS = [
    {
        "id": f"e{n:02}",
        "time": f"2026-01-01T00:{n:02}:00Z",
        "attributes": {"genre": ["short", "news"] if n % 5 == 0 else "comedy" if n % 4 == 0 else "drama"},
    }
    for n in range(40)
]


@pytest.fixture
def files(lines: Any) -> list[str]:
    return ["--catalog", str(lines("c.jsonl", CATALOG)), "--events", str(lines("e.jsonl", EVENTS))]


def test_one_node_is_the_plain_filter(rankcast: Any, files: list[str]) -> None:
    found = [
        json.loads(line) for line in rankcast("team", "desk", *files, "--rounds", 4, "--nodes", 1).stdout.splitlines()
    ]
    replayed = [json.loads(line) for line in rankcast("replay", *files).stdout.splitlines()]
    assert [(one["event"], one["subscriptions"]) for one in found] == [
        (one["event"], sorted(one["subscriptions"])) for one in replayed if one["user"] == "desk"
    ]
    assert [one["round"] for one in found] == sorted(1 + (one["seq"] - 1) // 10 for one in found)


@pytest.mark.parametrize("engine", ["local", "index", pytest.param("spark", marks=pytest.mark.spark)])
def test_every_engine_gives_the_same(rankcast: Any, files: list[str], engine: str) -> None:
    options = ["team", "desk", *files, "--rounds", 4, "--nodes", 2]
    expected = rankcast(*options, "--engine", "oracle").stdout
    assert len(expected.splitlines()) > 8
    assert rankcast(*options, "--engine", engine).stdout == expected


def test_a_user_without_a_filter_is_refused(rankcast: Any, files: list[str]) -> None:
    said = rankcast("team", "ann", *files, "--rounds", 4, code=2)
    assert "threshold or sampling filter" in said.stderr

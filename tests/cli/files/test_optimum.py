"""``rankcast optimum``: the best choice of a known stream, beside what the policy delivers."""

import json
from typing import Any

import pytest

CATALOG = [
    {"kind": "subscription", "id": "drama", "user": "ann", "where": "genre = 'drama'"},
    {"kind": "subscription", "id": "short", "user": "ann", "where": "genre = 'short'"},
    {"kind": "policy", "user": "ann", "filter": {"novelty": "random", "rate": 0.5, "period": 10}},
]
EVENTS = [
    {"id": f"e{n}", "time": f"2026-01-01T00:{n:02}:00Z", "attributes": {"genre": "short" if n % 5 == 0 else "drama"}}
    for n in range(40)
]


@pytest.fixture
def files(lines: Any) -> list[str]:
    return ["--catalog", str(lines("c.jsonl", CATALOG)), "--events", str(lines("e.jsonl", EVENTS))]


def test_the_best_choice_beside_what_is_delivered(rankcast: Any, files: list[str]) -> None:
    (row,) = map(json.loads, rankcast("optimum", *files).stdout.splitlines())
    assert (row["user"], row["matched"], row["k"], row["delivered"]["deliveries"]) == ("ann", 40, 20, 20)
    assert row["optimum"] == {"entropy": pytest.approx(0.970951), "bound": pytest.approx(0.970951), "exact": True}
    assert row["delivered"]["entropy"] <= row["optimum"]["entropy"]
    assert row["r_max"] == 0.4


def test_another_rate(rankcast: Any, files: list[str]) -> None:
    (row,) = map(json.loads, rankcast("optimum", *files, "--rate", "0.2", "--user", "ann").stdout.splitlines())
    assert (row["k"], row["optimum"]["entropy"]) == (8, 1.0)
    rankcast("optimum", *files, "--rate", "0", code=2)
    assert "did you mean 'ann'" in rankcast("optimum", *files, "--user", "anne", code=None).stderr


@pytest.mark.parametrize("engine", ["local", pytest.param("spark", marks=pytest.mark.spark)])
def test_every_engine_gives_the_same(rankcast: Any, files: list[str], engine: str) -> None:
    expected = rankcast("optimum", *files, "--engine", "oracle").stdout
    assert rankcast("optimum", *files, "--engine", engine).stdout == expected

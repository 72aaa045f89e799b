"""``rankcast concepts compare``: vague subscriptions beside crisp ones."""

import json
from typing import Any

import pytest

CATALOG = [
    {"kind": "concept", "name": "cheap", "attribute": "price", "left_shoulder": [1000, 1800]},
    {"kind": "subscription", "id": "vague", "user": "ann", "where": "price is cheap"},
    {"kind": "subscription", "id": "crisp", "user": "bob", "where": "price < 1000"},
]
PRICES = [900, 1400, 1600, {"between": [1000, 2400]}]
EVENTS = [
    {"id": f"e{n}", "time": f"2026-01-0{n // 2 + 1}", "attributes": {"price": price}} for n, price in enumerate(PRICES)
]


@pytest.fixture
def files(lines: Any) -> list[str]:
    return ["--catalog", str(lines("c.jsonl", CATALOG)), "--events", str(lines("e.jsonl", EVENTS))]


def told(result: Any) -> list[dict[str, Any]]:
    return [json.loads(line) for line in result.stdout.splitlines()]


def test_each_attitude_beside_crisp(rankcast: Any, files: list[str]) -> None:
    assert told(rankcast("concepts", "compare", *files)) == [
        {
            "subscription": "vague", "user": "ann", "as_subscribed": 3, "crisp": 1,
            "optimistic": 3, "indifferent": 1, "pessimistic": 2,
        }
    ]  # fmt: skip


def test_over_time(rankcast: Any, files: list[str]) -> None:
    assert told(rankcast("concepts", "compare", *files, "--every", "1d")) == [
        {"time": "2026-01-01T00:00:00Z", "events": 2, "subscriptions": 1, "vague": 2, "at_thresholds": 2, "at_core": 1},
        {"time": "2026-01-02T00:00:00Z", "events": 2, "subscriptions": 1, "vague": 1, "at_thresholds": 0, "at_core": 0},
    ]


def test_one_user(rankcast: Any, files: list[str]) -> None:
    assert told(rankcast("concepts", "compare", *files, "--user", "bob")) == []
    assert "did you mean 'ann'" in rankcast("concepts", "compare", *files, "--user", "anm", code=1).stderr
    assert "longer than 0" in rankcast("concepts", "compare", *files, "--every", "0s", code=2).stderr

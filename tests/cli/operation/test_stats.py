"""``rankcast stats``."""

import json
from typing import Any

import pytest

EVENTS = [
    {"id": f"e{number}", "time": f"2026-01-01T00:{number:02}:00Z", "attributes": {"genre": genre}}
    for number, genre in enumerate(["drama"] * 4 + ["short"] * 2 + ["drama"] * 2, 1)
]


@pytest.fixture
def served(store: Any, lines: Any) -> Any:
    store("subscribe", "genre = 'drama'", "--user", "ann", "--id", "s1")
    store("subscribe", "genre = 'short'", "--user", "ann", "--id", "s2")
    store("subscribe", "genre = 'news'", "--user", "bob", "--id", "s3")
    store("policy", "--user", "ann", "--filter", "threshold", "--update", "lazy", "--rate", "0.5", "--period", "4")
    store("publish", lines("events.jsonl", EVENTS))
    store("run")
    return store


def test_every_user_has_a_line(served: Any) -> None:
    ann, bob = map(json.loads, served("stats").stdout.splitlines())
    assert (ann["user"], ann["deliveries"], bob["deliveries"]) == ("ann", 4, 0)
    assert ann["entropy"] == pytest.approx(1.0)
    assert {place["place"] for place in ann["places"]} == {"s1", "s2"}


def test_thresholds_of_one(served: Any) -> None:
    found = [json.loads(line) for line in served("stats", "--user", "ann", "--thresholds").stdout.splitlines()]
    assert [bar["matched"] for bar in found] == [4, 8]
    served("stats", "--thresholds", code=2)


def test_an_unknown_user_is_an_error(served: Any) -> None:
    assert "there is no user 'an'" in served("stats", "--user", "an", code=None).stderr


def test_advice_on_the_rate_of_one(served: Any) -> None:
    (found,) = map(json.loads, served("stats", "--user", "ann").stdout.splitlines())
    assert (found["even"]["r_min"], found["even"]["r_max"]) == (0.5, 0.5)
    assert found["even"]["advice"].startswith("with 0.5 you can have all 2 topics evenly")

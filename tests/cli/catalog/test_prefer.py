"""``rankcast prefer``."""

import json
from typing import Any

import pytest


@pytest.fixture
def ann(store: Any) -> Any:
    for n in (1, 2, 3):
        store("subscribe", "--user", "ann", f"x = {n}")
    return store


def preferred(rankcast: Any) -> list[tuple[str, str]]:
    told = map(json.loads, rankcast("prefer", "--user", "ann").stdout.splitlines())
    return [(one["prefer"], one["over"]) for one in told]


def test_one_over_another_or_a_row_of_them(ann: Any) -> None:
    assert ann("prefer", "--user", "ann", "ann-1", "ann-2").stderr == "ann prefers ann-1 over ann-2\n"
    ann("prefer", "--user", "ann", "ann-1", "ann-2", "ann-3")
    assert preferred(ann) == [("ann-1", "ann-2"), ("ann-2", "ann-3")]
    ann("prefer", "--user", "ann", "ann-1", "ann-2", "--remove")
    assert preferred(ann) == [("ann-2", "ann-3")]


def test_a_circle_is_refused_and_shown(ann: Any) -> None:
    ann("prefer", "--user", "ann", "ann-1", "ann-2", "ann-3")
    assert "ann-3 > ann-1 > ann-2 > ann-3" in ann("prefer", "--user", "ann", "ann-3", "ann-1", code=1).stderr
    assert preferred(ann) == [("ann-1", "ann-2"), ("ann-2", "ann-3")]


def test_mistakes(ann: Any) -> None:
    assert "no subscription 'ann-9'" in ann("prefer", "--user", "ann", "ann-1", "ann-9", code=1).stderr
    assert "no subscription" in ann("prefer", "--user", "bob", "ann-1", "ann-2", code=1).stderr
    assert "name two" in ann("prefer", "--user", "ann", "ann-1", code=2).stderr
    assert ann("prefer", "--user", "ann", "ann-1", "ann-2", "--remove", code=1).stderr.startswith("error: ")


def test_json(ann: Any) -> None:
    told = json.loads(ann("prefer", "--user", "ann", "ann-1", "ann-2", "--json").stdout)
    assert told == {"kind": "preference", "user": "ann", "prefer": "ann-1", "over": "ann-2"}

"""Functions in a module that the environment names, by command: F and G with both engines, and a ranking function."""

import json
import sys
from pathlib import Path
from typing import Any

import pytest

from rankcast.model import AGGREGATES, LEVELS
from rankcast.model import functions as of_policies
from rankcast.overlay import functions as of_advertisements

MODULE = """
from rankcast.model import AGGREGATES, LEVELS
from rankcast.overlay import register_scorer
AGGREGATES.register("product", lambda scores, weights: __import__("math").prod(sorted(scores)))
LEVELS.register("cubes", lambda level, count: ((count - level + 1) / count) ** 3)
register_scorer("last_letter", lambda event, subscription, degree: float(ord(subscription.id[-1])))
"""
CATALOG = [
    {"kind": "subscription", "id": "a", "user": "ann", "where": "n > 0"},
    {"kind": "subscription", "id": "b", "user": "ann", "where": "m > 0"},
    {"kind": "subscription", "id": "c", "user": "bob", "where": "n > 0"},
    {"kind": "preference", "user": "ann", "prefer": "a", "over": "b"},
    {"kind": "policy", "user": "ann", "aggregate": "product", "levels": "cubes"},
    {"kind": "advertisement", "id": "a1", "publisher": "shop", "where": "n > 0", "k": 1, "function": "last_letter"},
]
EVENTS = [
    {"id": "e1", "time": "2026-01-01T00:00:00Z", "attributes": {"n": 1, "m": 1}},
    {"id": "e2", "time": "2026-01-01T00:01:00Z", "attributes": {"n": 1, "m": 1}, "advertisement": "a1"},
]


@pytest.fixture(autouse=True)
def _named_by_the_environment(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "functions_of_a_command.py").write_text(MODULE)
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.delitem(sys.modules, "functions_of_a_command", raising=False)
    monkeypatch.setenv("RANKCAST_FUNCTIONS", "functions_of_a_command")
    monkeypatch.setattr(of_policies, "_imported", False)
    monkeypatch.setattr(of_advertisements, "_KNOWN", {})
    for registry in (AGGREGATES, LEVELS):
        monkeypatch.setattr(registry, "_functions", {})


@pytest.mark.parametrize("engine", ["oracle", "local"])
def test_a_replay_uses_them(rankcast: Any, lines: Any, engine: str) -> None:
    files = ("--catalog", str(lines("c.jsonl", CATALOG)), "--events", str(lines("e.jsonl", EVENTS)))
    sent = [json.loads(line) for line in rankcast("replay", *files, "--engine", engine).stdout.splitlines()]
    assert [(one["user"], one["event"], one["rank"]) for one in sent] == [
        ("ann", "e1", 0.125),
        ("bob", "e1", 1.0),
        ("bob", "e2", 1.0),
    ]


def test_a_policy_names_them(rankcast: Any) -> None:
    rankcast("init")
    (said,) = rankcast(
        "policy", "--user", "ann", "--aggregate", "product", "--levels", "cubes", "--json"
    ).stdout.splitlines()
    assert json.loads(said) == CATALOG[4]
    assert "product" in rankcast("policy", "--user", "ann", "--aggregate", "produkt", code=2).stderr


@pytest.mark.parametrize("strategy", ["regular", "rank-cover", "ancestor-cover"])
def test_a_simulated_overlay_ranks_by_them(rankcast: Any, lines: Any, strategy: str) -> None:
    files = ("--catalog", str(lines("c.jsonl", CATALOG)), "--events", str(lines("e.jsonl", EVENTS)))
    result = rankcast("overlay", "simulate", *files, "--topology", "b1-b2", "--strategy", strategy)
    assert "0 publications differ from a single broker" in result.stderr
    # A function without bounds proves nothing, so what is covered is forwarded too.
    assert "3 of 3 subscriptions are known at the publisher" in result.stderr


def test_a_simulated_overlay_refuses_an_unknown_one(rankcast: Any, lines: Any) -> None:
    wrong = [*CATALOG[:-1], {**CATALOG[-1], "function": "first_letter"}]
    result = rankcast("overlay", "simulate", "--catalog", str(lines("c.jsonl", wrong)), code=None)
    assert result.exit_code != 0
    assert "no ranking function 'first_letter'" in result.stderr

"""``rankcast init``."""

import json
import shlex
from pathlib import Path
from typing import Any

import pytest


def test_makes_a_store_and_leaves_one_that_is_there(rankcast: Any, tmp_path: Path) -> None:
    assert "is ready" in rankcast("init").stderr
    assert (tmp_path / "rankcast.db").exists()
    rankcast("subscribe", "--user", "ann", "genre = 'drama'")
    assert "already exists, with 1 user, 1 subscription and 0 events" in rankcast("init").stderr
    told = json.loads(rankcast("init", "--json").stdout)
    assert (told["store"], told["subscriptions"]) == ("rankcast.db", 1)


@pytest.mark.parametrize("how", ["argument", "option", "environment"])
def test_where(rankcast: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, how: str) -> None:
    if how == "environment":
        monkeypatch.setenv("RANKCAST_STORE", "other.db")
    rankcast(*{"argument": ["init", "other.db"], "option": ["init", "--store", "other.db"]}.get(how, ["init"]))
    assert [path.name for path in tmp_path.glob("*.db")] == ["other.db"]


def test_no_store_is_an_environment_problem_that_says_how_to_mend_it(rankcast: Any) -> None:
    for command in (
        ["subscriptions"],
        ["deliveries"],
        ["run"],
        ["rejects"],
        ["publish", "--attr", "a=1"],
        ["explain", "u", "e"],
        ["policy"],
        ["concept"],
        ["prefer", "--user", "u"],
        ["unsubscribe", "s"],
        ["subscribe", "--user", "u", "true"],
    ):
        assert "rankcast init rankcast.db" in rankcast(*command, code=3).stderr


def test_a_file_that_is_no_store_is_left_alone(rankcast: Any, tmp_path: Path) -> None:
    (tmp_path / "notes.txt").write_text("dear diary\n" * 100)
    assert rankcast("init", "notes.txt", code=3).stderr.startswith("error: ")
    assert (tmp_path / "notes.txt").read_text() == "dear diary\n" * 100


def test_the_suggested_command_works(rankcast: Any) -> None:
    said = rankcast("init", "my films.db").stderr
    command = shlex.split(said.split("now subscribe: rankcast ")[1])
    rankcast(*command)
    assert "drama" in rankcast("subscriptions", "--store", "my films.db").stdout

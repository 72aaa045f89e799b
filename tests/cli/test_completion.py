"""Completion in the shell, asked as a shell asks for it."""

import pytest
from typer.testing import CliRunner

from rankcast.cli.main import app
from rankcast.language import decode_event, decode_record
from rankcast.store import Store


@pytest.fixture
def place(tmp_path, monkeypatch) -> str:
    monkeypatch.setenv("RANKCAST_STORE", str(tmp_path / "s.db"))
    with Store.create(tmp_path / "s.db") as store:
        for user, name in (("ann", "ann-war"), ("ann", "ann-noir"), ("anton", "anton-war"), ("ben", "ben-war")):
            store.change(put=[decode_record({"kind": "subscription", "id": name, "user": user, "where": "x = 1"})])
        store.publish(
            [decode_event({"id": f"film{n}", "time": "2026-01-01", "attributes": {"x": 1}}) for n in range(3)]
        )
    return str(tmp_path / "s.db")


def asked(line: str) -> list[str]:
    words = line.split(" ")
    env = {"_RANKCAST_COMPLETE": "complete_bash", "COMP_WORDS": line, "COMP_CWORD": str(len(words) - 1)}
    return CliRunner().invoke(app, [], env=env, prog_name="rankcast").output.split()


@pytest.mark.parametrize(
    ("line", "suggested"),
    [
        ("rankcast watch an", ["ann", "anton"]),
        ("rankcast deliveries --user b", ["ben"]),
        ("rankcast explain ann film", ["film2", "film1", "film0"]),
        ("rankcast unsubscribe ann-", ["ann-noir", "ann-war"]),
        ("rankcast policy --preset he", ["headlines"]),
        ("rankcast watch zoe", []),
    ],
)
def test_what_is_in_the_store_is_suggested(place, line, suggested):
    assert asked(line) == suggested


def test_the_store_that_the_line_names_is_asked_and_a_missing_one_suggests_nothing(place, monkeypatch, tmp_path):
    monkeypatch.delenv("RANKCAST_STORE")
    monkeypatch.chdir(tmp_path)
    assert asked(f"rankcast deliveries --store {place} --user be") == ["ben"]
    assert asked("rankcast deliveries --store nowhere.db --user be") == []

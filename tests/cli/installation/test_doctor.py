"""``rankcast doctor``."""

import json
from typing import Any

import pytest

from rankcast.pipeline.doctor import Checkup

HEALTHY = [Checkup("Java", True, "17"), Checkup("cores", None, "1", "more are faster")]


def test_all_is_there(rankcast: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("rankcast.pipeline.doctor.examine", lambda store: HEALTHY)
    result = rankcast("doctor")
    assert result.stderr == "all requirements are met\n"
    assert "cores: more are faster" in result.stdout
    assert [json.loads(line) for line in rankcast("doctor", "--json").stdout.splitlines()] == [
        {"name": "Java", "ok": True, "found": "17", "advice": ""},
        {"name": "cores", "ok": None, "found": "1", "advice": "more are faster"},
    ]


def test_something_is_missing(rankcast: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    missing = Checkup("Java", False, "none", "install [it]")
    monkeypatch.setattr("rankcast.pipeline.doctor.examine", lambda store: [missing])
    result = rankcast("doctor", code=1)
    assert "Java: install [it]" in result.stdout
    assert result.stderr == "missing: Java\n"


def test_which_store_is_looked_at(rankcast: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[object] = []
    monkeypatch.setattr("rankcast.pipeline.doctor.examine", lambda store: asked.append(store) or HEALTHY)
    rankcast("doctor", "--store", "x.db")
    rankcast("doctor", "--store", "postgresql://127.0.0.1:1/name", code=1)
    assert [str(one) for one in asked] == ["x.db", "None"]


def test_for_real(rankcast: Any) -> None:
    names = [json.loads(line)["name"] for line in rankcast("doctor", "--json", code=None).stdout.splitlines()]
    assert {"Python", "Java", "memory", "store"} <= set(names)


def test_a_store_in_a_database_is_asked(rankcast: Any, postgresql: Any) -> None:
    with postgresql.place() as url:
        missing = rankcast("doctor", "--store", url, code=1)
        assert "store: no store at 'postgresql://rankcast:***@" in missing.stdout
        rankcast("init", url)
        assert "answers" in rankcast("doctor", "--store", url, code=None).stdout

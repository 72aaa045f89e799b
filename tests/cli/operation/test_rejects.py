"""Rejects are told at once and can be listed later."""

import json
from typing import Any

import pytest
import typer

from rankcast.cli.operation.rejects import exit_if_any, tell
from rankcast.cli.output import Output
from rankcast.engine.reference.subscriber import Subscriber
from rankcast.model import Reject
from rankcast.pipeline.metrics import Metrics
from rankcast.store import Store


def test_the_first_ten_are_told_and_the_rest_counted(capsys: pytest.CaptureFixture[str]) -> None:
    tell(Output(), [Reject("f", n, "odd", "") for n in range(1, 1001)])
    out, err = capsys.readouterr()
    assert out == ""
    assert err.splitlines() == [*(f"f:{n}: odd" for n in range(1, 11)), "… and 990 more"]


def test_the_exit_code() -> None:
    exit_if_any(0)
    with pytest.raises(typer.Exit) as left:
        exit_if_any(1)
    assert left.value.exit_code == 1


def test_listing(store: Any, lines: Any) -> None:
    assert store("rejects").stdout == ""
    store("publish", lines("e.jsonl", ["a", "b", "c"]), code=1)
    told = [json.loads(line) for line in store("rejects", "--limit", "2").stdout.splitlines()]
    assert [(one["file"], one["line"], one["raw"]) for one in told] == [("e.jsonl", 2, "b"), ("e.jsonl", 3, "c")]
    assert list(told[0]) == ["file", "line", "reason", "raw", "when"]


def test_what_is_set_aside_is_listed_counted_logged_and_served_again(
    store: Any, lines: Any, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    publish = Subscriber.publish

    def fails(self: Any, moment: Any, event: Any, matched: Any) -> Any:
        if self._user == "bob" and matched:
            raise OverflowError("intermediate overflow in fsum")
        return publish(self, moment, event, matched)

    for user in ("ann", "bob"):
        store("subscribe", "x > 0", "--user", user)
    event = {"id": "e1", "time": "2026-01-01", "attributes": {"x": 1}}
    store("publish", lines("e.jsonl", [event]))
    with monkeypatch.context() as patched:
        patched.setattr(Subscriber, "publish", fails)
        assert json.loads(store("run", "--json").stdout) == {"offset": 1, "events": 1, "delivered": 1, "set_aside": 1}
    assert "set aside: user 'bob', event 'e1' at 1, catalog version 2: OverflowError: intermediate" in caplog.text
    (row,) = [json.loads(line) for line in store("rejects", "--set-aside").stdout.splitlines()]
    assert (row["user"], row["event"], row["version"]) == ("bob", "e1", 2)
    assert row["error"] == "OverflowError: intermediate overflow in fsum"
    assert store("rejects", "--set-aside", "--user", "ann").stdout == ""
    assert json.loads(store("status", "--json").stdout)["set_aside"] == 1
    with Store.open("rankcast.db") as opened:
        assert b"rankcast_set_aside 1.0" in Metrics(opened).text()
    store("rejects", "serve-again")
    assert store("rejects", "--set-aside").stdout == ""
    assert json.loads(store("status", "--json").stdout)["deliveries"] == 2

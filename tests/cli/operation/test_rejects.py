"""Rejects are told at once and can be listed later."""

import json
from typing import Any

import pytest
import typer

from rankcast.cli.operation.rejects import exit_if_any, tell
from rankcast.cli.output import Output
from rankcast.model import Reject


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

"""Exit codes mean something, and nobody sees a traceback that they did not ask for."""

import os
import pickle
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import typer
from typer.testing import CliRunner

from rankcast.cli.exits import ENVIRONMENT, INTERNAL, NEGATIVE, USAGE, Commands, exit_code
from rankcast.errors import (
    CatalogError,
    EnvironmentProblem,
    ExpressionError,
    LimitError,
    ModelError,
    PreferenceCycle,
    RankcastError,
    RecordError,
    StoreError,
    UnknownConcept,
)
from rankcast.model import Catalog, Term


@pytest.mark.parametrize(
    ("error", "code"),
    [
        (RankcastError("x"), NEGATIVE),
        (CatalogError("x"), NEGATIVE),
        (PreferenceCycle("u", ["a", "b"]), NEGATIVE),
        (UnknownConcept("x"), NEGATIVE),
        (ModelError("x"), USAGE),
        (RecordError("x"), USAGE),
        (ExpressionError("x", "text", 0), USAGE),
        (LimitError("x", "text", 0), USAGE),
        (StoreError("x"), ENVIRONMENT),
        (EnvironmentProblem("x"), ENVIRONMENT),
        (PermissionError(13, "denied", "f"), ENVIRONMENT),
    ],
)
def test_codes(error: Exception, code: int) -> None:
    assert exit_code(error) == code


def failing(error: BaseException) -> typer.Typer:
    app = typer.Typer(cls=Commands, pretty_exceptions_enable=False)

    @app.command()
    def fail() -> None:
        raise error

    @app.callback()
    def nothing() -> None:
        pass

    return app


@pytest.mark.parametrize(
    ("error", "code", "said"),
    [
        (StoreError("no store"), ENVIRONMENT, "error: no store\n"),
        (ExpressionError("odd", "a ? b", 2), USAGE, "error: odd\n  a ? b\n    ^\n"),
        (PermissionError(13, "Permission denied", "d.jsonl"), ENVIRONMENT, "error: d.jsonl: Permission denied\n"),
        (KeyboardInterrupt(), 130, "stopped\n"),
        (ModelError("a \x1b[31mred\x1b[0m word"), USAGE, "error: a \\x1b[31mred\\x1b[0m word\n"),
    ],
)
def test_an_error_is_a_message(error: BaseException, code: int, said: str) -> None:
    result = CliRunner().invoke(failing(error), ["fail"])
    assert (result.exit_code, result.stdout, result.stderr) == (code, "", said)


def test_an_unexpected_error_is_one_line_and_a_way_to_learn_more(monkeypatch: pytest.MonkeyPatch) -> None:
    result = CliRunner().invoke(failing(KeyError("gone\nmore")), ["fail"])
    assert result.exit_code == INTERNAL
    assert result.stderr.splitlines()[0].startswith("error: internal error in Rankcast: KeyError")
    assert "RANKCAST_DEBUG=1" in result.stderr
    assert "Traceback" not in result.stderr
    monkeypatch.setenv("RANKCAST_DEBUG", "1")
    assert "Traceback" in CliRunner().invoke(failing(KeyError("gone")), ["fail"]).stderr


def test_typer_shows_its_own(rankcast: Any) -> None:
    assert "No such command" in rankcast("relat", code=2).stderr
    assert "Missing argument" in rankcast("relate", code=2).stderr


@pytest.mark.slow
def test_a_reader_that_leaves_ends_it_quietly(lines: Any, tmp_path: Path) -> None:
    catalog = lines("c.jsonl", [{"kind": "subscription", "id": "s", "user": "u", "where": "true"}])
    events = lines("e.jsonl", [{"id": f"e{n}", "time": "2004-02-13", "attributes": {"n": n}} for n in range(5000)])
    command = [sys.executable, "-c", "from rankcast.cli.main import main; main()"]
    with subprocess.Popen(
        [*command, "replay", "--catalog", catalog, "--events", events], stdout=subprocess.PIPE, stderr=subprocess.PIPE
    ) as writer:
        assert writer.stdout is not None
        assert writer.stderr is not None
        assert writer.stdout.readline().startswith(b'{"user":"u"')
        writer.stdout.close()
        assert writer.stderr.read() == b""
        assert writer.wait(60) == 128 + signal.SIGPIPE


@pytest.mark.slow
def test_ctrl_c_ends_it_with_one_word(lines: Any, process: Any, tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "never.jsonl")
    catalog = lines("c.jsonl", [])
    command = [sys.executable, "-c", "from rankcast.cli.main import main; main()"]
    with subprocess.Popen(
        [*command, "replay", "--catalog", catalog, "--events", "never.jsonl"],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    ) as waiting:
        # Opening the other end returns when the command waits for its first line.
        with (tmp_path / "never.jsonl").open("w"):
            waiting.send_signal(signal.SIGINT)
            assert waiting.wait(60) == 130
        assert waiting.stderr is not None
        assert waiting.stderr.read() == b"stopped\n"


@pytest.mark.parametrize(
    "command",
    [
        ("publish", "no.jsonl"),
        ("subscribe", "--file", "no.jsonl"),
        ("restore", "no.jsonl"),
        ("replay", "--catalog", "no.jsonl", "--events", "no.jsonl"),
        ("explain", "ann", "e1", "--catalog", "no.jsonl", "--events", "no.jsonl"),
        ("index", "build", "--catalog", "no.jsonl"),
    ],
    ids=lambda command: command[0],
)
def test_a_missing_file_has_one_exit_code(store: Any, command: tuple[str, ...]) -> None:
    assert "there is no file 'no.jsonl'" in store(*command, code=3).stderr


@pytest.mark.parametrize(
    "command",
    [
        ("deliveries", "-u", "anne"),
        ("explain", "anne", "e1"),
        ("policy", "-u", "anne"),
        ("prefer", "-u", "anne"),
        ("stats", "-u", "anne"),
        ("subscriptions", "-u", "anne"),
    ],
    ids=lambda command: command[0],
)
def test_an_unknown_user_has_one_exit_code(store: Any, command: tuple[str, ...]) -> None:
    store("subscribe", "-u", "ann", "genre = 'drama'")
    store("publish", "--attr", "genre=drama", "--id", "e1")
    result = store(*command, code=1)
    assert "there is no user 'anne'" in result.stderr
    assert "did you mean 'ann'" in result.stderr


def test_a_user_given_as_an_argument_is_told_the_option(store: Any) -> None:
    told = " ".join(store("subscribe", "ann", "genre = 'drama'", code=2).stderr.replace("│", " ").split())
    assert "The user is an option: --user NAME" in told
    assert "--user NAME" not in store("watch", "ann", "more", code=2).stderr


def test_flags_are_shown_as_flags(rankcast: Any) -> None:
    for command in ((), ("policy",), ("token", "create"), ("serve",)):
        assert "<bool>" not in rankcast(*command, "--help").stdout


def test_an_unknown_concept_comes_with_the_command_that_defines_it() -> None:
    catalog = Catalog()
    with pytest.raises(UnknownConcept) as caught:
        catalog.membership("asking price", Term("cheap"))
    said = CliRunner().invoke(failing(pickle.loads(pickle.dumps(caught.value))), ["fail"]).stderr
    assert "no concept 'cheap' on attribute 'asking price'; define it first" in said
    assert "rankcast concept cheap --attribute 'asking price' --trapezoid 0 0 500 900" in said

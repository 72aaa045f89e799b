"""Two ways to run a command: in this process (quick, shares the JVM), and as a process of its own (real pipes)."""

import json
import os
import subprocess
import sys
from collections.abc import Callable, Iterable, Mapping
from functools import cache
from pathlib import Path
from typing import Any

import pytest
import typer.testing
from typer.testing import CliRunner, Result

from rankcast.cli.main import app

Command = Callable[..., Result]
Process = Callable[..., "subprocess.CompletedProcess[bytes]"]
# A process makes the tree of all commands once, which takes 25 ms; this runner would make it for every command.
typer.testing._get_command = cache(typer.testing._get_command)

ENTRY = [sys.executable, "-c", "from rankcast.cli.main import main; main()"]


@pytest.fixture(autouse=True)
def _in_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Every test has a folder of its own, and nothing of the user's environment."""
    monkeypatch.chdir(tmp_path)
    for name in ("RANKCAST_STORE", "RANKCAST_DEBUG", "COLUMNS", "FORCE_COLOR"):
        monkeypatch.delenv(name, raising=False)


@pytest.fixture
def rankcast() -> Command:
    """Run a command in this process; a result that is an unexpected exception fails the test."""

    def run(*arguments: str, code: int | None = 0, stdin: str | bytes | None = None) -> Result:
        result = CliRunner().invoke(app, list(arguments), input=stdin)
        if result.exception is not None and not isinstance(result.exception, SystemExit):
            raise result.exception
        said = f"{result.stdout[-2000:]}\n{result.stderr[-2000:]}"
        assert code is None or result.exit_code == code, f"exit code {result.exit_code}, not {code}:\n{said}"
        assert "Traceback" not in result.stderr
        return result

    return run


@pytest.fixture
def process() -> Process:
    """Run a command as a process of its own."""

    def run(
        *arguments: str, stdin: bytes = b"", environment: Mapping[str, str] | None = None
    ) -> "subprocess.CompletedProcess[bytes]":
        return subprocess.run(
            [*ENTRY, *arguments],
            input=stdin,
            capture_output=True,
            timeout=120,
            env={**os.environ, **(environment or {})},
        )

    return run


@pytest.fixture
def lines(tmp_path: Path) -> Callable[[str, Iterable[Any]], str]:
    """Write JSON Lines (texts are taken as they are); the name of the file."""

    def write(name: str, records: Iterable[Any]) -> str:
        texts = [record if isinstance(record, str) else json.dumps(record) for record in records]
        (tmp_path / name).write_text("".join(text + "\n" for text in texts), encoding="utf-8")
        return name

    return write


@pytest.fixture
def store(rankcast: Command) -> Command:
    """`rankcast`, in a folder with an empty store."""
    rankcast("init")
    return rankcast


@pytest.fixture(scope="session")
def wrong_events() -> list[str]:
    """A thousand lines that are no events, in a dozen ways."""
    ways = [
        '{"id": "x%d", "time": "2004-02-13", "attributes": {"n": 1}',
        '{"id": "x%d", "time": "yesterday", "attributes": {"n": 1}}',
        '{"id": "x%d", "time": "2004-02-13", "attributes": {"n": NaN}}',
        '{"id": "x%d", "time": "2004-02-13", "attributes": {"n": [1, "2"]}}',
        '{"id": "x%d", "time": "2004-02-13", "atributes": {"n": 1}}',
        '{"id": "x%d", "time": "2004-02-13", "attributes": {"n": "\\ud800"}}',
        '{"id": "x%d", "time": "2004-02-13", "attributes": {"n": 1}, "k": 0, "advertisement": "a"}',
        '{"id": %d, "time": "2004-02-13", "attributes": {"n": 1}}',
        '{"id": "g0", "id": "x%d", "time": "2004-02-13", "attributes": {"n": 1}}',
        '{"id": "x%d", "time": "2004-02-13", "attributes": {"n": 1e999}}',
        '{"id": "x%d", "time": "2004-02-13", "attributes": {"n": {"is": "cheap"}}}',
        '["x%d"]',
        "garbage %d",
        '{"id": "g0", "time": "2004-02-13", "attributes": {"n": %d}}',
    ]
    return [ways[number % len(ways)] % number for number in range(1000)]

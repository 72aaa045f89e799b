"""The commands together: quick to start, each with help and an example, nothing heavy until it is needed."""

import inspect
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from tests.support.starting import times_the_yardstick
from typer.main import get_command

from rankcast import __version__
from rankcast.cli.main import app

REQUIRED = """
init subscribe unsubscribe subscriptions prefer policy concept publish run deliveries explain rejects match replay relate
demo doctor reproduce
"""


def leaves(group: Any, *path: str) -> Iterator[tuple[str, ...]]:
    """The commands of a group and of the groups in it, each by the words that call it."""
    for name, command in group.commands.items():
        if hasattr(command, "commands"):
            yield from leaves(command, *path, name)
        else:
            yield (*path, name)


COMMANDS = list(leaves(get_command(app)))
HEAVY = {"pyspark", "pandas", "pyarrow", "numba", "sqlalchemy", "matplotlib"}
PROBE = """
import json, sys, time
begin = time.process_time()
from rankcast.cli.main import app
try:
    app(sys.argv[1:])
except SystemExit:
    pass
seconds = time.process_time() - begin
print(json.dumps({"seconds": seconds, "modules": sorted({name.partition(".")[0] for name in sys.modules})}))
"""


def test_all_commands_are_there() -> None:
    assert set(REQUIRED.split()) <= {words[0] for words in COMMANDS}


@pytest.mark.parametrize("words", COMMANDS, ids=" ".join)
def test_help_has_json_and_an_example_that_is_indented_and_unbroken(
    rankcast: Any, words: tuple[str, ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "100")
    text = rankcast(*words, "--help").stdout
    assert "Example:" in text
    assert f"rankcast {' '.join(words)}" in text
    assert "--json" in text
    shown = [line.rstrip() for line in text.splitlines()]
    command: Any = get_command(app)
    for word in words:
        command = command.commands[word]
    for line in inspect.cleandoc(command.callback.__doc__).splitlines():
        if line.startswith("  "):
            assert f" {line}" in shown, f"{line!r} is broken over two lines or not indented"


def test_help_tells_the_exit_codes(rankcast: Any) -> None:
    text = rankcast("--help").stdout
    for code in ("0", "1", "2", "3", "70", "130"):
        assert f" {code}   " in text
    assert "rankcast demo" in text


def test_version(rankcast: Any) -> None:
    assert rankcast("--version").stdout == f"rankcast {__version__}\n"


@pytest.mark.parametrize(
    ("arguments", "limit"), [(["--help"], 6), (["relate", "x >= 1", "x = 2"], 4)], ids=["help", "relate"]
)
def test_starts_at_once(arguments: list[str], limit: float) -> None:
    times, run = times_the_yardstick(PROBE, arguments)
    assert times < limit
    assert HEAVY.isdisjoint(run["modules"])


NOT_NEEDED = {
    *HEAVY - {"sqlalchemy"}, "alembic", "lark", "numpy", "rich", "sqlalchemy.dialects.postgresql", "sqlalchemy.orm",
    "rankcast.cover", "rankcast.engine", "rankcast.overlay", "rankcast.rank", "rankcast.cli.files.replay",
    "rankcast.cli.operation.serve",
}  # fmt: skip
"""What the daily commands of a store must not import: with any of these, they would take more than 0.3 s."""


@pytest.fixture
def daily(rankcast: Any) -> None:
    """A folder with a store and a file to publish."""
    rankcast("init")
    rankcast("subscribe", "--user", "addison", "genre = 'comedy'")
    Path("events.jsonl").write_text('{"id": "e1", "time": "2026-01-01T00:00:00Z", "attributes": {"genre": "drama"}}')


MAIN = """
import json, os, sys, time
from pathlib import Path
if sys.argv[1] == "init":
    Path("rankcast.db").unlink()
begin = time.process_time()
from rankcast.cli.main import main
try:
    main()
except SystemExit as end:
    assert not end.code
seconds = time.process_time() - begin
print()
print(json.dumps({"seconds": seconds, "modules": [*sys.modules]}))
"""


@pytest.mark.parametrize(
    "words",
    [
        ["init"],
        ["subscribe", "--user", "addison", "genre = 'drama'"],
        ["publish", "events.jsonl"],
        ["deliveries", "--user", "addison"],
    ],
    ids=lambda words: words[0],
)
def test_daily_commands_start_at_once(daily: None, words: list[str]) -> None:
    times, run = times_the_yardstick(MAIN, words)
    assert NOT_NEEDED.isdisjoint(run["modules"])
    assert times < 4.5, "more than 0.3 s where the yardstick takes 0.067 s"


@pytest.mark.slow
def test_the_installed_command_runs() -> None:
    command = Path(sys.executable).with_name("rankcast")
    if not command.exists():
        pytest.skip("rankcast is not installed as a command")
    run = subprocess.run(
        [command, "relate", "x >= 1", "x = 2"], capture_output=True, text=True, env={**os.environ, "LC_ALL": "C"}
    )
    assert (run.returncode, run.stdout, run.stderr) == (0, "COVERS\n", "")

"""Every command that opens a store names the command that upgrades an old one, and leaves it as it is."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import before
import pytest
from typer.main import get_command

from rankcast.cli.main import app

MORE = {
    "subscribe": ("-u", "ann", "genre = 'drama'"),
    "publish": ("--attr", "genre=drama"),
    "token create": ("--administrator",),
    "token sign-out": ("--everybody",),
    "user delete": ("--yes",),
}
"""What a command needs besides its required parameters to open its store."""

OTHERS = {"upgrade", "restore"}
"""The commands that take an old store as it is: one upgrades it, the other puts a backup in its place."""


def with_store(group: Any, *path: str) -> Iterator[tuple[str, ...]]:
    """The commands with the option --store, each with a value for every required parameter."""
    for name, command in getattr(group, "commands", {}).items():
        yield from with_store(command, *path, name)
    words = " ".join(path)
    if words not in OTHERS and any("--store" in one.opts for one in group.params):
        required = [one.opts[0] for one in group.params if one.required]
        values = [word for name in required for word in ((name, "1") if name.startswith("-") else ("1",))]
        yield (*path, *values, *MORE.get(words, ()))


ARGUMENTS = list(with_store(get_command(app)))


def test_most_commands_are_tried() -> None:
    assert len(ARGUMENTS) > 30


@pytest.mark.parametrize("arguments", ARGUMENTS, ids=" ".join)
def test_an_old_store_is_left_alone_and_the_upgrade_is_named(
    rankcast: Any, arguments: tuple[str, ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("RANKCAST_SECRET_KEY", "A" * 43 + "=")
    path = before.put_file("oracle.db", Path())
    content = path.read_bytes()
    is_checkup = arguments[0] == "doctor"
    result = rankcast(*arguments, "--store", path.name, code=1 if is_checkup else 3)
    told = " ".join((result.stdout if is_checkup else result.stderr).split())
    assert "upgrade it with: rankcast upgrade --store oracle.db" in told
    assert path.read_bytes() == content

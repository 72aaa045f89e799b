"""Options that commands share mean the same everywhere."""

from collections.abc import Iterator
from typing import Any

from typer.main import get_command

from rankcast.cli.main import app


def test_store_comes_from_the_environment_everywhere() -> None:
    for name, command in get_command(app).commands.items():
        for parameter in command.params:
            if "--store" in parameter.opts:
                assert (parameter.envvar, parameter.default) == ("RANKCAST_STORE", "rankcast.db"), name


def test_user_has_a_short_form_everywhere() -> None:
    for name, command in get_command(app).commands.items():
        for parameter in command.params:
            if "--user" in parameter.opts:
                assert "-u" in parameter.opts, name


def test_no_option_is_named_like_its_value() -> None:
    """Some releases of typer name an option without an explicit name after its metavar, in capitals."""

    def options(command: Any, path: str) -> Iterator[str]:
        for parameter in command.params:
            yield from (f"{path} {name}" for name in parameter.opts if name.startswith("--"))
        for name, one in getattr(command, "commands", {}).items():
            yield from options(one, f"{path} {name}")

    assert [name for name in options(get_command(app), "") if name != name.lower()] == []

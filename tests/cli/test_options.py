"""Options that commands share mean the same everywhere."""

from typer.main import get_command

from rankcast.cli.main import app


def test_store_comes_from_the_environment_everywhere() -> None:
    for name, command in get_command(app).commands.items():  # type: ignore[attr-defined]
        for parameter in command.params:
            if "--store" in parameter.opts:
                assert (parameter.envvar, parameter.default) == ("RANKCAST_STORE", "rankcast.db"), name


def test_user_has_a_short_form_everywhere() -> None:
    for name, command in get_command(app).commands.items():  # type: ignore[attr-defined]
        for parameter in command.params:
            if "--user" in parameter.opts:
                assert "-u" in parameter.opts, name

"""The page of commands, from the commands themselves."""

import re
from collections.abc import Iterator
from typing import Any

import typer
from pieces import code, table

from rankcast.cli.main import app

__all__ = ["commands"]


def commands() -> str:
    """Every command with its arguments and options."""
    whole = typer.main.get_command(app)
    panels: dict[str, list[str]] = {}
    for path, command in _walk(whole, ()):
        panel = getattr(whole.commands[path[0]], "rich_help_panel", None) or "More"
        panels.setdefault(panel, []).append(_section(path, command))
    text = f"# Commands\n\n{_prose(whole.help or '')}\nThis page is generated from the commands.\n\n"
    return text + "".join(f"## {panel}\n\n{''.join(sections)}" for panel, sections in panels.items())


def _walk(command: Any, path: tuple[str, ...]) -> Iterator[tuple[tuple[str, ...], Any]]:
    """All commands that do something by themselves."""
    inner = getattr(command, "commands", {})
    if path and (not inner or command.invoke_without_command):
        yield path, command
    for name, one in inner.items():
        yield from _walk(one, (*path, name))


def _section(path: tuple[str, ...], command: Any) -> str:
    rows = [
        (", ".join(map(code, _names(one))), code(_takes(one)), one.help or "", code(_default(one)))
        for one in command.params
        if not one.hidden and one.name != "help"
    ]
    return f"### rankcast {' '.join(path)}\n\n{_prose(command.help)}\n" + (
        table(("argument or option", "takes", "what it is for", "default"), rows) if rows else ""
    )


def _names(one: Any) -> list[str]:
    if one.param_type_name == "argument":
        return [(one.metavar or one.name).upper()]
    return [*one.opts, *one.secondary_opts]


def _takes(one: Any) -> str:
    if getattr(one, "is_flag", False) or one.param_type_name == "argument":
        return ""
    choices = getattr(one.type, "choices", None)
    return one.metavar or ("|".join(choices) if choices else one.type.name.upper())


def _default(one: Any) -> str:
    is_shown = one.default not in (None, False, (), []) and not callable(one.default)
    return str(getattr(one.default, "value", one.default)) if is_shown else ""


def _prose(help_text: str) -> str:
    """The help as Markdown: indented lines, which the terminal shows as they are, become blocks of code."""
    parts = []
    for paragraph in help_text.split("\n\n"):
        if "[cyan]" in paragraph:
            lines = [re.sub(r"\[/?cyan\]", "", line).replace("\\[", "[") for line in paragraph.splitlines()]
            parts.append("```text\n" + "\n".join(line.removeprefix("  ") for line in lines) + "\n```\n")
        else:
            parts.append(paragraph.replace("<", "&lt;") + "\n")
    return "\n".join(parts)

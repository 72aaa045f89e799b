"""Values that are written on the command line as ``name=value``."""

from collections.abc import Sequence
from typing import Any

import typer

__all__ = ["attributes", "named", "numbers"]


def named(texts: Sequence[str], option: str) -> list[tuple[str, str]]:
    """The names and values of ``name=value``."""
    pairs = []
    for text in texts:
        name, sign, value = text.partition("=")
        if not sign or not name:
            raise typer.BadParameter(f"{text!r} is not of the form name=value", param_hint=f"'{option}'")
        pairs.append((name, value))
    return pairs


def numbers(texts: Sequence[str], option: str) -> dict[str, float]:
    """``genre=2 year=0.5`` as names with numbers.

    >>> numbers(["genre=2", "year=0.5"], "--weight")
    {'genre': 2.0, 'year': 0.5}
    """
    found: dict[str, float] = {}
    for name, value in named(texts, option):
        try:
            found[name] = float(value)
        except ValueError:
            raise typer.BadParameter(f"{value!r} is not a number", param_hint=f"'{option}'") from None
    return found


def attributes(texts: Sequence[str]) -> dict[str, Any]:
    """``genre=drama year=2004`` as attributes of an event; a name that stands several times has several values.

    A value that is JSON is taken as such (a number, true, false, an object such as ``{"is": "cheap"}``); anything
    else is a string.

    >>> attributes(["genre=drama", "genre=comedy", "year=2004", 'price={"is": "cheap"}'])
    {'genre': ['drama', 'comedy'], 'year': 2004, 'price': {'is': 'cheap'}}
    """
    import msgspec

    found: dict[str, list[Any]] = {}
    for name, text in named(texts, "--attr"):
        try:
            value = msgspec.json.decode(text)
        except msgspec.DecodeError:
            value = text
        found.setdefault(name, []).append(value)
    return {name: values[0] if len(values) == 1 else values for name, values in found.items()}

"""Parses values of the form ``name=value`` on the command line."""

from collections.abc import Sequence

import typer

from rankcast.plain import JsonObject


def named(texts: Sequence[str], option: str) -> list[tuple[str, str]]:
    """Split texts of the form ``name=value``."""
    pairs = []
    for text in texts:
        name, sign, value = text.partition("=")
        if not sign or not name:
            raise typer.BadParameter(f"{text!r} is not of the form name=value", param_hint=f"'{option}'")
        pairs.append((name, value))
    return pairs


def numbers(texts: Sequence[str], option: str) -> dict[str, float]:
    """Numbers by name, from texts such as ``genre=2 year=0.5``.

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


def attributes(texts: Sequence[str]) -> JsonObject:
    """Event attributes from texts such as ``genre=drama year=2004``; a repeated name gives several values.

    A value that is valid JSON (a number, true, false, an object such as ``{"is": "cheap"}``) is read as JSON.
    Anything else is a string.

    >>> attributes(["genre=drama", "genre=comedy", "year=2004", 'price={"is": "cheap"}'])
    {'genre': ['drama', 'comedy'], 'year': 2004, 'price': {'is': 'cheap'}}
    """
    import msgspec

    found: dict[str, list[object]] = {}
    for name, text in named(texts, "--attr"):
        try:
            value = msgspec.json.decode(text)
        except msgspec.DecodeError:
            value = text
        found.setdefault(name, []).append(value)
    return {name: values[0] if len(values) == 1 else values for name, values in found.items()}

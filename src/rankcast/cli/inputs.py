"""Reads what commands are given: a catalog and events from files, and NAME=VALUE pairs of options."""

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import typer

from rankcast.cli.operation.rejects import tell
from rankcast.cli.output import Output, write_lines
from rankcast.language.compressed import is_compressed
from rankcast.plain import JsonObject

if TYPE_CHECKING:
    from rankcast.model import Catalog, Event, Reject


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


def read_inputs(
    catalog_file: Path, events_file: Path, out: Output, rejects_file: Path | None = None
) -> "tuple[Catalog, list[Event], int]":
    """Read the catalog and the events in publication order; report and count the unusable lines."""
    from rankcast.engine.event_texts import read_texts
    from rankcast.language import encode_reject, read_events
    from rankcast.language.event_files import event_file
    from rankcast.overlay import check_publication

    if understood := event_file(events_file).understood():
        out.say(understood)
    catalog, bad_records = read_catalog_file(catalog_file, out)
    with out.progress("reading the events", count_lines(events_file)) as advance:
        events, bad_events = read_events(
            events_file, catalog, lambda number: advance(1), lambda event: check_publication(catalog, event), read_texts
        )
    found = [*bad_records, *bad_events]
    if rejects_file is not None:
        write_lines(rejects_file, map(encode_reject, found))
    tell(out, found)
    return catalog, events, len(found)


def read_catalog_file(file: Path, out: Output) -> "tuple[Catalog, list[Reject]]":
    """Read a catalog, with a progress bar; also returns the lines that cannot be used."""
    from rankcast.language import read_catalog

    with out.progress("reading the catalog", count_lines(file)) as advance:
        return read_catalog(file, lambda number: advance(1))


def count_lines(path: Path | str) -> int | None:
    """The number of lines of a plain file, read at disk speed; None for streams, tables and compressed files."""
    path = Path(path)
    if not path.is_file():
        return None
    with path.open("rb") as file:
        head = file.read(4)
        if is_compressed(head) or head in (b"PAR1", b"ARRO"):
            return None
        file.seek(0)
        return sum(block.count(b"\n") for block in iter(lambda: file.read(1 << 20), b""))

"""Reading JSON Lines files. Each invalid line becomes a reject with the reason; the other lines are used."""

import os
from collections.abc import Callable, Iterator
from pathlib import Path

from rankcast.errors import CatalogError, RankcastError
from rankcast.language.compressed import opened
from rankcast.language.events import check_event_size, decode_event
from rankcast.language.json_text import read_object
from rankcast.language.records import decode_record
from rankcast.model import (
    Advertisement,
    Catalog,
    Concept,
    Event,
    Policy,
    Preference,
    Record,
    Reject,
    Subscription,
    in_publication_order,
)

__all__ = ["MAX_LINE", "numbered_lines", "read_catalog", "read_events"]

MAX_LINE = 10_000_000
"""Maximum number of bytes of a line; a longer one is rejected without being parsed."""

MAX_RAW = 10_000
"""Maximum number of characters of an invalid line that a reject keeps."""

_ORDER = (Concept, Subscription, Policy, Preference, Advertisement)
_BOM = b"\xef\xbb\xbf"


def numbered_lines(path: str | os.PathLike[str]) -> Iterator[tuple[int, bytes]]:
    """The lines of a file that are not blank, numbered from 1, without line ends. It may be compressed (gzip, Zstandard).

    A line longer than `MAX_LINE` is cut to `MAX_LINE` + 1 bytes. Raises `EnvironmentProblem` if the file cannot be
    read.
    """
    with opened(path) as file:
        number = 0
        while line := file.readline(MAX_LINE + 1):
            number += 1
            if len(line) > MAX_LINE and not line.endswith(b"\n"):
                while (rest := file.readline(MAX_LINE)) and not rest.endswith(b"\n"):
                    pass
            if number == 1:
                line = line.removeprefix(_BOM)
            line = line.rstrip(b"\r\n")
            if line.strip():
                yield number, line


def read_catalog(
    path: str | os.PathLike[str], on_line: Callable[[int], None] | None = None
) -> tuple[Catalog, list[Reject]]:
    """The catalog in a file, and the rejected lines in order.

    The order of the lines does not matter: a preference may precede its subscriptions, and a subscription the
    concepts that it names. If two lines have the same id, the first one is used. `on_line` is called with the number
    of each line read.
    """
    found: dict[type, list[tuple[int, bytes, Record]]] = {kind: [] for kind in _ORDER}
    rejects = _Rejects(path)
    for number, line in numbered_lines(path):
        try:
            record = decode_record(_short_enough(line))
            found[type(record)].append((number, line, record))
        except RankcastError as error:
            rejects.add(number, line, error)
        if on_line is not None:
            on_line(number)
    catalog = Catalog()
    first: dict[str, int] = {}
    for kind in _ORDER:
        for number, line, record in found[kind]:
            try:
                catalog.add(record)
                first[_key(record)] = number
            except CatalogError as error:
                where = first.get(_key(record))
                note = f", first on line {where}" if str(error).startswith("duplicate ") else ""
                rejects.add(number, line, error, note)
    return catalog, rejects.sorted()


def read_events(
    path: str | os.PathLike[str],
    catalog: Catalog,
    on_line: Callable[[int], None] | None = None,
    check: Callable[[Event], None] = lambda event: None,
) -> tuple[list[Event], list[Reject]]:
    """The events of a file in publication order, numbered, and the rejected lines.

    The file is JSON Lines, a JSON array, CSV, Parquet or Arrow, perhaps compressed. Events without an id get one from their content.
    `check` may raise for an event that breaks another rule; its line is then rejected too.
    """
    from rankcast.language.event_files import EventIds, event_file  # which reads lines by this module

    events: list[Event] = []
    rejects = _Rejects(path)
    first: dict[str, int] = {}
    ids = EventIds()
    for number, line in event_file(path).lines():
        try:
            fields = read_object(check_event_size(_short_enough(line)))
            event = decode_event(fields if "id" in fields else {"id": ids.of(line), **fields})
            if event.id in first:
                raise CatalogError(f"duplicate event {event.id!r}, first on line {first[event.id]}")
            catalog.check_event(event)
            check(event)
            first[event.id] = number
            events.append(event)
        except RankcastError as error:
            rejects.add(number, line, error)
        if on_line is not None:
            on_line(number)
    return in_publication_order(events), rejects.sorted()


class _Rejects:
    """The rejects of one file."""

    def __init__(self, path: str | os.PathLike[str]) -> None:
        self._file = str(Path(path))
        self._rejects: list[Reject] = []

    def add(self, number: int, line: bytes, error: RankcastError, note: str = "") -> None:
        """Reject a line, with the reason."""
        raw = line[: 4 * (MAX_RAW + 1)].decode("utf-8", "replace")
        if len(raw) > MAX_RAW:
            raw = f"{raw[:MAX_RAW]}… (cut after {MAX_RAW:,} characters)"
        reason = "".join(letter if letter.isprintable() else " " for letter in f"{error}{note}")
        self._rejects.append(Reject(self._file, number, " ".join(reason.split()), raw))

    def sorted(self) -> list[Reject]:
        """The rejects in the order of the lines."""
        return sorted(self._rejects, key=lambda reject: reject.line)


def _short_enough(line: bytes) -> bytes:
    if len(line) > MAX_LINE:
        raise RankcastError(f"a line of more than {MAX_LINE:,} bytes")
    return line


def _key(record: Record) -> str:
    match record:
        case Subscription() | Advertisement():
            return f"{type(record).__name__} {record.id}"
        case Policy():
            return f"Policy {record.user}"
        case Concept():
            return f"Concept {(record.attribute, record.name, record.user)}"
        case Preference():
            return f"Preference {(record.user, record.prefer, record.over)}"

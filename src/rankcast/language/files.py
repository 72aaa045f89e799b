"""Reading JSON Lines files. Each invalid line becomes a reject with the reason; the other lines are used."""

import os
from collections.abc import Callable, Iterator, Sequence
from operator import attrgetter
from pathlib import Path
from typing import TYPE_CHECKING

from rankcast import model
from rankcast.errors import CatalogError, RankcastError
from rankcast.language.compressed import opened
from rankcast.language.events import check_event_size, decode_event
from rankcast.language.json_text import read_object
from rankcast.language.plain_events import plain_events
from rankcast.language.records import RecordTexts
from rankcast.model.catalog import RECORD_KINDS

if TYPE_CHECKING:
    from rankcast.language.event_files import EventIds

MAX_LINE = 10_000_000
"""Maximum number of bytes of a line; a longer one is rejected without being parsed."""

MAX_RAW = 10_000
"""Maximum number of characters of an invalid line that a reject keeps."""

_PART = 10_000
"""The number of lines of events that are read together."""

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
) -> tuple[model.Catalog, list[model.Reject]]:
    """The catalog in a file (see `read_records`), and the rejected lines in order."""
    catalog = model.Catalog()
    _, rejects = read_records(path, catalog, on_line)
    return catalog, rejects


def read_records(
    path: str | os.PathLike[str],
    catalog: model.Catalog,
    on_line: Callable[[int], None] | None = None,
    check: Callable[[model.Record], None] = lambda record: None,
) -> tuple[list[model.Record], list[model.Reject]]:
    """Put the records of a file into a catalog. Returns them in an order in which it accepts them, and the rejects.

    The file is JSON Lines, perhaps compressed, or a Parquet or Arrow table with the same fields as columns, whose rows
    without a `kind` are subscriptions. The order of the lines does not matter: a preference may precede its
    subscriptions, and a subscription the concepts that it names. A record replaces one of the same id that the catalog
    had before. If two lines have the same id, the first one is used. `on_line` is called with the number of each line.
    `check` may raise for a record that breaks another rule; its line is then rejected too.

    About 20 µs per subscription, and 10 to 20 µs for each distinct expression.
    """
    from rankcast.language.event_files import event_file  # which reads lines by this module

    found: dict[type, list[tuple[int, bytes, model.Record]]] = {kind: [] for kind in RECORD_KINDS}
    rejects, texts = _Rejects(path), RecordTexts()
    for number, line in event_file(path).record_lines():
        try:
            record = texts.decode(_short_enough(line))
            check(record)
            found[type(record)].append((number, line, record))
        except RankcastError as error:
            rejects.add(number, line, error)
        if on_line is not None:
            on_line(number)
    first: dict[str, int] = {}
    records: list[model.Record] = []
    for number, line, record in (one for kind in RECORD_KINDS for one in found[kind]):
        try:
            name = model.record_name(record)
            if name in first:
                raise CatalogError(f"duplicate {name}, first on line {first[name]}")
            catalog.put(record)
            first[name] = number
            records.append(record)
        except RankcastError as error:
            rejects.add(number, line, error)
    return records, rejects.sorted()


def read_events(
    path: str | os.PathLike[str],
    catalog: model.Catalog,
    on_line: Callable[[int], None] | None = None,
    check: Callable[[model.Event], None] = lambda event: None,
    read_texts: Callable[[Sequence[bytes]], Sequence[model.Event | None]] = plain_events,
) -> tuple[list[model.Event], list[model.Reject]]:
    """The events of a file in publication order, numbered, and the rejected lines.

    The file is JSON Lines, a JSON array, CSV, Parquet or Arrow, perhaps compressed. Events without an id get one from their content.
    `check` may raise for an event that breaks another rule; its line is then rejected too. `read_texts` reads many
    plain events, and leaves the others to `decode_event`.
    """
    from rankcast.language.event_files import EventIds, event_file  # which reads lines by this module

    events: list[model.Event] = []
    rejects = _Rejects(path)
    first: dict[str, int] = {}
    ids = EventIds()
    for part in _parts(event_file(path).lines()):
        plain = read_texts([line for _, line in part])
        for (number, line), found in zip(part, plain, strict=True):
            try:
                event = found or _careful_event(line, ids)
                if event.id in first:
                    raise CatalogError(f"duplicate event {event.id!r}, first on line {first[event.id]}")
                if found is None:  # plain events name no concept
                    catalog.check_event(event)
                check(event)
                first[event.id] = number
                events.append(event)
            except RankcastError as error:
                rejects.add(number, line, error)
            if on_line is not None:
                on_line(number)
    events.sort(key=attrgetter("time", "id"))
    for seq, event in enumerate(events, 1):
        object.__setattr__(event, "seq", seq)  # nobody else knows these events yet
    return events, rejects.sorted()


def _careful_event(line: bytes, ids: "EventIds") -> model.Event:
    fields = read_object(check_event_size(_short_enough(line)))
    return decode_event(fields if "id" in fields else {"id": ids.of(line), **fields})


def _parts(lines: Iterator[tuple[int, bytes]]) -> Iterator[list[tuple[int, bytes]]]:
    """The lines in parts of limited size."""
    part: list[tuple[int, bytes]] = []
    size = 0
    for one in lines:
        part.append(one)
        size += len(one[1])
        if len(part) == _PART or size > MAX_LINE:
            yield part
            part, size = [], 0
    if part:
        yield part


class _Rejects:
    """The rejects of one file."""

    def __init__(self, path: str | os.PathLike[str]) -> None:
        self._file = str(Path(path))
        self._rejects: list[model.Reject] = []

    def add(self, number: int, line: bytes, error: RankcastError) -> None:
        """Reject a line, with the reason."""
        raw = line[: 4 * (MAX_RAW + 1)].decode("utf-8", "replace")
        if len(raw) > MAX_RAW:
            raw = f"{raw[:MAX_RAW]}… (cut after {MAX_RAW:,} characters)"
        reason = "".join(letter if letter.isprintable() else " " for letter in str(error))
        self._rejects.append(model.Reject(self._file, number, " ".join(reason.split()), raw))

    def sorted(self) -> list[model.Reject]:
        """The rejects in the order of the lines."""
        return sorted(self._rejects, key=lambda reject: reject.line)


def _short_enough(line: bytes) -> bytes:
    if len(line) > MAX_LINE:
        raise RankcastError(f"a line of more than {MAX_LINE:,} bytes")
    return line

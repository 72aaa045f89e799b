"""Reading JSON Lines files. Each invalid line becomes a reject with the reason; the other lines are used."""

import gzip
import os
import zlib
from collections.abc import Callable, Iterator
from pathlib import Path

from rankcast.errors import CatalogError, EnvironmentProblem, RankcastError
from rankcast.language.events import check_event_size, decode_event
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
    """The lines of a file (plain or .gz) that are not blank, numbered from 1, without line ends.

    A line longer than `MAX_LINE` is cut to `MAX_LINE` + 1 bytes. Raises `EnvironmentProblem` if the file cannot be
    read.
    """
    try:
        opener = gzip.open if os.fspath(path).endswith(".gz") else open
        with opener(path, "rb") as file:
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
    except FileNotFoundError:
        raise EnvironmentProblem(f"there is no file {os.fspath(path)!r}") from None
    except IsADirectoryError:
        raise EnvironmentProblem(f"{os.fspath(path)!r} is a directory; name a file in it") from None
    except PermissionError:
        raise EnvironmentProblem(f"no permission to read {os.fspath(path)!r}") from None
    except (gzip.BadGzipFile, EOFError, zlib.error) as error:
        raise EnvironmentProblem(f"{os.fspath(path)!r} is not a whole gzip file: {error}") from None
    except (OSError, ValueError) as error:
        raise EnvironmentProblem(f"cannot read {os.fspath(path)!r}: {error}") from None


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

    `check` may raise for an event that breaks another rule; its line is then rejected too.
    """
    events: list[Event] = []
    rejects = _Rejects(path)
    first: dict[str, int] = {}
    for number, line in numbered_lines(path):
        try:
            event = decode_event(check_event_size(_short_enough(line)))
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

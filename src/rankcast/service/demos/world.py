"""A ready world: bundled data as a stream of events, and a few people who want some of it."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from importlib.resources import as_file, files
from itertools import islice
from threading import Lock
from typing import Any, overload

from rankcast.errors import CatalogError
from rankcast.language import read_catalog
from rankcast.model import Catalog, Event

__all__ = ["DemoRows", "Script", "World"]


class DemoRows(Sequence[object]):
    """Rows of known number, read from a source as far as they are asked for; safe from several threads."""

    def __init__(self, source: Iterable[object], count: int) -> None:
        self._source = iter(source)
        self._count = count
        self._read: list[object] = []
        self._lock = Lock()

    def __len__(self) -> int:
        return self._count

    @overload
    def __getitem__(self, place: int) -> Any: ...

    @overload
    def __getitem__(self, place: slice) -> list[object]: ...

    def __getitem__(self, place: int | slice) -> Any:
        if isinstance(place, slice):
            return [self[number] for number in range(*place.indices(len(self)))]
        number = range(len(self))[place]
        with self._lock:
            self._read += islice(self._source, max(number + 1 - len(self._read), 0))
        return self._read[number]


class Script(Sequence[Event]):
    """Events that are made when asked for, out of rows that were read: a long stream costs little to open.

    The events stand at fixed places and are always the same, so that publishing one again changes nothing.
    """

    def __init__(self, rows: Sequence[object], make: Callable[[int, Any], Event]) -> None:
        self._rows = rows
        self._make = make

    def __len__(self) -> int:
        return len(self._rows)

    @overload
    def __getitem__(self, place: int) -> Event: ...

    @overload
    def __getitem__(self, place: slice) -> list[Event]: ...

    def __getitem__(self, place: int | slice) -> Event | list[Event]:
        if isinstance(place, slice):
            return [self._make(number, self._rows[number]) for number in range(*place.indices(len(self)))]
        number = range(len(self))[place]
        return self._make(number, self._rows[number])


@dataclass(frozen=True)
class World:
    """What one click opens.

    `people` tells of each user in a few words; `read` reads the bundled data (some seconds), once; `start` events are
    published at once on opening, so that there is a past to look at.
    """

    name: str
    title: str
    summary: str
    data: str
    people: dict[str, str]
    read: Callable[[], Script]
    start: int = 300

    @cached_property
    def script(self) -> Script:
        """All events in order."""
        return self.read()

    def catalog(self) -> Catalog:
        """The people's subscriptions, preferences, policies and concepts. Each call makes a new one."""
        with as_file(files(__package__) / f"{self.name}.jsonl") as path:
            catalog, rejects = read_catalog(path)
        if rejects:
            raise CatalogError(f"line {rejects[0].line} of the world {self.name!r}: {rejects[0].reason}")
        return catalog

"""A demo dataset: bundled data as a stream of events, and a few users with their subscriptions."""

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


class DemoRows(Sequence[object]):
    """A known number of rows, read lazily from a source. Thread-safe."""

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
    """Events that are made on demand from rows, so that opening a long stream is cheap.

    Each position always yields the same event, so publishing it again changes nothing.
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
    """A demo dataset that the page opens with one click.

    `people` describes each user in a few words. `read` loads the bundled data once, which takes some seconds. `start`
    is the number of events that are published at once on opening, so that there is some history to show.
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
        """The subscriptions, preferences, policies and concepts of the users. Each call returns a new catalog."""
        with as_file(files(__package__) / f"{self.name}.jsonl") as path:
            catalog, rejects = read_catalog(path)
        if rejects:
            raise CatalogError(f"line {rejects[0].line} of the world {self.name!r}: {rejects[0].reason}")
        return catalog

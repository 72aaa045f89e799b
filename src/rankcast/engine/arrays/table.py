"""The events that some user may still need, each stored once for all users."""

from collections.abc import Mapping, Sequence

import numpy as np

from rankcast.choose.codes import Codes
from rankcast.engine.arrays.matching import Integers, Reals
from rankcast.model import DistanceName, Event

_FEW = 100_000


class EventTable:
    """Events by row, a number that never changes; old rows are forgotten from the front.

    Attributes are encoded when distances of a row are first needed. When most of the encoded rows are forgotten,
    encoding starts over, so that old values take no memory.
    """

    def __init__(self) -> None:
        self._first = 0
        self._events: list[Event] = []
        self.codes = Codes()
        """The encoded attributes of all rows that were encoded."""
        self._known: dict[int, int] = {}
        self._known_of = (0, 0)
        """The range of rows that `_known` maps by `seq`; it is built on demand and then reused."""
        self._begin = np.empty(0, np.int64)
        self._end = np.empty(0, np.int64)

    def __len__(self) -> int:
        return len(self._events)

    @property
    def first_row(self) -> int:
        """The first row that is not forgotten."""
        return self._first

    @property
    def next_row(self) -> int:
        """The row of the next event."""
        return self._first + len(self._events)

    def __getitem__(self, row: int) -> Event:
        return self._events[row - self._first]

    def at(self, rows: Integers) -> list[Event]:
        """The events of some rows."""
        events = self._events
        return [events[place] for place in (rows - self._first).tolist()]

    def extend(self, events: Sequence[Event]) -> int:
        """Add events; returns the row of the first."""
        row = self.next_row
        self._events.extend(events)
        unknown = np.full(len(events), -1, np.int64)
        self._begin = np.concatenate((self._begin, unknown))
        self._end = np.concatenate((self._end, unknown))
        return row

    def rows_of(self, events: Sequence[Event]) -> Integers:
        """The rows of events by their `seq`; events that are not in the table get new rows."""
        if self._known_of != (self._first, self.next_row):
            self._known = {event.seq: row for row, event in enumerate(self._events, self._first)}
        known = self._known
        missing = {event.seq: event for event in events if event.seq not in known}
        first = self.extend(list(missing.values()))
        known.update({seq: row for row, seq in enumerate(missing, first)})
        self._known_of = (self._first, self.next_row)
        return np.array([known[event.seq] for event in events], np.int64)

    def forget(self, before: int) -> None:
        """Drop the rows before this one."""
        gone = before - self._first
        if gone <= 0:
            return
        del self._events[:gone]
        self._begin, self._end = self._begin[gone:].copy(), self._end[gone:].copy()
        self._first = before
        if len(self.codes) > _FEW + 4 * int((self._end - self._begin).sum()):
            self.codes = Codes()
            self._begin[:] = -1
            self._end[:] = -1

    def encoded(
        self,
        rows: Integers,
        weights: Mapping[str, float],
        attributes: Sequence[str] | None,
        compare: DistanceName = DistanceName.JACCARD,
    ) -> tuple[Integers, tuple[Integers, ...], Reals, Reals]:
        """The data that kernels need for distances between some rows: the encoded rows, codes, weights, room."""
        places = rows - self._first
        new = np.unique(places[self._begin[places] < 0])
        if len(new):
            bounds = [self.codes.encode(self._events[place]) for place in new.tolist()]
            self._begin[new], self._end[new] = np.array(bounds, np.int64).T
        room = np.empty((3, 2 * self.codes.longest + 1))
        codes = self.codes.arrays(self._begin, self._end, compare)
        return places, codes, self.codes.weights(weights, attributes), room

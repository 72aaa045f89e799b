"""One batch of published events as arrays, and a user's matches in it."""

from collections.abc import Sequence
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from rankcast.choose import Moment
from rankcast.choose.positions import instant, microseconds
from rankcast.engine.arrays.matching import Integers, Reals
from rankcast.engine.arrays.table import EventTable
from rankcast.engine.published import PublishedEvents
from rankcast.model import Event, Unit

__all__ = ["NOTHING", "BatchMoments", "EventBatch", "SentRows", "UserMatches"]


class UserMatches(NamedTuple):
    """The events of a batch that match a user: index in the batch, number of the pattern, rank, degree."""

    at: Integers
    pattern: Integers
    rank: Reals
    grid: Integers
    degree: Reals


class SentRows(NamedTuple):
    """The entries that a mode sent, in order.

    Each has the triggering event of the batch, the window, the time (in microseconds since the epoch), and the entry.
    """

    trigger: Integers
    window: Integers
    forwarded: Integers
    entry: Integers


_UNKNOWN = np.iinfo(np.int64).min
_NONE = np.empty(0, np.int64)
NOTHING = SentRows(_NONE, _NONE, _NONE, _NONE)


class EventBatch:
    """A batch in order of `seq`; its first event is in row `first_row` of the table."""

    def __init__(self, events: Sequence[Event], table: EventTable, clocks: Integers | None = None) -> None:
        self.events = events
        self.table = table
        self._all = events if isinstance(events, PublishedEvents) else None
        self.first_row = table.extend(events if self._all is None else self._all.filled())
        self.seq = np.array([event.seq for event in events], np.int64) if self._all is None else self._all.seq
        self._times = np.full(len(events), _UNKNOWN, np.int64)
        self._asked = 0
        self._periods: dict[tuple[Unit, int, int], Integers] = {}
        self.clocks = clocks
        """The time of the receiver's clock at each event, in microseconds; None if the clock does not matter."""

    def times(self, places: Integers) -> Integers:
        """The times of some events of the batch, in microseconds since the epoch.

        Each is computed once, and all are computed when many are requested.
        """
        self._asked += len(places)
        if self._all is not None or self._asked > len(self.events) // 8:
            return self.time[places]
        for place in np.unique(places[self._times[places] == _UNKNOWN]).tolist():
            self._times[place] = microseconds(self.events[place].time)
        return self._times[places]

    @cached_property
    def time(self) -> Integers:
        """The times of all events of the batch."""
        if self._all is not None:
            return self._all.time
        return np.array([microseconds(event.time) for event in self.events], np.int64)

    @property
    def last_time(self) -> int:
        """The time of the last event."""
        return int(self.times(np.array([len(self.seq) - 1]))[0])

    def known(self) -> tuple[Integers, list[Event]]:
        """The events of the batch that are known (see `PublishedEvents`), with their indexes."""
        if self._all is None:
            return np.arange(len(self.seq)), list(self.events)
        return np.fromiter(self._all.known, np.int64, len(self._all.known)), list(self._all.known.values())

    def moment(self, place: int) -> Moment:
        """The publication of an event of the batch, as the reference engine expects it."""
        event = self.events[place]
        return Moment(event.seq, event.time, None if self.clocks is None else instant(int(self.clocks[place])))

    def sent_at(self, trigger: Integers, entry: Integers) -> SentRows:
        """Entries that are sent when an event is published, and forwarded at once.

        The window is the position of the event.
        """
        return SentRows(trigger, self.seq[trigger], self.times(trigger), entry)

    def positions(self, unit: Unit, matched: int, found: UserMatches) -> Integers:
        """The position of each event, in a unit, for a user with `matched` earlier matches."""
        if unit is Unit.EVENTS:
            return self.seq
        if unit is Unit.TIME:
            return self.time
        steps = np.zeros(len(self.events), np.int64)
        steps[found.at] = 1
        return matched + np.cumsum(steps)

    def periods(self, unit: Unit, span: int, origin: int, positions: Integers) -> Integers:
        """The period of each event, if no earlier event is later in time.

        Periods that all users share are computed once.
        """
        if unit is Unit.MATCHED:
            return (positions - origin) // span + 1
        key = (unit, span, origin)
        if key not in self._periods:
            self._periods[key] = np.maximum.accumulate((positions - origin) // span + 1)
        return self._periods[key]

    def periods_by_clock(
        self, span: int, origin: int, clock: int | None, goes_by_clock: bool
    ) -> tuple[Integers, int | None, bool]:
        """The period of each event if the clock matters (see `rankcast.choose.Periodic`).

        `clock` is the user's clock so far.

        Also returns the clock at the end, and whether periods then follow it.
        """
        if self.clocks is None and clock is None:
            return self.periods(Unit.TIME, span, origin, self.time), None, goes_by_clock
        least = _UNKNOWN if clock is None else clock
        clocks = np.full(len(self.seq), least) if self.clocks is None else np.maximum(self.clocks, least)
        clocks = np.maximum.accumulate(clocks)
        own, present = (self.time - origin) // span + 1, (clocks - origin) // span + 1
        counts = np.logical_or.accumulate((present <= own) | goes_by_clock)
        periods = np.maximum.accumulate(np.where(counts, np.maximum(own, present), own))
        return periods, int(clocks[-1]), bool(counts[-1])


class BatchMoments(Sequence[tuple[Moment, Event | None]]):
    """The moments of a batch with their events, made when they are read."""

    def __init__(self, stream: EventBatch) -> None:
        self._stream = stream

    def __len__(self) -> int:
        return len(self._stream.seq)

    def __getitem__(self, place: Any) -> Any:
        return self._stream.moment(place), self._stream.events[place]

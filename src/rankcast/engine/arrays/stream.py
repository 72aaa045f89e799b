"""One batch of published events as arrays."""

from collections.abc import Sequence
from functools import cached_property
from typing import Any

import numpy as np

from rankcast.choose import Moment
from rankcast.choose.positions import instant, microseconds
from rankcast.engine.arrays.filters import Keys, event_keys
from rankcast.engine.arrays.matching import Integers
from rankcast.engine.arrays.table import EventTable
from rankcast.engine.published import PublishedEvents
from rankcast.model import Event


class EventBatch:
    """A batch in order of `seq`; its first event is in row `first_row` of the table."""

    def __init__(self, events: Sequence[Event], table: EventTable, clocks: Integers | None = None) -> None:
        self.events = events
        self.table = table
        self._all = events if isinstance(events, PublishedEvents) else None
        self.first_row = table.extend(events if self._all is None else self._all.filled())
        self.seq = np.array([event.seq for event in events], np.int64) if self._all is None else self._all.seq
        self.clocks = clocks
        """The time of the receiver's clock at each event, in microseconds; None if the clock does not matter."""

    @cached_property
    def time(self) -> Integers:
        """The times of all events of the batch."""
        if self._all is not None:
            return self._all.time
        return np.array([microseconds(event.time) for event in self.events], np.int64)

    @cached_property
    def keys(self) -> Keys:
        """The keys of the events for random decisions; 0 for events that are not known (see `PublishedEvents`)."""
        if self._all is None:
            return event_keys(event.id for event in self.events)
        keys = np.zeros(len(self.seq), np.uint64)
        keys[[*self._all.known]] = event_keys(event.id for event in self._all.known.values())
        return keys

    def moment(self, place: int) -> Moment:
        """The publication of an event of the batch, as the reference engine expects it."""
        event = self.events[place]
        return Moment(event.seq, event.time, None if self.clocks is None else instant(int(self.clocks[place])))


class BatchMoments(Sequence[tuple[Moment, Event | None]]):
    """The moments of a batch with their events, made when they are read."""

    def __init__(self, stream: EventBatch) -> None:
        self._stream = stream

    def __len__(self) -> int:
        return len(self._stream.seq)

    def __getitem__(self, place: Any) -> Any:
        return self._stream.moment(place), self._stream.events[place]

"""The distances among the candidates of a window, kept from one selection to the next, for the compiled loops."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from rankcast.choose.codes import NO_COLUMNS, Codes
from rankcast.matching.batch import Integers, Reals
from rankcast.model import DistanceName, Event

_SMALLEST = 64
_CODES = 4_096
"""How many attributes of forgotten events may stay encoded."""

_NO_TABLE: Reals = np.empty((0, 0))


class DistanceTable:
    """Gives each event a slot in a square array of distances until it is forgotten.

    An event is encoded once and measured once against each event already present, at about 20 ns a pair. The array
    takes 8 bytes per pair of slots and shrinks with the window. With more than `largest` events there is no array
    (`distances` is empty), and the loops compute the distances that they need.
    """

    def __init__(
        self,
        weights: Mapping[str, float],
        attributes: Sequence[str] | None,
        largest: int = 2048,
        compare: DistanceName = DistanceName.JACCARD,
    ) -> None:
        self._weights = weights
        self._attributes = attributes
        self._compare = compare
        self._largest = largest
        self._reset()

    def _reset(self) -> None:
        self._codes = Codes()
        self._encoded = 0
        self._slot_of: dict[int, int] = {}
        self._events: dict[int, Event] = {}
        self._free: list[int] = []
        self._begin, self._end = np.zeros((2, 0), np.int64)
        self._weight_of: Reals = np.empty(0)
        self._lines: Any = np.empty((0, 0), np.int64)
        self.distances = _NO_TABLE

    def __len__(self) -> int:
        return len(self._slot_of)

    @property
    def space(self) -> tuple[Any, ...]:
        """The arrays from which the loops compute distances by slot (`rankcast.choose.kernels.distances`)."""
        room = np.empty((3, 2 * self._codes.longest + 1))
        codes = self._codes.arrays(self._begin, self._end, self._compare)
        return np.arange(len(self._begin)), self._lines, codes, self._weight_of, room, NO_COLUMNS

    def slots(self, events: Sequence[Event]) -> Integers:
        """The slots of events, which must have different positions; new events get a slot."""
        new: Sequence[Event] = [event for event in events if event.seq not in self._slot_of]
        if new:
            count = len(self) + len(new)
            is_wide = count <= len(self._begin) // 8 and len(self._begin) > _SMALLEST
            if count > 2 * len(events) + _SMALLEST:  # the caller never calls forget
                new = events
                self._reset()
            elif is_wide or len(self._codes) > _CODES + 4 * self._encoded:
                new = [*self._events.values(), *new]
                self._reset()
            self._take(new)
        return np.array([self._slot_of[event.seq] for event in events], np.int64)

    def forget(self, seq: int) -> None:
        """Free the slot of the event at `seq`, if it has one."""
        slot = self._slot_of.pop(seq, None)
        if slot is not None:
            self._encoded -= len(self._events.pop(seq).attributes)
            self._free.append(slot)
            if not self._slot_of:
                self._reset()

    def _take(self, new: Sequence[Event]) -> None:
        from rankcast.choose.kernels.distances import fill

        taken = np.fromiter(self._slot_of.values(), np.int64, len(self))
        while len(self._free) < len(new):
            self._grow()
        slots = np.array([self._free.pop() for _ in new], np.int64)
        bounds = np.array([self._codes.encode(event) for event in new], np.int64)
        self._begin[slots], self._end[slots] = bounds.T
        for slot, event in zip(slots.tolist(), new, strict=True):
            self._slot_of[event.seq] = slot
            self._events[event.seq] = event
            self._encoded += len(event.attributes)
        self._spread(slots)
        if len(self.distances):
            fill(slots, taken, self.space, self.distances)

    def _grow(self) -> None:
        """Double the number of slots."""
        before = len(self._begin)
        more = max(before, _SMALLEST)
        self._free = [*range(before + more - 1, before - 1, -1), *self._free]
        room = np.zeros(more, np.int64)
        self._begin, self._end = np.concatenate((self._begin, room)), np.concatenate((self._end, room))
        self._weight_of = np.empty(0)  # so that the rows are rebuilt
        known, self.distances = self.distances, _NO_TABLE
        if before + more <= self._largest:
            self.distances = np.zeros((before + more, before + more))
            self.distances[:before, :before] = known

    def _spread(self, slots: Integers) -> None:
        """Write the attributes of new events into the rows; of all events if there are new names."""
        from rankcast.choose.kernels.distances import spread

        codes = self._codes.arrays(self._begin, self._end, self._compare)
        if self._codes.names == len(self._weight_of):
            self._lines[slots] = spread(slots, codes, self._weight_of)
        else:
            self._weight_of = self._codes.weights(self._weights, self._attributes)
            self._lines = spread(np.arange(len(self._begin)), codes, self._weight_of)

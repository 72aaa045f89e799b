"""Events encoded as integers, for distances: names and sets of values are numbered in order of first appearance."""

from collections.abc import Mapping, Sequence
from datetime import datetime

import numpy as np

from rankcast.matching.batch import Integers, Reals
from rankcast.model import AttributeValue, DistanceName, Event, Kind, Scalar, kind_of
from rankcast.plain import Array

_TYPES: dict[Kind, type] = {Kind.STRING: str, Kind.NUMBER: int, Kind.BOOLEAN: bool, Kind.TIME: datetime}


class GrowingArray:
    """An array of integers that grows at its end."""

    def __init__(self) -> None:
        self._room = np.empty(64, np.int64)
        self._size = 0
        self.new: list[int] = []
        """Values added since the last call of `array`; append new ones here."""

    def __len__(self) -> int:
        return self._size + len(self.new)

    @property
    def array(self) -> Integers:
        """The contents."""
        if self.new:
            size = len(self)
            if size > len(self._room):
                self._room = np.concatenate((self._room[: self._size], np.empty(size, np.int64)))
            self._room[self._size : size] = self.new
            self._size = size
            self.new.clear()
        return self._room[: self._size]


NO_COLUMNS: Array = np.empty((0, 0), np.int32)
"""The last part of a space without a window: distances are measured event by event."""


class Codes:
    """The attributes of events as pairs of numbers (name, set of values), sorted by name.

    Two sets of values get the same number iff they are equal (semantics: Events and subscriptions: ``1 = 1.0``,
    ``true`` is not 1). The same holds for imprecise values. A value has the number of the set that contains only it.
    Encoding an event costs about 2 µs, once, however many users compare it. Numbers are never reused; to free memory,
    make new `Codes`.
    """

    def __init__(self) -> None:
        self._names: dict[str, int] = {}
        numbers: dict[object, int] = {}
        self._singles: dict[type, dict[object, int]] = {
            str: {},
            int: numbers,
            float: numbers,
            bool: {},
            datetime: {},
        }
        self._others: dict[object, int] = {}
        self._name_of = GrowingArray()
        self._set_of = GrowingArray()
        self._set_start = GrowingArray()
        self._set_start.new.append(0)
        self._set_values = GrowingArray()
        self._sets = 0
        self.longest = 0
        """The largest number of attributes of an event so far."""

    def __len__(self) -> int:
        return len(self._name_of)

    @property
    def names(self) -> int:
        """The number of different attribute names so far."""
        return len(self._names)

    def encode(self, event: Event) -> tuple[int, int]:
        """Encode the event; return where its attributes begin and end."""
        begin = len(self._name_of)
        known, singles = self._names, self._singles
        names, sets = [], []
        last, in_order = -1, True
        for name, value in event.attributes.items():
            number = known.get(name)
            if number is None:
                number = known[name] = len(known)
            in_order = in_order and number > last
            last = number
            names.append(number)
            if type(value) is tuple and len(value) == 1 and (same := singles.get(type(value[0]))) is not None:
                code = same.get(value[0])
                if code is None:
                    code = same[value[0]] = self._new((self._sets,))
                sets.append(code)
            else:
                sets.append(self._set(value))
        if not in_order:
            order = sorted(range(len(names)), key=names.__getitem__)
            names, sets = [names[place] for place in order], [sets[place] for place in order]
        self._name_of.new += names
        self._set_of.new += sets
        self.longest = max(self.longest, len(names))
        return begin, begin + len(names)

    def weights(self, weights: Mapping[str, float], attributes: Sequence[str] | None) -> Reals:
        """The weight of each name; -1 for names that are left out."""
        counting = None if attributes is None else set(attributes)
        return np.array(
            [weights.get(name, 1.0) if counting is None or name in counting else -1.0 for name in self._names],
            np.float64,
        )

    def arrays(
        self, begin: Integers, end: Integers, compare: DistanceName = DistanceName.JACCARD
    ) -> tuple[Integers, ...]:
        """The arrays that the kernels read, for events whose attributes begin and end at these places.

        If sets of values are compared for equality, their number is all that counts, so they are shown as empty.
        """
        starts = self._set_start.array
        return (
            begin,
            end,
            self._name_of.array,
            self._set_of.array,
            starts if compare is DistanceName.JACCARD else np.zeros_like(starts),
            self._set_values.array,
        )

    def _single(self, value: Scalar) -> int:
        known = self._singles[_TYPES[kind_of(value)]]
        if value not in known:
            known[value] = self._new((self._sets,))
        return known[value]

    def _set(self, value: AttributeValue) -> int:
        if not isinstance(value, tuple):
            # An imprecise value is not a set: it is similar only to an equal value.
            key: object = (value,)
            members: list[int] = []
        else:
            members = sorted(self._single(each) for each in value)
            if len(members) == 1:
                return members[0]
            key = tuple(members)
        if key not in self._others:
            self._others[key] = self._new(members)
        return self._others[key]

    def _new(self, members: Sequence[int]) -> int:
        self._set_values.new.extend(members)
        self._set_start.new.append(len(self._set_values))
        self._sets += 1
        return self._sets - 1

"""Events as integers, for distances: names and sets of values are numbered as they come up."""

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any

import numpy as np

from rankcast.matching.batch import Integers, Reals
from rankcast.model import AttributeValue, Event, Kind, Scalar, kind_of

__all__ = ["Codes", "GrowingArray"]

_TYPES: dict[Kind, type] = {Kind.STRING: str, Kind.NUMBER: int, Kind.BOOLEAN: bool, Kind.TIME: datetime}


class GrowingArray:
    """An array of integers that grows at its end."""

    def __init__(self) -> None:
        self._room = np.empty(64, np.int64)
        self._size = 0
        self.new: list[int] = []
        """What was added since the last look at the array; append here."""

    def __len__(self) -> int:
        return self._size + len(self.new)

    @property
    def array(self) -> Integers:
        """What is in it."""
        if self.new:
            size = len(self)
            if size > len(self._room):
                self._room = np.concatenate((self._room[: self._size], np.empty(size, np.int64)))
            self._room[self._size : size] = self.new
            self._size = size
            self.new.clear()
        return self._room[: self._size]


class Codes:
    """The attributes of events as (name, set of values), by number, sorted by name.

    Two sets of values have one number iff they are equal (semantics: Events and subscriptions: ``1 = 1.0``, ``true`` is not 1), as have two equal
    imprecise values. A value has the number of the set that holds it alone. Encoding costs 2 µs or so an event, once, however
    many users compare it. Numbers are never taken back; `Codes` made anew are.
    """

    def __init__(self) -> None:
        self._names: dict[str, int] = {}
        numbers: dict[Any, int] = {}
        self._singles: dict[type, dict[Any, int]] = {
            str: {},
            int: numbers,
            float: numbers,
            bool: {},
            datetime: {},
        }
        self._others: dict[Any, int] = {}
        self._name_of = GrowingArray()
        self._set_of = GrowingArray()
        self._set_start = GrowingArray()
        self._set_start.new.append(0)
        self._set_values = GrowingArray()
        self._sets = 0
        self.longest = 0
        """How many attributes an event has at most."""

    def __len__(self) -> int:
        return len(self._name_of)

    @property
    def names(self) -> int:
        """How many names of attributes came up."""
        return len(self._names)

    def encode(self, event: Event) -> tuple[int, int]:
        """Where the event's attributes begin and end."""
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
        """The weight of each name, -1 for those that do not count."""
        counting = None if attributes is None else set(attributes)
        return np.array(
            [weights.get(name, 1.0) if counting is None or name in counting else -1.0 for name in self._names],
            np.float64,
        )

    def arrays(self, begin: Integers, end: Integers) -> tuple[Integers, ...]:
        """What the kernels read, for events that begin and end at these places."""
        return (
            begin,
            end,
            self._name_of.array,
            self._set_of.array,
            self._set_start.array,
            self._set_values.array,
        )

    def _single(self, value: Scalar) -> int:
        known = self._singles[_TYPES[kind_of(value)]]
        if value not in known:
            known[value] = self._new((self._sets,))
        return known[value]

    def _set(self, value: AttributeValue) -> int:
        if not isinstance(value, tuple):
            # An imprecise value is no set: it is like nothing but its equal.
            key: Any = (value,)
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

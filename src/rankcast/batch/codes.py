"""Events as integers, for distances: names and sets of values are numbered as they come up."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from rankcast.batch.matching import Integers, Reals
from rankcast.model import AttributeValue, Event, identity

__all__ = ["Codes", "Growing"]


class Growing:
    """An array of integers that grows at its end."""

    def __init__(self) -> None:
        self._room = np.empty(64, np.int64)
        self._size = 0

    def __len__(self) -> int:
        return self._size

    @property
    def array(self) -> Integers:
        """What is in it."""
        return self._room[: self._size]

    def extend(self, values: Sequence[int]) -> None:
        """Add some."""
        size = self._size + len(values)
        if size > len(self._room):
            self._room = np.concatenate((self.array, np.empty(size, np.int64)))
        self._room[self._size : size] = values
        self._size = size


class Codes:
    """The attributes of events as (name, set of values), by number, sorted by name.

    Two sets of values have one number iff they are equal (SPEC 1: ``1 = 1.0``, ``true`` is not 1), as have two equal
    imprecise values. Encoding costs a few microseconds an event, once, however many users compare it. Numbers are
    never taken back; `Codes` made anew are.
    """

    def __init__(self) -> None:
        self._names: dict[str, int] = {}
        self._sets: dict[tuple[Any, ...], int] = {}
        self._values: dict[Any, int] = {}
        self._name_of = Growing()
        self._set_of = Growing()
        self._set_start = Growing()
        self._set_start.extend([0])
        self._set_values = Growing()
        self.longest = 0
        """How many attributes an event has at most."""

    def __len__(self) -> int:
        return len(self._name_of)

    def encode(self, event: Event) -> tuple[int, int]:
        """Where the event's attributes begin and end."""
        begin = len(self._name_of)
        pairs = sorted((self._name(name), self._set(value)) for name, value in event.attributes.items())
        self._name_of.extend([name for name, _ in pairs])
        self._set_of.extend([number for _, number in pairs])
        self.longest = max(self.longest, len(pairs))
        return begin, len(self._name_of)

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

    def _name(self, name: str) -> int:
        return self._names.setdefault(name, len(self._names))

    def _set(self, value: AttributeValue) -> int:
        if isinstance(value, tuple):
            if len(value) == 1:
                key: tuple[Any, ...] = identity(value[0])
            else:
                key = (None, frozenset(map(identity, value)))
        else:
            key = (value,)
        number = self._sets.setdefault(key, len(self._sets))
        if number == len(self._set_start) - 1:
            # An imprecise value is no set: it is like nothing but its equal.
            values = map(identity, value) if isinstance(value, tuple) else ()
            self._set_values.extend(sorted(self._values.setdefault(each, len(self._values)) for each in values))
            self._set_start.extend([len(self._set_values)])
        return number

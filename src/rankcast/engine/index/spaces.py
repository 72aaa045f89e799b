"""Codes of values: each attribute's constants in order, and every value as a position among them.

The constants in subscriptions divide the domain of an attribute into points and gaps. The code of a value says in
which of these it lies: ``2 i + 1`` at the i-th constant, ``2 i`` in the gap before it. Every comparison with a
constant becomes a comparison of small integers, exact for integers and reals of any size, for strings and for times.
The four kinds of value follow each other in one range of codes, and a last code stands for lists of numbers or times.
So ``exists`` is the whole range, other kinds never pass, and no comparison passes a list.
"""

from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from rankcast.model import EPOCH, Kind, Scalar, Values, is_list

KINDS = (Kind.NUMBER, Kind.STRING, Kind.BOOLEAN, Kind.TIME)
"""The order of the kinds in the range of codes."""

_BOOLEANS = 2


def microseconds(time: datetime) -> int:
    """A time as an exact integer."""
    away = time - EPOCH
    return (away.days * 86_400 + away.seconds) * 1_000_000 + away.microseconds


def split_number(value: float) -> tuple[float, int]:
    """A number as the nearest float and the integer remainder. Pairs sort like the numbers.

    >>> split_number(2**62 + 1)
    (4.611686018427388e+18, 1)
    """
    near = float(value)
    return near, (value - int(near) if isinstance(value, int) and near != value else 0)


@dataclass(frozen=True)
class AttributeSpace:
    """The constants of one attribute.

    Parameters
    ----------
    numbers, remainders
        Ascending pairs as from `split_number`; `remainders` is empty if all are 0.
    strings
        Ascending by code point.
    times
        Ascending, in microseconds.
    """

    numbers: NDArray[np.float64]
    remainders: NDArray[np.int16]
    strings: Sequence[str]
    times: NDArray[np.int64]

    @cached_property
    def bases(self) -> tuple[int, int, int, int, int]:
        """The first code of each kind, and the code of lists."""
        number = 2 * len(self.numbers) + 1
        string = number + 2 * len(self.strings) + 1
        boolean = string + 2 * _BOOLEANS + 1
        return 0, number, string, boolean, boolean + 2 * len(self.times) + 1

    @property
    def size(self) -> int:
        """The number of codes."""
        return self.bases[4] + 1

    def codes(self, values: Values) -> list[int]:
        """The codes of the values of an attribute, ascending."""
        return [self.bases[4]] if is_list(values) else sorted({self.code(value) for value in values})

    def code(self, value: Scalar) -> int:
        """The code of a value. O(log constants)."""
        bases = self.bases
        match value:
            case bool():
                return bases[2] + (3 if value else 1)
            case str():
                place = self._places.get(value)
                return bases[1] + (2 * place + 1 if place is not None else 2 * bisect_left(self.strings, value))
            case datetime():
                return bases[3] + _code_in(self.times, np.int64(microseconds(value)))
            case int() | float():
                return self._number_code(*split_number(value))

    def number_codes(self, values: NDArray[np.float64]) -> NDArray[np.int32]:
        """The codes of many floats."""
        first = np.searchsorted(self.numbers, values, side="left")
        codes = 2 * first
        if len(self.numbers):
            codes += self.numbers[np.minimum(first, len(self.numbers) - 1)] == values
        if len(self.remainders):
            for place in np.flatnonzero(codes & 1).tolist():
                codes[place] = self._number_code(float(values[place]), 0)
        return codes.astype(np.int32)

    def span(self, low: Scalar | float, high: Scalar | float) -> tuple[int, int]:
        """The codes of the numbers from `low` to `high`, which may be infinite."""
        first = 0 if low == -np.inf else self.code(low)
        last = self.bases[1] - 1 if high == np.inf else self.code(high)
        return first, last

    def _number_code(self, near: float, remainder: int) -> int:
        first = int(np.searchsorted(self.numbers, near, side="left"))
        if not len(self.remainders):
            if first == len(self.numbers) or self.numbers[first] != near:
                return 2 * first
            return 2 * first + 1 + (remainder > 0) - (remainder < 0)
        last = int(np.searchsorted(self.numbers, near, side="right"))
        among = self.remainders[first:last]
        return 2 * first + _code_in(among, np.int16(remainder))

    @cached_property
    def _places(self) -> dict[str, int]:
        return {text: place for place, text in enumerate(self.strings)}


def _code_in(constants: NDArray[np.int64] | NDArray[np.int16], value: np.int64 | np.int16) -> int:
    place = int(np.searchsorted(constants, value, side="left"))
    return 2 * place + int(place < len(constants) and constants[place] == value)

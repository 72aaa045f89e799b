"""The crisp sets of predicates, and functions of a string.

A crisp set is a membership function with only the degrees 0 and 1: numbers as a curve, strings as a test and a size.
Comparing it with an imprecise value is all that approximate matching of crisp subscriptions needs (semantics:
Approximate matching). A function of a string has a degree for each listed string, and one for all others.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from typing import TypeAlias, TypeGuard

from rankcast.fuzzy.curves import Curve
from rankcast.fuzzy.pieces import Flat, hedged
from rankcast.model import Between, Compare, Hedge, Kind, OneOf, Op, Scalar, Sides, Table, kind_of, string_test

CrispTest: TypeAlias = Compare | OneOf | Between

OF_PARTS = (Op.CONTAINS, Op.STARTSWITH, Op.ENDSWITH)
"""The operators that ask for a part of a string as it is written."""

_OUT, _IN = (0.0, 1.0), (1.0, 0.0)


def number_set(test: CrispTest) -> Curve | None:
    """The numbers that pass the test; None if it is not about numbers.

    >>> number_set(Compare(Op.LT, 5)).value(5)
    0.0
    """
    match test:
        case Compare(Op.CONTAINS, value) if is_number(value):  # of a single number: that it is the one
            return number_set(Compare(Op.EQ, value))
        case Compare(Op(sides=Sides(below, at, above)), value) if is_number(value):
            return Curve((value,), (_IN if at else _OUT,), (Flat(float(below)), Flat(float(above))))
        case Between(low, high) if is_number(low) and is_number(high):
            if low == high:
                return Curve((low,), (_IN,), (Flat(0.0), Flat(0.0)))
            return Curve((low, high), (_IN, _IN), (Flat(0.0), Flat(1.0), Flat(0.0)))
        case OneOf(values):
            numbers = tuple(sorted(value for value in values if is_number(value)))
            if numbers:
                return Curve(numbers, (_IN,) * len(numbers), (Flat(0.0),) * (len(numbers) + 1))
    return None


@dataclass(frozen=True, slots=True)
class StringSet:
    """The strings that pass a test, with the number of members and of non-members.

    Most such sets are infinite. The sizes tell whether some member can lie outside a list.
    """

    has: Callable[[str], bool]
    size: float
    others: float


def string_set(test: CrispTest) -> StringSet | None:
    """The strings that pass the test; None if it is not about strings.

    >>> string_set(Compare(Op.CONTAINS, "old")).has("cold")
    True
    """
    match test:
        case Compare(op, str() as value):
            return _compared(op, value)
        case Between(str() as low, str() as high):
            # Between a string and the same string followed by k zero characters there are exactly k others.
            few = high.startswith(low) and not high[len(low) :].strip("\0")
            return StringSet(lambda s: low <= s <= high, len(high) - len(low) + 1 if few else math.inf, math.inf)
        case OneOf(values):
            strings = {value for value in values if isinstance(value, str)}
            if strings:
                return StringSet(strings.__contains__, len(strings), math.inf)
    return None


def _compared(op: Op, value: str) -> StringSet:
    passes = string_test(op, value)
    if op.sides is None:
        # Nothing is known about other operators; every string contains the empty string.
        return StringSet(passes, math.inf, 0 if op.like in OF_PARTS and not op.fold(value) else math.inf)
    # Below a run of k zero characters there are only the k shorter runs; below any other string, infinitely many.
    below = math.inf if value.strip("\0") else len(value)
    sizes = (below, 1, math.inf)
    size, others = (
        sum(s for s, side in zip(sizes, op.sides, strict=True) if side is wanted) for wanted in (True, False)
    )
    return StringSet(passes, size, others)


def is_number(value: Scalar) -> TypeGuard[int | float]:
    """Whether a value is a number; a boolean is not."""
    return kind_of(value) is Kind.NUMBER


@dataclass(frozen=True, slots=True)
class Listing:
    """`degrees` of the listed strings and `rest` for every other: 0 for a plain table, 1 for ``not`` a table."""

    degrees: dict[str, float]
    rest: float

    def value(self, text: str) -> float:
        """The degree of a string."""
        return self.degrees.get(text, self.rest)

    def negated(self) -> "Listing":
        """1 - the function."""
        return Listing({text: 1.0 - degree for text, degree in self.degrees.items()}, 1.0 - self.rest)

    def overlap(self, other: "Listing") -> float:
        """The highest degree that both reach on one string: sup of min. O(listed)."""
        listed = self.degrees.keys() | other.degrees.keys()
        return max(min(self.rest, other.rest), *(min(self.value(text), other.value(text)) for text in listed))

    def highest_in(self, strings: StringSet) -> float:
        """The highest degree among the members of a set. O(listed)."""
        return self._highest([text for text in self.degrees if strings.has(text)], strings.size)

    def highest_outside(self, strings: StringSet) -> float:
        """The highest degree among the strings that are not in the set. O(listed)."""
        return self._highest([text for text in self.degrees if not strings.has(text)], strings.others)

    def _highest(self, listed: list[str], size: float) -> float:
        unlisted = self.rest if size > len(listed) else 0.0
        return max([unlisted, *(self.degrees[text] for text in listed)])


@lru_cache(maxsize=4096)
def listing_of(table: Table, hedges: tuple[Hedge, ...] = ()) -> Listing:
    """The listing for a table of strings with its hedges, outermost first.

    >>> listing_of(Table((("new", 1.0), ("used", 0.4))), (Hedge.NOT,)).value("old")
    1.0
    """
    degrees = {
        text: hedged((float(degree), 1.0 - degree), hedges)[0]
        for text, degree in table.degrees
        if isinstance(text, str)
    }
    return Listing(degrees, hedged((0.0, 1.0), hedges)[0])

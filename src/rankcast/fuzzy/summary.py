"""The distribution of an attribute's numbers, in a few thousand buckets that can be added up.

Concepts are mined from it. A bucket holds the numbers that begin with the same digits, so the buckets do not depend
on the data. The summary of all data is the sum of the summaries of its parts, and new data can be added without
reading the old data again.
"""

import math
from bisect import bisect_left
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import accumulate
from typing import NamedTuple

from rankcast.errors import ModelError
from rankcast.model import AttributeValue, Gaussian, Interval, LeftShoulder, RightShoulder, Trapezoid, Triangle
from rankcast.plain import JsonObject

FINENESS = 1000
"""The minimum number of buckets in the range of the numbers, measured at its far end."""

MOST_DIGITS = 15


class Key(NamedTuple):
    """The leading digits of a number: ``mantissa * 10 ** exponent``, truncated towards 0."""

    exponent: int
    mantissa: int


class Bucket(NamedTuple):
    """The count and the sum of the numbers in a bucket."""

    numbers: int
    total: float

    @property
    def mean(self) -> float:
        """The mean of the numbers in the bucket."""
        return self.total / self.numbers


@dataclass(frozen=True, slots=True)
class NumberSummary:
    """Buckets by key; all keys have `digits` digits. `missing` counts values that are not numbers."""

    attribute: str
    digits: int
    buckets: dict[Key, Bucket]
    missing: int = 0

    @classmethod
    def of(cls, attribute: str, numbers: Iterable[float | None]) -> "NumberSummary":
        """The summary of some numbers; None, NaN and infinities count as missing.

        >>> NumberSummary.of("price", [100, 100, 300, None]).points()
        [(100.0, 2), (300.0, 1)]
        """
        given = list(numbers)
        known = [float(x) for x in given if x is not None and math.isfinite(x)]
        digits = digits_for(min(known), max(known)) if known else 1
        buckets: dict[Key, Bucket] = {}
        for x in known:
            key = key_of(x, digits)
            count, total = buckets.get(key, (0, 0.0))
            buckets[key] = Bucket(count + 1, total + x)
        return cls(attribute, digits, buckets, len(given) - len(known))

    @property
    def count(self) -> int:
        """How many numbers it holds."""
        return sum(bucket.numbers for bucket in self.buckets.values())

    def points(self) -> list[tuple[float, int]]:
        """The buckets as (mean, count), ascending."""
        return sorted((bucket.mean, bucket.numbers) for bucket in self.buckets.values())

    def quantile(self, share: float) -> float:
        """The lowest bucket mean up to which at least this share of the numbers lies. O(buckets)."""
        points = self.points()
        if not points:
            raise ModelError(f"there are no numbers of {self.attribute!r}")
        return quantile(points, share)

    def merged(self, other: "NumberSummary") -> "NumberSummary":
        """The sum of both, at the resolution of the coarser one. The order and grouping of merges do not matter."""
        if other.attribute != self.attribute:
            raise ModelError(f"a summary of {other.attribute!r} is none of {self.attribute!r}")
        digits = min((one.digits for one in (self, other) if one.buckets), default=1)
        buckets: dict[Key, Bucket] = {}
        for one in (self, other):
            for key, (count, total) in one.buckets.items():
                coarse = Key(key.exponent + one.digits - digits, _cut(key.mantissa, one.digits - digits))
                old = buckets.get(coarse, (0, 0.0))
                buckets[coarse] = Bucket(old[0] + count, old[1] + total)
        return NumberSummary(self.attribute, digits, buckets, self.missing + other.missing)

    def to_json(self) -> JsonObject:
        """The summary as a JSON object for `of_json`."""
        rows = [[*key, *bucket] for key, bucket in sorted(self.buckets.items())]
        return {"attribute": self.attribute, "digits": self.digits, "missing": self.missing, "buckets": rows}

    @classmethod
    def of_json(cls, form: JsonObject) -> "NumberSummary":
        """The summary that `to_json` wrote."""
        try:
            buckets = {
                Key(int(exponent), int(mantissa)): Bucket(int(count), float(total))
                for exponent, mantissa, count, total in form["buckets"]
            }
            return cls(str(form["attribute"]), int(form["digits"]), buckets, int(form["missing"]))
        except (KeyError, TypeError, ValueError) as error:
            raise ModelError(f"this is no summary of an attribute: {error}") from None


def quantile(points: Sequence[tuple[float, int]], share: float) -> float:
    """The first of some ascending numbers with their counts up to which at least this share of them lies."""
    reached = list(accumulate(count for _, count in points))
    return points[min(bisect_left(reached, share * reached[-1]), len(points) - 1)][0]


def digits_for(low: float, high: float) -> int:
    """The number of leading digits that distinguish numbers in a range well enough.

    A single number has all digits, so that a summary does not become coarser when it is added.

    >>> digits_for(150_000, 3_000_000), digits_for(1893, 2005), digits_for(7, 7)
    (4, 5, 15)
    """
    width, largest = high - low, max(abs(low), abs(high))
    if width <= 0 or math.isinf(width):
        return MOST_DIGITS if width <= 0 else 4
    needed = math.floor(math.log10(largest)) - math.floor(math.log10(width / FINENESS)) + 1
    return min(max(needed, 1), MOST_DIGITS)


def number_of(value: AttributeValue | None) -> float | None:
    """The number of a value; of an imprecise one, the middle of where it is fully possible.

    >>> number_of((7,)), number_of(Interval(50, 60)), number_of(("drama",))
    (7.0, 55.0, None)
    """
    match value:
        case (int() | float() as number,) if not isinstance(number, bool):
            return float(number)
        case Interval(low, high) | Trapezoid(_, low, high, _):
            return (low + high) / 2
        case Triangle(_, peak, _) | Gaussian(peak, _) | LeftShoulder(peak, _) | RightShoulder(_, peak):
            return peak
    return None


def key_of(x: float, digits: int) -> Key:
    """The bucket of a finite number."""
    if x == 0:
        return Key(0, 0)
    exponent = math.floor(math.log10(abs(x))) - digits + 1
    return Key(exponent, math.trunc(x / 10.0**exponent) if exponent > -300 else 0)


def _cut(mantissa: int, digits: int) -> int:
    size: int = abs(mantissa) // 10**digits
    return size if mantissa >= 0 else -size

"""How the numbers of an attribute are spread, in a few thousand buckets that can be added up.

What concepts are mined from. A bucket holds the numbers that begin with the same digits, so that buckets do not depend
on the data: the summary of all data is the sum of the summaries of its parts, and new data is added to what is known
without reading the old again.
"""

import math
from collections.abc import Iterable
from dataclasses import dataclass
from itertools import accumulate
from typing import Any, NamedTuple

from rankcast.errors import ModelError
from rankcast.plain import JsonObject

__all__ = ["Bucket", "Key", "NumberSummary", "digits_for"]

FINENESS = 1000
"""The range of the numbers has at least so many buckets at its far end."""

MOST_DIGITS = 15


class Key(NamedTuple):
    """The leading digits of a number: ``mantissa * 10 ** exponent`` cut off towards 0."""

    exponent: int
    mantissa: int


class Bucket(NamedTuple):
    """How many numbers it holds, and their sum."""

    numbers: int
    total: float

    @property
    def mean(self) -> float:
        """Where the bucket stands."""
        return self.total / self.numbers


@dataclass(frozen=True, slots=True)
class NumberSummary:
    """Buckets by key; all keys have `digits` digits. `missing` counts what was no number."""

    attribute: str
    digits: int
    buckets: dict[Key, Bucket]
    missing: int = 0

    @classmethod
    def of(cls, attribute: str, numbers: Iterable[float | None]) -> "NumberSummary":
        """The summary of numbers at hand; None, NaN and infinities count as missing.

        >>> NumberSummary.of("price", [100, 100, 300, None]).points()
        [(100.0, 2), (300.0, 1)]
        """
        given = list(numbers)
        known = [float(x) for x in given if x is not None and math.isfinite(x)]
        digits = digits_for(min(known), max(known)) if known else 1
        buckets: dict[Key, Bucket] = {}
        for x in known:
            key = _key(x, digits)
            count, total = buckets.get(key, (0, 0.0))
            buckets[key] = Bucket(count + 1, total + x)
        return cls(attribute, digits, buckets, len(given) - len(known))

    @property
    def count(self) -> int:
        """How many numbers there are."""
        return sum(bucket.numbers for bucket in self.buckets.values())

    def points(self) -> list[tuple[float, int]]:
        """The buckets as (mean, count), ascending."""
        return sorted((bucket.mean, bucket.numbers) for bucket in self.buckets.values())

    def quantile(self, share: float) -> float:
        """The least bucket at which so large a share of the numbers is reached. O(buckets)."""
        points = self.points()
        if not points:
            raise ModelError(f"there are no numbers of {self.attribute!r}")
        least = share * self.count
        for (mean, _), reached in zip(points, accumulate(count for _, count in points), strict=True):
            if reached >= least:
                return mean
        return points[-1][0]

    def merged(self, other: "NumberSummary") -> "NumberSummary":
        """Both together, as fine as the coarser of the two; in any order and grouping the same."""
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
        """As an object; `of_json` reads it again."""
        rows = [[*key, *bucket] for key, bucket in sorted(self.buckets.items())]
        return {"attribute": self.attribute, "digits": self.digits, "missing": self.missing, "buckets": rows}

    @classmethod
    def of_json(cls, form: Any) -> "NumberSummary":
        """The summary that `to_json` wrote."""
        try:
            buckets = {
                Key(int(exponent), int(mantissa)): Bucket(int(count), float(total))
                for exponent, mantissa, count, total in form["buckets"]
            }
            return cls(str(form["attribute"]), int(form["digits"]), buckets, int(form["missing"]))
        except (KeyError, TypeError, ValueError) as error:
            raise ModelError(f"this is no summary of an attribute: {error}") from None


def digits_for(low: float, high: float) -> int:
    """How many leading digits tell numbers of a range well enough apart.

    >>> digits_for(150_000, 3_000_000), digits_for(1893, 2005), digits_for(7, 7)
    (4, 5, 1)
    """
    width, largest = high - low, max(abs(low), abs(high))
    if width <= 0 or math.isinf(width):
        return 1 if width <= 0 else 4
    needed = math.floor(math.log10(largest)) - math.floor(math.log10(width / FINENESS)) + 1
    return min(max(needed, 1), MOST_DIGITS)


def _key(x: float, digits: int) -> Key:
    if x == 0:
        return Key(0, 0)
    exponent = math.floor(math.log10(abs(x))) - digits + 1
    return Key(exponent, math.trunc(x / 10.0**exponent) if exponent > -300 else 0)


def _cut(mantissa: int, digits: int) -> int:
    size: int = abs(mantissa) // 10**digits
    return size if mantissa >= 0 else -size

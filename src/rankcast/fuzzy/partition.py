"""From clusters of an attribute's numbers to concepts that partition the axis (A-ToPSS, section 3).

Neighbouring concepts cross at 1/2 on the border between their clusters and add up to 1 everywhere, so every number
belongs to some concept with a degree of at least 1/2. Each concept is 1 at least on the middle half of its cluster.
The outermost concepts are shoulders, so they include numbers beyond the observed range.
"""

import math
from bisect import bisect_left
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import pairwise

from rankcast.errors import ModelError
from rankcast.fuzzy.summary import NumberSummary, quantile
from rankcast.model import Concept, LeftShoulder, Membership, RightShoulder, Trapezoid

ENOUGH = 0.85
"""Clusters suffice if they explain this share of the variance …"""

GAP = 0.1
"""… unless one more cluster leaves less than this share of the remaining variance, which shows a gap."""

NOISE = 0.01
"""Below this share of the variance, more clusters are never worthwhile."""

TAIL = 0.005
"""This share of the numbers at either end counts as outliers: clustering moves them to the end of the other
numbers."""


@dataclass(frozen=True, slots=True)
class Scale:
    """The axis on which numbers are clustered: cut off at both ends, and logarithmic if `log` is set."""

    low: float
    high: float
    log: bool

    def place(self, x: float) -> float:
        """The position of a number, from 0 to 1."""
        low, high, x = self._bent(self.low), self._bent(self.high), self._bent(min(max(x, self.low), self.high))
        return (x - low) / (high - low)

    def number(self, place: float) -> float:
        """The number at a position."""
        low, high = self._bent(self.low), self._bent(self.high)
        x = low + (high - low) * place
        return math.exp(x) if self.log else x

    def _bent(self, x: float) -> float:
        return math.log(x) if self.log else x


def scale_of(summary: NumberSummary) -> Scale | None:
    """The scale that suits the numbers; None if all numbers are equal.

    Outliers are cut off by quantile. The logarithm is used if no number is negative and it makes the numbers less
    skewed. Skew is the distance of the median from the middle between the first and the last decile.
    """
    points = summary.points()
    if len(points) < 2:
        return None
    low, high = summary.quantile(TAIL), summary.quantile(1 - TAIL)
    if low == high:  # nearly all numbers are equal: distinguish the others
        low, high = points[0][0], points[-1][0]
    plain = Scale(low, high, log=False)
    positive = [(x, count) for x, count in points if x > 0]
    if points[0][0] < 0 or not positive or high <= 0:
        return plain
    floor = quantile(positive, 0.01)
    if max(low, floor) >= high:
        return plain
    bent = Scale(max(low, floor), high, log=True)
    tenths = [summary.quantile(share) for share in (0.1, 0.5, 0.9)]
    return min(plain, bent, key=lambda scale: abs(_skew([scale.place(x) for x in tenths])))


def fixed_count(count: int | None, names: Sequence[str] | None, at_most: int) -> int | None:
    """The number of concepts that the caller fixed, by a number or by names; None if the data decides."""
    fixed = len(names) if names is not None else count
    if min(at_most, at_most if fixed is None else fixed) < 2:
        raise ModelError("fewer than 2 concepts cannot tell values apart")
    return fixed


def enough(unexplained: Sequence[float]) -> int:
    """The number of clusters, given the variance that 1, 2, 3, … clusters leave.

    This is the smallest number that explains 85 % of the variance. It is larger if one more cluster leaves less than
    a tenth of what the previous one left, which only happens if there is a gap between groups.

    >>> enough([1.0, 0.36, 0.19, 0.12, 0.08]), enough([1.0, 0.2, 0.1, 0.05, 0.0004])
    (4, 5)
    """
    total = unexplained[0]
    chosen = next((k for k, left in enumerate(unexplained, 1) if left <= (1 - ENOUGH) * total), len(unexplained))
    gaps = [
        k for k, (before, left) in enumerate(pairwise(unexplained), 2) if before > NOISE * total and left < GAP * before
    ]
    return max(chosen, *gaps) if gaps else chosen


@dataclass(frozen=True, slots=True)
class Cluster:
    """Numbers that belong together: their count, their range and the range of the middle half."""

    count: int
    low: float
    high: float
    first_quarter: float
    last_quarter: float


def clusters_of(summary: NumberSummary, scale: Scale, centres: Sequence[float]) -> list[Cluster]:
    """The numbers of a summary, assigned to the nearest centre (a position on the scale).

    The clusters are ascending, and none is empty.
    """
    ends = [(left + right) / 2 for left, right in pairwise(sorted(centres))]
    members: list[list[tuple[float, int]]] = [[] for _ in centres]
    for x, count in summary.points():
        members[bisect_left(ends, scale.place(x))].append((x, count))
    return [
        Cluster(
            sum(count for _, count in points),
            points[0][0],
            points[-1][0],
            quantile(points, 0.25),
            quantile(points, 0.75),
        )
        for points in members
        if points
    ]


def concepts_of(attribute: str, names: Sequence[str], clusters: Sequence[Cluster]) -> list[Concept]:
    """A concept for each cluster.

    Fewer than two clusters give no concepts, because there is nothing to distinguish.
    """
    if len(clusters) < 2:
        return []
    slopes = [_slope(left, right) for left, right in pairwise(clusters)]
    forms: list[Membership] = [LeftShoulder(*slopes[0])]
    forms += [Trapezoid(*before, *after) for before, after in pairwise(slopes)]
    forms.append(RightShoulder(*slopes[-1]))
    return [Concept(name, attribute, form) for name, form in zip(names, forms, strict=True)]


def _slope(left: Cluster, right: Cluster) -> tuple[float, float]:
    """The range in which one concept gives way to the next.

    It is symmetric around the border, leaves the middle half of both clusters alone, and is narrowed to round
    numbers.
    """
    border = (left.high + right.low) / 2
    reach = min(border - left.last_quarter, right.first_quarter - border)
    low, high = border - reach, border + reach
    width = right.last_quarter - left.first_quarter
    noise, digit = 1e-9 * width, math.floor(math.log10(width)) - 2
    for decimals in range(-digit, 4 - digit):
        start, end = _rounded(low, decimals, math.ceil), _rounded(high, decimals, math.floor)
        if low - noise <= start <= end <= high + noise:
            return start, end
    return low, high


def _rounded(x: float, decimals: int, towards: Callable[[float], int]) -> float:
    near = round(x, decimals + 6)  # so that 2.9999999999 is not rounded down to 2.9
    step = 10.0**-decimals
    told = round(towards(round(near / step, 6)) * step, max(decimals, 0))
    return int(told) if told == int(told) else told


def _skew(tenths: Sequence[float]) -> float:
    low, middle, high = tenths
    return (low + high - 2 * middle) / (high - low) if high > low else 0.0

"""From clusters of an attribute's numbers to concepts that share the axis among them (A-ToPSS, section 3).

Neighbouring concepts cross at 1/2 on the border between their clusters and add up to 1 everywhere, so that every
number belongs to some concept to a degree of at least 1/2. Each is 1 at least on the middle half of its cluster; the
outermost are shoulders, so that numbers beyond all that was seen belong to them.
"""

import math
from bisect import bisect_left
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import accumulate, pairwise

from rankcast.fuzzy.summary import NumberSummary
from rankcast.model import Concept, LeftShoulder, Membership, RightShoulder, Trapezoid

__all__ = ["Cluster", "Scale", "clusters_of", "concepts_of", "enough", "scale_of"]

ENOUGH = 0.85
"""Clusters are enough when they explain this share of the variance …"""

GAP = 0.1
"""… unless a further one leaves less than this share of the rest: then there is a gap to find."""

NOISE = 0.01
"""What is left below this share of the variance is not worth a further cluster in any case."""

TAIL = 0.005
"""This share of the numbers at either end counts as outliers: for the clustering they move to where the others end."""


@dataclass(frozen=True, slots=True)
class Scale:
    """How numbers stand on the axis on which they are clustered: cut off at both ends, in the logarithm if `log`."""

    low: float
    high: float
    log: bool

    def place(self, x: float) -> float:
        """Where a number stands, from 0 to 1."""
        low, high, x = self._bent(self.low), self._bent(self.high), self._bent(min(max(x, self.low), self.high))
        return (x - low) / (high - low)

    def number(self, place: float) -> float:
        """The number at a place."""
        low, high = self._bent(self.low), self._bent(self.high)
        x = low + (high - low) * place
        return math.exp(x) if self.log else x

    def _bent(self, x: float) -> float:
        return math.log(x) if self.log else x


def scale_of(summary: NumberSummary) -> Scale | None:
    """The scale that suits the numbers; None if they are all the same.

    Outliers are cut off by quantile. The logarithm is taken if no number is negative and the numbers are less skewed on
    it: by how far the median is from the middle between the first and the last tenth.
    """
    points = summary.points()
    if len(points) < 2:
        return None
    low, high = summary.quantile(TAIL), summary.quantile(1 - TAIL)
    if low == high:  # nearly all are the same: then the others are what there is to tell apart
        low, high = points[0][0], points[-1][0]
    plain = Scale(low, high, log=False)
    positive = [(x, count) for x, count in points if x > 0]
    if points[0][0] < 0 or not positive or high <= 0:
        return plain
    floor = _quantile(positive, 0.01)
    if max(low, floor) >= high:
        return plain
    bent = Scale(max(low, floor), high, log=True)
    tenths = [summary.quantile(share) for share in (0.1, 0.5, 0.9)]
    return min(plain, bent, key=lambda scale: abs(_skew([scale.place(x) for x in tenths])))


def enough(unexplained: Sequence[float]) -> int:
    """How many clusters there are, given the variance that 1, 2, 3, … of them leave within clusters.

    The fewest that explain 85 % of it; or more, if some further one leaves less than a tenth of what the one before
    left, which only happens where there is a gap between groups.

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
    """Numbers that belong together: how many, from where to where, and the middle half of them."""

    count: int
    low: float
    high: float
    first_quarter: float
    last_quarter: float


def clusters_of(summary: NumberSummary, scale: Scale, centres: Sequence[float]) -> list[Cluster]:
    """The numbers of a summary by the centre (a place on the scale) that is nearest, ascending; none is empty."""
    ends = [(left + right) / 2 for left, right in pairwise(sorted(centres))]
    members: list[list[tuple[float, int]]] = [[] for _ in centres]
    for x, count in summary.points():
        members[bisect_left(ends, scale.place(x))].append((x, count))
    return [
        Cluster(
            sum(count for _, count in points),
            points[0][0],
            points[-1][0],
            _quantile(points, 0.25),
            _quantile(points, 0.75),
        )
        for points in members
        if points
    ]


def concepts_of(attribute: str, names: Sequence[str], clusters: Sequence[Cluster]) -> list[Concept]:
    """A concept for each cluster; fewer than two clusters give none, for there is nothing to tell apart."""
    if len(clusters) < 2:
        return []
    slopes = [_slope(left, right) for left, right in pairwise(clusters)]
    forms: list[Membership] = [LeftShoulder(*slopes[0])]
    forms += [Trapezoid(*before, *after) for before, after in pairwise(slopes)]
    forms.append(RightShoulder(*slopes[-1]))
    return [Concept(name, attribute, form) for name, form in zip(names, forms, strict=True)]


def _slope(left: Cluster, right: Cluster) -> tuple[float, float]:
    """From where to where one concept gives way to the next: as far to either side of the border as leaves the middle
    half of both clusters alone, and to round numbers that lie within."""
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
    near = round(x, decimals + 6)  # so that 2.9999999999 is not taken down to 2.9
    step = 10.0**-decimals
    told = round(towards(round(near / step, 6)) * step, max(decimals, 0))
    return int(told) if told == int(told) else told


def _quantile(points: Sequence[tuple[float, int]], share: float) -> float:
    least = share * sum(count for _, count in points)
    reached = list(accumulate(count for _, count in points))
    return points[min(bisect_left(reached, least), len(points) - 1)][0]


def _skew(tenths: Sequence[float]) -> float:
    low, middle, high = tenths
    return (low + high - 2 * middle) / (high - low) if high > low else 0.0

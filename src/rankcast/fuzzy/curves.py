"""Functions of one number as a sequence of monotone pieces, with the value at each breakpoint.

One form for everything numeric: membership functions and possibility distributions with their hedges, tables of
numbers (0 except at single points), and crisp sets (0 and 1). The value at a breakpoint is stored separately, because
at a vertical side it differs from the one-sided limits.
"""

import math
import sys
from bisect import bisect_left
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise

from rankcast.fuzzy.pieces import REACH, Flank, Flat, Grade, Piece, Ramp, hedged
from rankcast.model import Gaussian, Hedge, Membership, PiecewiseLinear, Table


@dataclass(frozen=True, slots=True)
class Curve:
    """A function by its `breaks`, the grades at them (`points`), and the `pieces` around them.

    The breaks are ascending. There is one more piece than breaks: before, between and after them.

    Points and pieces do not include the hedges, which `value` applies.
    """

    breaks: tuple[float, ...]
    points: tuple[Grade, ...]
    pieces: tuple[Piece, ...]
    hedges: tuple[Hedge, ...] = ()

    def value(self, x: float) -> float:
        """The degree at x. O(log pieces)."""
        index = bisect_left(self.breaks, x)
        if index < len(self.breaks) and self.breaks[index] == x:
            return hedged(self.points[index], self.hedges)[0]
        piece = self.pieces[index]
        return hedged(piece.grade(piece.place(x)), self.hedges)[0]

    def negated(self) -> "Curve":
        """1 - the function; for a crisp set, the complement."""
        return Curve(self.breaks, self.points, self.pieces, (Hedge.NOT, *self.hedges))


@lru_cache(maxsize=4096)
def curve_of(membership: Membership, hedges: tuple[Hedge, ...] = ()) -> Curve:
    """The curve of a numeric membership function with its hedges, outermost first.

    >>> from rankcast.model import Trapezoid
    >>> curve_of(Trapezoid(0, 0, 500, 900), (Hedge.NOT,)).value(600)
    0.25
    """
    match membership:
        case Table(degrees):
            numbers = sorted((x, degree) for x, degree in degrees if not isinstance(x, str))
            breaks = tuple(x for x, _ in numbers)
            return Curve(breaks, tuple(_grade(d) for _, d in numbers), (Flat(0.0),) * (len(breaks) + 1), hedges)
        case Gaussian(mean, sigma):
            # A power of a Gaussian is a Gaussian, so innermost `very` and `somewhat` only change its width.
            while hedges and hedges[-1] is not Hedge.NOT:
                sigma *= math.sqrt(0.5 if hedges[-1] is Hedge.VERY else 2.0)
                hedges = hedges[:-1]
            return _bell(mean, sigma, hedges)
        case PiecewiseLinear():
            return _linear(membership.points(), hedges)


def _grade(degree: float) -> Grade:
    return float(degree), 1.0 - degree


def _linear(corners: tuple[tuple[float, float], ...], hedges: tuple[Hedge, ...]) -> Curve:
    highest: dict[float, float] = {}
    for x, degree in corners:
        highest[x] = max(degree, highest.get(x, 0.0))
    pieces: list[Piece] = [Flat(float(corners[0][1]))]
    for (left, start), (right, end) in pairwise(corners):
        if left < right:
            pieces.append(Flat(float(start)) if start == end else Ramp(left, right, start, end))
    pieces.append(Flat(float(corners[-1][1])))
    return Curve(tuple(highest), tuple(_grade(degree) for degree in highest.values()), tuple(pieces), hedges)


def _bell(mean: float, sigma: float, hedges: tuple[Hedge, ...]) -> Curve:
    tiny, furthest = sys.float_info.min, sys.float_info.max
    flank = Flank(mean, min(max(sigma, tiny), furthest))
    breaks = sorted({max(mean - REACH * sigma, -furthest), mean, min(mean + REACH * sigma, furthest)})
    points = tuple(flank.grade(flank.place(x)) for x in breaks)
    return Curve(tuple(breaks), points, (Flat(0.0), *[flank] * (len(breaks) - 1), Flat(0.0)), hedges)

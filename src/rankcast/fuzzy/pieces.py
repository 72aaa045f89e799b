"""The pieces of functions of one number: a constant, a straight ramp, one flank of a Gaussian.

A piece is monotone on an open interval. It computes the *place* of an x (two numbers that are linear in x) and the
grade at a place. A point between two known points is found by mixing their places, without rounding x itself. A ramp
from 1e9 to 1e9 + 1e-6 contains only a handful of floats, and still crosses others exactly.

A grade holds mu and 1 - mu, each with full precision, and every hedge maps both. With mu alone, ``somewhat not cheap``
would be sqrt(1 - mu(x)): if mu(x) is within a rounding error of 1, the subtraction leaves nothing, and the root turns
an error of 1e-16 into one of 1e-8.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeAlias

from rankcast.model import Hedge

Grade: TypeAlias = tuple[float, float]
"""A degree and its complement; they sum to 1."""


def hedged(grade: Grade, hedges: tuple[Hedge, ...]) -> Grade:
    """The grade after applying hedges, which are listed outermost first as in the text.

    >>> hedged((0.5, 0.5), (Hedge.NOT, Hedge.VERY))
    (0.75, 0.25)
    """
    degree, complement = grade
    for hedge in reversed(hedges):
        if hedge is Hedge.NOT:
            degree, complement = complement, degree
        elif hedge is Hedge.VERY:
            degree, complement = degree * degree, complement * (1.0 + degree)
        else:
            degree = degree**0.5
            complement = complement / (1.0 + degree)
    return degree, complement


Place: TypeAlias = tuple[float, float]

REACH = 40.0
"""At this many sigmas from its mean, a Gaussian is 0 in floating point: exp(-800) underflows."""


@dataclass(frozen=True, slots=True)
class Flat:
    """A constant degree."""

    degree: float

    def place(self, x: float) -> Place:
        """The place of x; it holds no information, because the degree is constant."""
        return 0.0, 0.0

    def grade(self, place: Place) -> Grade:
        """The degree and its complement."""
        return self.degree, 1.0 - self.degree


@dataclass(frozen=True, slots=True)
class Ramp:
    """A straight line from degree `start` at `left` to `end` at `right`.

    Its place holds the shares of left and right.
    """

    left: float
    right: float
    start: float
    end: float

    def place(self, x: float) -> Place:
        """The shares of the left and the right end in x, each accurate where it is small."""
        left, right = self.left, self.right
        if math.isinf(right - left):  # nearly the largest floats, with opposite signs
            left, right, x = left / 2, right / 2, x / 2
        return (right - x) / (right - left), (x - left) / (right - left)

    def grade(self, place: Place) -> Grade:
        """The degree and its complement."""
        left, right = place
        return self.start * left + self.end * right, (1.0 - self.start) * left + (1.0 - self.end) * right


@dataclass(frozen=True, slots=True)
class Flank:
    """One side of a Gaussian. Its place is the distance from the mean in sigmas."""

    mean: float
    sigma: float

    def place(self, x: float) -> Place:
        """The distance from the mean in sigmas, limited to the relevant range."""
        distance = abs(x - self.mean) / self.sigma
        if math.isinf(distance):  # perhaps only in this step: two of the largest floats, with opposite signs
            distance = abs(x / 2 - self.mean / 2) / self.sigma * 2
        return min(distance, REACH), 0.0

    def grade(self, place: Place) -> Grade:
        """The degree and its complement."""
        exponent = -place[0] * place[0] / 2
        return math.exp(exponent), -math.expm1(exponent)


Piece: TypeAlias = Flat | Ramp | Flank


_HEIGHT = 1e-13
"""The accuracy in height to which a crossing without a closed form is bracketed."""


class Stretch:
    """A monotone part of a function over an open interval; `start` and `end` are its one-sided limits."""

    __slots__ = ("_from", "_hedges", "_piece", "_to", "end", "start")

    def __init__(self, piece: Piece, hedges: tuple[Hedge, ...], left: float, right: float) -> None:
        self._piece, self._hedges = piece, hedges
        self._from, self._to = piece.place(left), piece.place(right)
        self.start, self.end = self.at(0.0, 1.0), self.at(1.0, 0.0)

    def at(self, t: float, s: float) -> float:
        """The degree at share `t` of the interval; `s` is 1 - t, given separately to keep its precision."""
        (a, b), (c, d) = self._from, self._to
        return hedged(self._piece.grade((a * s + c * t, b * s + d * t)), self._hedges)[0]

    def meets(self, other: "Stretch") -> float | None:
        """The share of the interval at which two stretches are equal, if it has a closed form."""
        piece, hedges = self._piece, self._hedges
        if isinstance(piece, Ramp) and isinstance(other._piece, Ramp) and {*hedges, *other._hedges} <= {Hedge.NOT}:
            return _share(self.start, self.end, other.start, other.end)
        if isinstance(piece, Flank) and isinstance(other._piece, Flank) and hedges == other._hedges:
            return _share(self._from[0], self._to[0], other._from[0], other._to[0])
        return None


def highest_meeting(f: Stretch, g: Stretch) -> float:
    """The highest degree that both reach at one point of their interval: sup of min(f, g).

    If both rise or both fall, the minimum is highest at an end; otherwise it is highest where they cross. A crossing
    costs O(1) between straight lines or between Gaussians, and about 45 bisections between other shapes.
    """
    if (f.end - f.start) * (g.end - g.start) >= 0 or (f.start < g.start) == (f.end < g.end):
        return max(min(f.start, g.start), min(f.end, g.end))
    t = f.meets(g)
    if t is not None:
        return min(f.at(t, 1.0 - t), g.at(t, 1.0 - t))
    rising, falling = (f, g) if f.start < f.end else (g, f)
    if rising.at(0.5, 0.5) >= falling.at(0.5, 0.5):
        return _bisected(lambda t: (rising.at(t, 1.0 - t), falling.at(t, 1.0 - t)))
    return _bisected(lambda s: (falling.at(1.0 - s, s), rising.at(1.0 - s, s)))


def _share(f_start: float, f_end: float, g_start: float, g_end: float) -> float:
    before, after = g_start - f_start, f_end - g_end
    return before / (before + after)


def _bisected(pair: Callable[[float], tuple[float, float]]) -> float:
    """The height at which the first of a pair, which rises, crosses the second, which falls."""
    low, high = 0.0, 0.5
    (up_low, down_low), (up_high, down_high) = pair(low), pair(high)
    while True:
        floor, ceiling = max(up_low, down_high), min(up_high, down_low)
        middle = (low + high) / 2
        if ceiling - floor <= _HEIGHT or not low < middle < high:
            return (floor + ceiling) / 2
        up, down = pair(middle)
        if up < down:
            low, up_low, down_low = middle, up, down
        else:
            high, up_high, down_high = middle, up, down

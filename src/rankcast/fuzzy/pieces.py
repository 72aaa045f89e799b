"""The pieces that functions of one number are made of: flat, a straight ramp, one flank of a bell.

A piece covers an open interval and is monotone there. It knows the *place* of an x, two numbers that are linear in
x, and its grade at a place. So a point between two known points is reached by mixing their places, without rounding x
itself: a ramp from 1e9 to 1e9 + 1e-6 has only a handful of floats in it, and still crosses others exactly.
"""

import math
from dataclasses import dataclass
from typing import TypeAlias

from rankcast.fuzzy.grades import Grade

__all__ = ["REACH", "Flank", "Flat", "Piece", "Place", "Ramp"]

Place: TypeAlias = tuple[float, float]

REACH = 40.0
"""So many sigmas from its mean a gaussian is 0 in floating point: exp(-800) underflows."""


@dataclass(frozen=True, slots=True)
class Flat:
    """The same degree everywhere."""

    degree: float

    def place(self, x: float) -> Place:
        """Nothing to know."""
        return 0.0, 0.0

    def grade(self, place: Place) -> Grade:
        """The degree and its complement."""
        return self.degree, 1.0 - self.degree


@dataclass(frozen=True, slots=True)
class Ramp:
    """Straight from degree `start` at `left` to `end` at `right`. Its place: the shares of left and right."""

    left: float
    right: float
    start: float
    end: float

    def place(self, x: float) -> Place:
        """How much of the left and of the right end there is in x, each accurate where it is small."""
        left, right = self.left, self.right
        if math.isinf(right - left):  # nearly the largest floats, of opposite sign
            left, right, x = left / 2, right / 2, x / 2
        return (right - x) / (right - left), (x - left) / (right - left)

    def grade(self, place: Place) -> Grade:
        """The degree and its complement."""
        left, right = place
        return self.start * left + self.end * right, (1.0 - self.start) * left + (1.0 - self.end) * right


@dataclass(frozen=True, slots=True)
class Flank:
    """One side of a bell. Its place: the distance from the mean in sigmas."""

    mean: float
    sigma: float

    def place(self, x: float) -> Place:
        """The distance from the mean in sigmas, as far as it matters."""
        distance = abs(x - self.mean) / self.sigma
        if math.isinf(distance):  # perhaps only on the way: two of the largest floats, of opposite sign
            distance = abs(x / 2 - self.mean / 2) / self.sigma * 2
        return min(distance, REACH), 0.0

    def grade(self, place: Place) -> Grade:
        """The degree and its complement."""
        exponent = -place[0] * place[0] / 2
        return math.exp(exponent), -math.expm1(exponent)


Piece: TypeAlias = Flat | Ramp | Flank

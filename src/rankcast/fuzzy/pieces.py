"""The pieces of functions of one number: a constant, a straight ramp, one flank of a Gaussian.

A piece is monotone on an open interval. It computes the *place* of an x (two numbers that are linear in x) and the
grade at a place. A point between two known points is found by mixing their places, without rounding x itself. A ramp
from 1e9 to 1e9 + 1e-6 contains only a handful of floats, and still crosses others exactly.
"""

import math
from dataclasses import dataclass
from typing import TypeAlias

from rankcast.fuzzy.grades import Grade

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

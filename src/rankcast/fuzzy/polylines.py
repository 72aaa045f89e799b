"""Many piecewise linear functions as arrays of corners, to compare all at once.

Each row is one function: its corners from left to right, linear in between, constant before the first and after the
last. Two corners at the same x are a vertical side, three a single point. At that x the highest degree counts, or
with `negated` the lowest of the complements. Every membership function without a curve, every table of numbers and
every crisp set of numbers can be a row.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING, TypeAlias

import numpy as np

from rankcast.fuzzy.sets import CrispTest
from rankcast.model import Between, Compare, Gaussian, Hedge, Membership, OneOf, Op, Sides, Table

if TYPE_CHECKING:
    from numpy.typing import NDArray

Numbers: TypeAlias = "NDArray[np.float64]"
Around: TypeAlias = tuple[Numbers, Numbers, Numbers]
"""At each number: the limit from the left, the degree itself, the limit from the right."""

Corners: TypeAlias = tuple[tuple[float, float], ...]


def corners_of(membership: Membership, hedges: tuple[Hedge, ...] = ()) -> tuple[Corners, bool] | None:
    """The corners of a function and whether it is negated; None if it is curved or about strings.

    >>> from rankcast.model import LeftShoulder
    >>> corners_of(LeftShoulder(500, 900), (Hedge.NOT,))
    (((500, 1.0), (900, 0.0)), True)
    """
    if any(hedge is not Hedge.NOT for hedge in hedges):
        return None
    negated = len(hedges) % 2 == 1
    match membership:
        case Gaussian():
            return None
        case Table(degrees):
            numbers = sorted((x, degree) for x, degree in degrees if not isinstance(x, str))
            return (_spikes(numbers), negated) if numbers else None
    return membership.points(), negated


def set_corners_of(test: CrispTest) -> tuple[Corners, bool] | None:
    """The corners of a crisp set of numbers; None if the test is not about numbers.

    >>> set_corners_of(Compare(Op.LT, 5))
    (((5.0, 0.0), (5.0, 1.0)), True)
    """
    match test:
        case Compare(Op(sides=Sides() as sides), value) if _is_number(value):
            at = float(value)  # type: ignore[arg-type]  # checked above
            # A row includes its corners, so a set without the number itself is the complement of one with it.
            below, _, above = sides if sides.at else (not side for side in sides)
            edge = ((at, 0.0),)
            corners = (() if below else edge) + ((at, 1.0),) + (() if above else edge)
            return corners, not sides.at
        case Between(low, high) if _is_number(low) and _is_number(high):
            ends = float(low), float(high)  # type: ignore[arg-type]
            return ((ends[0], 0.0), (ends[0], 1.0), (ends[1], 1.0), (ends[1], 0.0)), False
        case OneOf(values):
            numbers = sorted(float(value) for value in values if _is_number(value))  # type: ignore[arg-type]
            return (_spikes([(x, 1.0) for x in numbers]), False) if numbers else None
    return None


@dataclass(frozen=True, slots=True)
class Polylines:
    """`x` and `y` are arrays of functions by corners (rows ascending in x); `negated` is one flag per function.

    Numbers are doubles, so integers beyond 2^53 are rounded.
    """

    x: Numbers
    y: Numbers
    negated: "NDArray[np.bool_]"

    @classmethod
    def of(cls, rows: Sequence[tuple[Corners, bool]]) -> "Polylines":
        """The functions as rows, padded with their last corner to the length of the longest."""
        most = max(len(corners) for corners, _ in rows)
        filled = np.array([[*corners, *[corners[-1]] * (most - len(corners))] for corners, _ in rows], dtype=float)
        return cls(filled[:, :, 0], filled[:, :, 1], np.array([negated for _, negated in rows]))

    @classmethod
    def of_trapezoids(cls, corners: Numbers) -> "Polylines":
        """Trapezoids from an array with the columns a, b, c, d; with a = b and c = d they are intervals.

        >>> Polylines.of_trapezoids(np.array([[0, 0, 500, 900]])).degree(np.array([[700.0]]))
        array([[0.5]])
        """
        x = np.asarray(corners, dtype=float)
        return cls(x, np.broadcast_to([0.0, 1.0, 1.0, 0.0], x.shape), np.zeros(len(x), dtype=bool))

    def __len__(self) -> int:
        return len(self.x)

    def rows(self, chosen: "slice | NDArray[np.int64]") -> "Polylines":
        """Some of the functions."""
        return Polylines(self.x[chosen], self.y[chosen], self.negated[chosen])

    def degree(self, at: Numbers) -> Numbers:
        """The degrees at the numbers given for each row."""
        return self.around(at)[1]

    def around(self, at: Numbers) -> Around:
        """The limit from the left, the degree, and the limit from the right at each number of each row.

        O(corners) per number.
        """
        columns = [(self.x[:, [j]], self.y[:, [j]]) for j in range(self.x.shape[1])]
        between = np.where(at > columns[-1][0], columns[-1][1], columns[0][1])
        for (left, start), (right, end) in pairwise(columns):
            inside = (left < at) & (at < right)
            np.copyto(between, start + (end - start) * _share(left, right, at), where=inside)
        before, here, behind = between.copy(), between.copy(), between
        reached = np.zeros(at.shape, dtype=bool)
        for x, y in columns:
            equal = x == at
            np.copyto(before, y, where=equal & ~reached)
            np.copyto(here, np.where(reached, np.maximum(here, y), y), where=equal)
            np.copyto(behind, y, where=equal)
            reached |= equal
        if self.negated.any():
            flip = self.negated[:, None]
            for degrees in (before, here, behind):
                np.subtract(1.0, degrees, out=degrees, where=flip)
        return before, here, behind


def _share(left: Numbers, right: Numbers, at: Numbers) -> Numbers:
    """The position of a number between left and right, from 0 to 1; meaningless if the number is not between them."""
    with np.errstate(over="ignore", invalid="ignore", divide="ignore"):
        width = right - left
        huge = np.isinf(width)  # nearly the largest floats, with opposite signs
        if huge.any():
            left, right, at = (np.where(huge, x / 2, x) for x in (left, right, at))
            width = right - left
        return np.clip((at - left) / width, 0.0, 1.0)


def _spikes(points: Sequence[tuple[float, float]]) -> Corners:
    return tuple(corner for x, degree in points for corner in ((x, 0.0), (x, degree), (x, 0.0)))


def _is_number(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)

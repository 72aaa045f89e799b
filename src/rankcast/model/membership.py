"""Membership functions: the degree to which a value belongs to a vague concept (semantics: Approximate matching).

The same forms describe a subscriber's concept (`cheap`) and a publisher's imprecise value (its possibility
distribution). This module defines the forms, their degree at one crisp value, and concepts, which give them names.
`rankcast.fuzzy` compares two of them.
"""

import itertools
import math
from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum
from typing import Annotated, ClassVar, TypeAlias

from rankcast.errors import ModelError
from rankcast.model.declared import NAME, About, Real, check_fields, check_name
from rankcast.model.values import check_scalar

NUMBER = Real(-1e15, 1e15)
"""Bounds for each number of a membership function. Whole numbers within them, and their differences, are exact."""

SIGMA = Real(0, 1e15, above=True)
"""Bounds for the width of a Gaussian."""

MAX_POINTS = 1_000
"""Maximum number of points of a piecewise linear function."""

MAX_DEGREES = 10_000
"""Maximum number of values in a table."""

MAX_HEDGES = 100
"""Maximum number of hedges before one concept."""


class Hedge(Enum):
    """A word that modifies a concept: ``not`` is 1 - mu, ``very`` is mu squared, ``somewhat`` is its square root."""

    NOT = "not"
    VERY = "very"
    SOMEWHAT = "somewhat"

    def applied(self, degree: float) -> float:
        """The degree after applying this hedge."""
        match self:
            case Hedge.NOT:
                return 1.0 - degree
            case Hedge.VERY:
                return degree * degree
            case Hedge.SOMEWHAT:
                return math.sqrt(degree)


@dataclass(frozen=True, slots=True)
class Term:
    """The name of a concept with its hedges, outermost first: ``not very cheap``."""

    concept: str
    hedges: tuple[Hedge, ...] = ()

    def __post_init__(self) -> None:
        check_name("the name of a concept", self.concept)
        if len(self.hedges) > MAX_HEDGES:
            raise ModelError(f"a concept with {len(self.hedges):,} hedges; it must have at most {MAX_HEDGES}")


class NumericForm:
    """A form of membership function that some numbers define. `forms` are its names in JSON."""

    __slots__ = ()
    __match_args__: ClassVar[tuple[str, ...]]
    forms: ClassVar[tuple[str, ...]]

    def numbers(self) -> tuple[float, ...]:
        """The numbers that define it, in order."""
        return tuple([getattr(self, name) for name in self.__match_args__])


class PiecewiseLinear(NumericForm, ABC):
    """Linear between its corners, constant before the first and after the last.

    Corners at the same x form a vertical side, where the function takes its upper value.
    """

    __slots__ = ()

    def __post_init__(self) -> None:
        _check_ascending(self.forms[-1], self.numbers())

    @abstractmethod
    def points(self) -> tuple[tuple[float, float], ...]:
        """The corners (x, degree) between which the function is linear."""

    def degree(self, x: float) -> float:
        """mu(x)."""
        points = self.points()
        at = [degree for corner, degree in points if corner == x]
        if at:
            return max(at)
        if x < points[0][0]:
            return points[0][1]
        for (left, low), (right, high) in itertools.pairwise(points):
            if left < x < right:
                return low + (high - low) * ((x - left) / (right - left))
        return points[-1][1]


def _check_ascending(form: str, numbers: Sequence[float]) -> None:
    where = f"a number of {form}"
    for number in numbers:
        NUMBER.check(where, number)
    if [*numbers] != sorted(numbers):
        raise ModelError(f"{form} {list(numbers[:5])} needs its numbers in ascending order")


@dataclass(frozen=True, slots=True)
class Trapezoid(PiecewiseLinear):
    """0 up to `a`, rising to 1 at `b`, 1 up to `c`, falling to 0 at `d`.

    >>> Trapezoid(0, 0, 500, 900).degree(700)
    0.5
    """

    forms = ("trapezoid",)
    a: float
    b: float
    c: float
    d: float

    def points(self) -> tuple[tuple[float, float], ...]:
        """The four corners."""
        return ((self.a, 0.0), (self.b, 1.0), (self.c, 1.0), (self.d, 0.0))


@dataclass(frozen=True, slots=True)
class Triangle(PiecewiseLinear):
    """0 up to `a`, 1 at `b`, 0 from `c` on."""

    forms = ("triangle",)
    a: float
    b: float
    c: float

    def points(self) -> tuple[tuple[float, float], ...]:
        """The three corners."""
        return ((self.a, 0.0), (self.b, 1.0), (self.c, 0.0))


@dataclass(frozen=True, slots=True)
class Interval(PiecewiseLinear):
    """1 from `low` to `high`, both included; 0 elsewhere."""

    forms = ("between", "interval")
    low: float
    high: float

    def points(self) -> tuple[tuple[float, float], ...]:
        """Two vertical sides."""
        return ((self.low, 0.0), (self.low, 1.0), (self.high, 1.0), (self.high, 0.0))


@dataclass(frozen=True, slots=True)
class LeftShoulder(PiecewiseLinear):
    """1 up to `a`, falling to 0 at `b`: "small"."""

    forms = ("left_shoulder",)
    a: float
    b: float

    def points(self) -> tuple[tuple[float, float], ...]:
        """The ends of the slope."""
        return ((self.a, 1.0), (self.b, 0.0))


@dataclass(frozen=True, slots=True)
class RightShoulder(PiecewiseLinear):
    """0 up to `a`, rising to 1 at `b`: "large"."""

    forms = ("right_shoulder",)
    a: float
    b: float

    def points(self) -> tuple[tuple[float, float], ...]:
        """The ends of the slope."""
        return ((self.a, 0.0), (self.b, 1.0))


@dataclass(frozen=True, slots=True)
class Gaussian(NumericForm):
    """exp(-((x - mean) / sigma)^2 / 2): "about `mean`"."""

    forms = ("gaussian", "bell")
    mean: float
    sigma: float

    def __post_init__(self) -> None:
        NUMBER.check("the mean of gaussian", self.mean)
        SIGMA.check("the sigma of gaussian", self.sigma)

    def degree(self, x: float) -> float:
        """mu(x)."""
        away = (x - self.mean) / self.sigma
        return math.exp(-away * away / 2)


@dataclass(frozen=True, slots=True)
class Piecewise(PiecewiseLinear):
    """Linear between any `corners` (x, degree)."""

    forms = ("piecewise",)
    corners: tuple[tuple[float, float], ...]

    def __post_init__(self) -> None:
        if not self.corners:
            raise ModelError("piecewise needs at least one point [x, degree]")
        if len(self.corners) > MAX_POINTS:
            raise ModelError(f"piecewise has {len(self.corners):,} points; it must have at most {MAX_POINTS:,}")
        _check_ascending("piecewise", [x for x, _ in self.corners])
        for x, degree in self.corners:
            if not 0 <= degree <= 1:
                raise ModelError(f"piecewise point {[x, degree]} has a degree outside 0..1")

    def points(self) -> tuple[tuple[float, float], ...]:
        """The given corners."""
        return self.corners


@dataclass(frozen=True, slots=True)
class Table:
    """A degree for each of finitely many strings or numbers; 0 for any other value."""

    degrees: tuple[tuple[str | float, float], ...]

    def __post_init__(self) -> None:
        if not self.degrees:
            raise ModelError("table needs at least one value with a degree")
        if len(self.degrees) > MAX_DEGREES:
            raise ModelError(f"table has {len(self.degrees):,} values; it must have at most {MAX_DEGREES:,}")
        if len({value for value, _ in self.degrees}) < len(self.degrees):
            raise ModelError("table names a value twice")
        if len({isinstance(value, str) for value, _ in self.degrees}) > 1:
            raise ModelError("table mixes strings and numbers")
        for value, degree in self.degrees:
            check_scalar(value)
            if isinstance(value, bool):
                raise ModelError("table lists strings or numbers, not booleans")
            if not isinstance(value, str):
                NUMBER.check("a number of table", value)
            if not 0 <= degree <= 1:
                raise ModelError(f"table gives {value!r} the degree {degree}, which is outside 0..1")

    def degree(self, x: str | float) -> float:
        """mu(x)."""
        return dict(self.degrees).get(x, 0.0)


Membership: TypeAlias = Trapezoid | Triangle | Interval | LeftShoulder | RightShoulder | Gaussian | Piecewise | Table


@dataclass(frozen=True, slots=True)
class Concept:
    """The definition of `name` on `attribute` as `membership`: for everybody, or as an override for one `user`."""

    name: Annotated[str, About(NAME, "The word.")]
    attribute: Annotated[str, About(NAME, "The attribute whose values it describes.")]
    membership: Membership
    user: Annotated[str | None, About(NAME, "The user for whom it means this; by default everybody.")] = None

    def __post_init__(self) -> None:
        check_fields(self)

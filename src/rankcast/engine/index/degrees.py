"""Degrees of many pairs of an event and a subscription at once, for matches that were found by their alpha-cuts.

A compiled kernel computes the degrees of a conjunction of crisp predicates and ``is`` predicates on crisp numbers,
equal to plain evaluation to the last bit. Everything else (``or``, ``not``, imprecise values, concepts of strings,
Gaussians) is left to plain evaluation, pair by pair.
"""

import math
from array import array
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from rankcast.compiling import kernel
from rankcast.fuzzy.curves import curve_of
from rankcast.fuzzy.pieces import Flat, Ramp
from rankcast.matching.outcomes import Meaning
from rankcast.model import And, Event, Expression, Hedge, Is, Membership, Norm, Predicate, Table, Thresholds
from rankcast.plain import Array

_TOLERANCE = 1e-9
_HEDGES = {Hedge.NOT: 1, Hedge.VERY: 2, Hedge.SOMEWHAT: 3}
NORMS = (Norm.MIN, Norm.PRODUCT, Norm.LUKASIEWICZ)
_LARGEST = 2**53
"""Integers beyond this may not be representable as doubles."""


class Decisions(NamedTuple):
    """The outcome of each pair: whether it was decided here, whether it holds, and to what degree.

    Also counts the pairs that were not decided, and those that hold.
    """

    known: NDArray[np.bool_]
    holds: NDArray[np.bool_]
    degree: NDArray[np.float64]
    left: int
    held: int


class Degrees:
    """The degrees of expressions, numbered in the order of `add`, for any events.

    Adding an expression takes about 5 µs, then each ``is`` about 50 ns. The crisp predicates are assumed to hold.
    """

    def __init__(self) -> None:
        self._attributes: dict[str, int] = {}
        self._curves = _Curves()
        self._first = array("q", [0])
        self._asked = array("i")
        self._least = array("d")
        self._arrays: tuple[Array, ...] | None = None

    def add(self, where: Expression, meaning: Meaning) -> int | None:
        """Add an expression; returns its number, or None if its form is left to plain evaluation."""
        vague = _vague_parts(where)
        numbers = None if vague is None else self._numbers(vague, meaning)
        if vague is None or numbers is None:
            return None
        for part, (attribute, curve) in zip(vague, numbers, strict=True):
            thresholds = part.thresholds or Thresholds()
            self._asked.extend((attribute, curve))
            self._least.append(max(thresholds.possibility, thresholds.necessity) - _TOLERANCE)
        self._first.append(len(self._least))
        self._arrays = None
        return len(self._first) - 2

    def decide(
        self,
        events: Sequence[Event],
        is_crisp: NDArray[np.bool_],
        event: NDArray[np.int32],
        question: NDArray[np.int32],
    ) -> Decisions:
        """The outcomes of pairs of an event (its index) and a question.

        A question is three times the number of an expression plus the index of the norm in `NORMS`, or a negative
        number if it is decided elsewhere. `is_crisp` marks the events without imprecise values. Adjacent pairs with
        the same event and question are decided once.
        """
        if self._arrays is None:
            self._arrays = (
                np.array(self._first, np.int64),
                np.array(self._asked, np.int32).reshape(-1, 2),
                np.array(self._least, np.float64),
                *self._curves.arrays(),
            )
        values = np.full((len(events), len(self._attributes)), math.nan)
        is_crisp = is_crisp.copy()
        for name, column in self._attributes.items():
            found = values[:, column]
            for place, one in enumerate(events):
                value = one.attributes.get(name)
                if type(value) is not tuple or len(value) > 1:
                    continue
                if isinstance(x := value[0], int | float) and not isinstance(x, bool):
                    if abs(x) > _LARGEST and isinstance(x, int):
                        is_crisp[place] = False
                    found[place] = x
        known, holds, degree = np.empty(len(event), np.bool_), np.empty(len(event), np.bool_), np.empty(len(event))
        left, held = _decide(event, question, is_crisp, values, *self._arrays, known, holds, degree)
        return Decisions(known, holds, degree, left, held)

    def _numbers(self, parts: Sequence[Predicate], meaning: Meaning) -> list[tuple[int, int]] | None:
        """The attribute and function of each part; None unless all functions are piecewise linear in numbers."""
        found = []
        for part in parts:
            assert isinstance(part.test, Is)
            term = part.test.term
            curve = self._curves.number(meaning(part.attribute, term), term.hedges)
            if curve is None:
                return None
            found.append((self._attributes.setdefault(part.attribute, len(self._attributes)), curve))
        return found


class _Curves:
    """Functions as arrays: the start of each, its breaks with their degrees, its pieces and its hedges."""

    def __init__(self) -> None:
        self._numbers: dict[tuple[Membership, tuple[Hedge, ...]], int | None] = {}
        self._first = [0]
        self._breaks: list[float] = []
        self._points: list[tuple[float, float]] = []
        self._pieces: list[tuple[float, float]] = []
        self._hedges: list[int] = []
        self._first_hedge = [0]

    def number(self, membership: Membership, hedges: tuple[Hedge, ...]) -> int | None:
        """The number of a function; None if it is not piecewise linear or not about numbers."""
        key = membership, hedges
        if key not in self._numbers:
            self._numbers[key] = self._added(membership, hedges)
        return self._numbers[key]

    def _added(self, membership: Membership, hedges: tuple[Hedge, ...]) -> int | None:
        if isinstance(membership, Table) and isinstance(membership.degrees[0][0], str):
            return None
        curve = curve_of(membership, hedges)
        if not all(isinstance(piece, Flat | Ramp) for piece in curve.pieces):
            return None
        if any(abs(x) > _LARGEST for x in curve.breaks):
            return None
        # A function has one more piece than breaks; an infinite break keeps the two arrays aligned.
        self._breaks += [*map(float, curve.breaks), math.inf]
        self._points += [*curve.points, (0.0, 1.0)]
        self._pieces += [
            (piece.degree, piece.degree) if isinstance(piece, Flat) else (piece.start, piece.end)
            for piece in curve.pieces
            if isinstance(piece, Flat | Ramp)
        ]
        self._first.append(len(self._breaks))
        self._hedges += [_HEDGES[hedge] for hedge in reversed(curve.hedges)]
        self._first_hedge.append(len(self._hedges))
        return len(self._first) - 2

    def arrays(
        self,
    ) -> tuple[
        NDArray[np.int64],
        NDArray[np.float64],
        NDArray[np.float64],
        NDArray[np.float64],
        NDArray[np.int64],
        NDArray[np.int8],
    ]:
        """All functions as arrays for the kernel."""
        return (
            np.array(self._first, np.int64),
            np.array(self._breaks, np.float64),
            np.array(self._points, np.float64).reshape(-1, 2),
            np.array(self._pieces, np.float64).reshape(-1, 2),
            np.array(self._first_hedge, np.int64),
            np.array(self._hedges, np.int8),
        )


def _vague_parts(where: Expression) -> list[Predicate] | None:
    """The ``is`` predicates of a conjunction; None if the expression is not a conjunction, or has none."""
    parts = where.parts if isinstance(where, And) else (where,)
    if not all(isinstance(part, Predicate) for part in parts):
        return None
    return [part for part in parts if isinstance(part, Predicate) and isinstance(part.test, Is)] or None


@kernel
def _decide(  # type: ignore[no-untyped-def]
    event, question, is_crisp, values, first, asked, least,
    curve_first, breaks, points, pieces, hedge_first, hedges, known, holds, degree,
):  # fmt: skip
    left = held = 0
    for i in range(len(event)):
        if i > 0 and question[i] == question[i - 1] and event[i] == event[i - 1]:
            known[i], holds[i], degree[i] = known[i - 1], holds[i - 1], degree[i - 1]
            left += not known[i]
            held += holds[i]
            continue
        wanted, norm = question[i] // 3, question[i] % 3
        # With more than two parts, the order of addition affects the last bit.
        if wanted < 0 or not is_crisp[event[i]] or (norm == 2 and first[wanted + 1] - first[wanted] > 2):
            known[i], holds[i], degree[i] = False, False, 0.0
            left += 1
            continue
        together = 1.0
        for j in range(first[wanted], first[wanted + 1]):
            x = values[event[i], asked[j, 0]]
            at = 0.0
            if x == x:
                at = _degree(x, asked[j, 1], curve_first, breaks, points, pieces, hedge_first, hedges)
            if not (at > 0.0 and at >= least[j]):
                together = -1.0
                break
            if norm == 0:
                together = min(together, at)
            elif norm == 1:
                together *= at
            elif j == first[wanted]:
                together = at
            else:
                together = max(0.0, together + at - 1.0)
        known[i], holds[i], degree[i] = True, together >= 0.0, max(0.0, together)
        held += holds[i]
    return left, held


@kernel
def _degree(x, curve, curve_first, breaks, points, pieces, hedge_first, hedges):  # type: ignore[no-untyped-def]
    # The arithmetic of rankcast.fuzzy: `Curve.value`, `Ramp.grade`, `hedged`.
    i = curve_first[curve]
    while breaks[i] < x:
        i += 1
    if breaks[i] == x:
        up, down = points[i, 0], points[i, 1]
    elif pieces[i, 0] == pieces[i, 1]:
        up = pieces[i, 0]
        down = 1.0 - up
    else:
        left, right = breaks[i - 1], breaks[i]
        a, b = (right - x) / (right - left), (x - left) / (right - left)
        start, end = pieces[i, 0], pieces[i, 1]
        up = start * a + end * b
        down = (1.0 - start) * a + (1.0 - end) * b
    for j in range(hedge_first[curve], hedge_first[curve + 1]):
        if hedges[j] == 1:
            up, down = down, up
        elif hedges[j] == 2:
            up, down = up * up, down * (1.0 + up)
        else:
            up = up**0.5
            down = down / (1.0 + up)
    return up

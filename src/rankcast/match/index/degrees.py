"""Degrees of many pairs of an event and a subscription at once, for a matcher that has found them by their cuts.

What plain evaluation gives for a conjunction of crisp predicates and ``is`` predicates on crisp numbers, to the last bit,
computed by a compiled kernel. Anything else (``or``, ``not``, imprecise values, words for strings, bells) is left to plain
evaluation, pair by pair.
"""

import math
from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from rankcast.fuzzy.curves import curve_of
from rankcast.fuzzy.pieces import Flat, Ramp
from rankcast.match.index.compiling import kernel
from rankcast.match.outcomes import Meaning
from rankcast.model import And, Event, Hedge, Is, Membership, Norm, Predicate, Subscription, Table, Thresholds

__all__ = ["Decided", "Degrees"]

_TOLERANCE = 1e-9
_HEDGES = {Hedge.NOT: 1, Hedge.VERY: 2, Hedge.SOMEWHAT: 3}
_NORMS = {Norm.MIN: 0, Norm.PRODUCT: 1, Norm.LUKASIEWICZ: 2}
_LARGEST = 2**53
"""Beyond this an integer need not be a double."""


class Decided(NamedTuple):
    """For each pair: whether it was decided here, and if so whether it holds and to what degree."""

    known: NDArray[np.bool_]
    holds: NDArray[np.bool_]
    degree: NDArray[np.float64]


class Degrees:
    """The degrees of fixed subscriptions for any events.

    Parameters
    ----------
    subscriptions
        In the order by which pairs name them.
    meaning_of, norm_of
        As of `OracleMatcher`.

    Some 5 µs per subscription to prepare, then about 50 ns per ``is``. It trusts that the crisp predicates hold.
    """

    def __init__(
        self,
        subscriptions: Sequence[Subscription],
        meaning_of: Callable[[str], Meaning],
        norm_of: Callable[[str], Norm],
    ) -> None:
        self._attributes: dict[str, int] = {}
        self._curves = _Curves()
        first, asked, least = [0], list[tuple[int, int]](), list[float]()
        norms = []
        for subscription in subscriptions:
            vague = _vague_parts(subscription)
            norm = norm_of(subscription.user)
            numbers = None if vague is None else self._numbers(vague, meaning_of(subscription.user))
            if numbers is None or (norm is Norm.LUKASIEWICZ and len(numbers) > 2):
                norms.append(-1)
            else:
                norms.append(_NORMS[norm])
                for part, pair in zip(vague or (), numbers, strict=True):
                    thresholds = part.thresholds or Thresholds()
                    asked.append(pair)
                    least.append(max(thresholds.possibility, thresholds.necessity))
            first.append(len(asked))
        self._first, self._norms = np.array(first, np.int64), np.array(norms, np.int8)
        self._asked = np.array(asked, np.int32).reshape(-1, 2)
        self._least = np.array(least, np.float64) - _TOLERANCE
        self._tables = self._curves.arrays()

    def decide(self, events: Sequence[Event], event: NDArray[np.int64], subscription: NDArray[np.int64]) -> Decided:
        """The outcomes of pairs of an event and a subscription, each by its place."""
        values = np.full((len(events), len(self._attributes)), math.nan)
        is_crisp = np.ones(len(events), np.bool_)
        for place, one in enumerate(events):
            for name, value in one.attributes.items():
                number = self._attributes.get(name)
                if not isinstance(value, tuple):
                    is_crisp[place] = False
                elif number is not None and isinstance(value[0], int | float) and not isinstance(value[0], bool):
                    if isinstance(value[0], int) and abs(value[0]) > _LARGEST:
                        is_crisp[place] = False
                    values[place, number] = value[0]
        known = is_crisp[event] & (self._norms[subscription] >= 0)
        holds, degree = np.zeros(len(event), np.bool_), np.zeros(len(event))
        _decide(
            event,
            subscription,
            known,
            values,
            self._first,
            self._asked,
            self._least,
            self._norms,
            *self._tables,
            holds,
            degree,
        )
        return Decided(known, holds, degree)

    def _numbers(self, parts: Sequence[Predicate], meaning: Meaning) -> list[tuple[int, int]] | None:
        """The attribute and the function of each part; None if one has no function of numbers that is straight."""
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
    """Functions as arrays: where each begins, its breaks with the degrees at them, its pieces, its hedges."""

    def __init__(self) -> None:
        self._numbers: dict[tuple[Membership, tuple[Hedge, ...]], int | None] = {}
        self._first = [0]
        self._breaks: list[float] = []
        self._points: list[tuple[float, float]] = []
        self._pieces: list[tuple[float, float]] = []
        self._hedges: list[int] = []
        self._first_hedge = [0]

    def number(self, membership: Membership, hedges: tuple[Hedge, ...]) -> int | None:
        """The number of a function; None if it is not straight or not about numbers."""
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
        # After its breaks a function has one piece more; an infinite break keeps the two in step.
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
        """All of them as the kernel takes them."""
        return (
            np.array(self._first, np.int64),
            np.array(self._breaks, np.float64),
            np.array(self._points, np.float64).reshape(-1, 2),
            np.array(self._pieces, np.float64).reshape(-1, 2),
            np.array(self._first_hedge, np.int64),
            np.array(self._hedges, np.int8),
        )


def _vague_parts(subscription: Subscription) -> list[Predicate] | None:
    """The ``is`` predicates of a conjunction; None if it is none, or has none."""
    where = subscription.where
    parts = where.parts if isinstance(where, And) else (where,)
    if not all(isinstance(part, Predicate) for part in parts):
        return None
    return [part for part in parts if isinstance(part, Predicate) and isinstance(part.test, Is)] or None


@kernel
def _decide(  # type: ignore[no-untyped-def]
    event, subscription, known, values, first, asked, least, norms,
    curve_first, breaks, points, pieces, hedge_first, hedges, holds, degree,
):  # fmt: skip
    for i in range(len(event)):
        if not known[i]:
            continue
        wanted = subscription[i]
        norm = norms[wanted]
        together, fits = 1.0, True
        for j in range(first[wanted], first[wanted + 1]):
            x = values[event[i], asked[j, 0]]
            at = 0.0
            if x == x:
                at = _degree(x, asked[j, 1], curve_first, breaks, points, pieces, hedge_first, hedges)
            if not (at > 0.0 and at >= least[j]):
                fits = False
                break
            if norm == 0:
                together = min(together, at)
            elif norm == 1:
                together *= at
            elif j == first[wanted]:
                together = at
            else:
                together = max(0.0, together + at - 1.0)
        holds[i] = fits
        degree[i] = together if fits else 0.0


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

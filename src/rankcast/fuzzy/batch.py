"""Possibility and necessity of many pairs at once: the closed form of `measures`, over arrays.

See semantics: Approximate matching. Piecewise linear functions are compared together as `Polylines`. A pair with a
curved function (a Gaussian, `very`, `somewhat`) or with strings is computed one by one. A batch may mix both.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING, TypeAlias

import numpy as np

from rankcast.fuzzy.measures import degree, possibility_necessity
from rankcast.model import Gaussian, Hedge, Membership, Table

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


Hedged: TypeAlias = tuple[Membership, tuple[Hedge, ...]]
"""A membership function with its hedges, outermost first."""

_CHUNK = 2048
"""Number of pairs per chunk, chosen so that a chunk fits into the processor's cache."""


def batch_possibility_necessity(mus: Sequence[Hedged], pis: Sequence[Hedged]) -> tuple[Numbers, Numbers]:
    """P and N of each concept against the distribution at the same index.

    A sequence of length one is compared with all of the other.

    A piecewise linear pair takes about 15 µs, most of it to build the arrays (`polyline_possibility_necessity` takes
    arrays and 3 µs per pair). A curved pair takes 100 µs or more.

    >>> from rankcast.model import Interval, LeftShoulder
    >>> batch_possibility_necessity([(LeftShoulder(500, 900), ())], [(Interval(600, 700), ()), (Interval(0, 9), ())])
    (array([0.75, 1.  ]), array([0.5, 1. ]))
    """
    count = _common(len(mus), len(pis))
    wanted = [corners_of(*mu) for mu in mus] * (count if len(mus) == 1 else 1)
    known = [corners_of(*pi) for pi in pis] * (count if len(pis) == 1 else 1)
    possibility, necessity = np.zeros(count), np.zeros(count)
    alike: dict[tuple[int, int], list[int]] = {}
    for i, (mu, pi) in enumerate(zip(wanted, known, strict=True)):
        if mu is not None and pi is not None:
            alike.setdefault((len(mu[0]), len(pi[0])), []).append(i)
        else:
            possibility[i], necessity[i] = possibility_necessity(*mus[i % len(mus)], *pis[i % len(pis)])
    for places in alike.values():
        f, g = (Polylines.of([row for i in places if (row := side[i]) is not None]) for side in (wanted, known))
        possibility[places], necessity[places] = polyline_possibility_necessity(f, g)
    return possibility, necessity


def polyline_possibility_necessity(mus: Polylines, pis: Polylines) -> tuple[Numbers, Numbers]:
    """P and N of each row against the row at the same index. A single row is compared with all rows of the other.

    O(corners^2) per pair, and a few hundred bytes of memory per pair of the current chunk.
    """
    count = _common(len(mus), len(pis))
    possibility, necessity = np.empty(count), np.empty(count)
    for start in range(0, count, _CHUNK):
        chosen = np.arange(start, min(start + _CHUNK, count))
        f = mus.rows(chosen if len(mus) > 1 else np.zeros_like(chosen))
        g = pis.rows(chosen if len(pis) > 1 else np.zeros_like(chosen))
        possibility[chosen], necessity[chosen] = _measured(f, g)
    return possibility, necessity


def batch_degree(mu: Membership, hedges: tuple[Hedge, ...], values: Numbers) -> Numbers:
    """The degree of each of many crisp numbers in one hedged numeric concept.

    >>> from rankcast.model import Gaussian
    >>> batch_degree(Gaussian(10, 2), (Hedge.NOT,), np.array([10.0, 1e9]))
    array([0., 1.])
    """
    values = np.asarray(values, dtype=float)
    rows = corners_of(mu, hedges)
    if rows is not None:
        return Polylines.of([rows]).degree(values[None, :]).ravel()
    return np.array([degree(mu, hedges, x) for x in values.tolist()])


def _measured(f: Polylines, g: Polylines) -> tuple[Numbers, Numbers]:
    at = np.sort(np.concatenate([f.x, g.x], axis=1), axis=1)
    wanted, known = f.around(at), g.around(at)
    before, here, behind = wanted
    apart = at[:, :-1] < at[:, 1:]
    return _overlap(apart, wanted, known), 1.0 - _overlap(apart, (1.0 - before, 1.0 - here, 1.0 - behind), known)


def _overlap(apart: "NDArray[np.bool_]", f: Around, g: Around) -> Numbers:
    """The height at which each pair overlaps.

    The sup of the minimum is reached, or approached, at a corner of either function or where two lines cross between
    corners that are `apart`.
    """
    (f_before, f_here, f_behind), (g_before, g_here, g_behind) = f, g
    best = np.minimum(f_here, g_here)
    np.maximum(best, np.minimum(f_before, g_before), out=best)
    np.maximum(best, np.minimum(f_behind, g_behind), out=best)
    # Between two neighbouring corners, f runs from f0 to f1 and g from g0 to g1.
    f0, f1, g0, g1 = f_behind[:, :-1], f_before[:, 1:], g_behind[:, :-1], g_before[:, 1:]
    lead, lag = g0 - f0, f1 - g1
    crossing = apart & ((lead > 0) == (lag > 0)) & (lead != 0) & (lag != 0)
    share = np.divide(lead, lead + lag, out=np.zeros_like(lead), where=crossing)
    height = np.where(crossing, np.minimum(f0 + (f1 - f0) * share, g0 + (g1 - g0) * share), 0.0)
    highest: Numbers = np.maximum(best.max(axis=1), height.max(axis=1, initial=0.0))
    return highest


def _common(mus: int, pis: int) -> int:
    if mus != pis and 1 not in (mus, pis):
        raise ValueError(f"{mus} concepts and {pis} distributions do not pair up")
    return max(mus, pis) if min(mus, pis) else 0

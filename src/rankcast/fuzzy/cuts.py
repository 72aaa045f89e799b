"""Alpha-cuts: the values that reach a level, as intervals. With them, an index finds fuzzy predicates like ranges.

For a crisp value, ``x is concept [tp, tn]`` is a union of intervals. For an imprecise value, intervals rule
predicates out: P >= tp requires a point where both concept and distribution reach tp, and N >= tn requires the
concept to reach tn wherever the distribution is 1 (semantics: Approximate matching, *Indexing*).
"""

import math
import struct
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise
from typing import NamedTuple

from rankcast.fuzzy.curves import Curve, curve_of
from rankcast.fuzzy.pieces import Flat, Stretch
from rankcast.fuzzy.sets import listing_of
from rankcast.model import Hedge, Membership, Scalar, Table

_TOLERANCE = 1e-9
"""The tolerance of matching: a degree that misses its threshold by at most this still reaches it."""

_SLACK = 1e-12
"""A bound on accumulated rounding errors. The conditions on imprecise values are relaxed by this much."""


class Span(NamedTuple):
    """The numbers from `low` to `high`, both included; an infinite bound means unbounded."""

    low: float
    high: float


@dataclass(frozen=True, slots=True)
class AlphaCut:
    """The values that reach a level.

    Numbers are given as ascending, disjoint spans; strings by name, or with `others`, all strings except those named.
    """

    spans: tuple[Span, ...] = ()
    strings: frozenset[str] = frozenset()
    others: bool = False

    def has(self, value: Scalar) -> bool:
        """Whether it contains a crisp value. O(spans)."""
        if isinstance(value, str):
            return (value in self.strings) is not self.others
        if isinstance(value, bool) or not isinstance(value, int | float):
            return False
        return any(low <= value <= high for low, high in self.spans)

    def meets(self, other: "AlphaCut") -> bool:
        """Whether the two have a common value. Two sets that exclude only some strings always have one."""
        if any(a.low <= b.high and b.low <= a.high for a in self.spans for b in other.spans):
            return True
        named = self.strings | other.strings
        return (self.others and other.others) or any(self.has(text) and other.has(text) for text in named)

    def within(self, other: "AlphaCut") -> bool:
        """Whether it is a subset of the other."""
        if not all(any(b.low <= a.low and a.high <= b.high for b in other.spans) for a in self.spans):
            return False
        named = self.strings | other.strings
        return self.others <= other.others and all(other.has(text) for text in named if self.has(text))


@dataclass(frozen=True, slots=True)
class ValueOutline:
    """What is known about an imprecise value: where it may lie at all, and where it is fully possible."""

    support: AlphaCut
    core: AlphaCut


@dataclass(frozen=True, slots=True)
class PredicateCuts:
    """A fuzzy predicate as intervals.

    A crisp value passes if and only if `crisp` contains it. An imprecise value can pass only if its support meets
    `possible` and its core lies within `sure` (None means no condition). Possibility and necessity then decide.
    """

    crisp: AlphaCut
    possible: AlphaCut
    sure: AlphaCut | None

    def admits(self, outline: ValueOutline) -> bool:
        """False only if the predicate certainly does not hold for the imprecise value."""
        return self.possible.meets(outline.support) and (self.sure is None or outline.core.within(self.sure))


def alpha_cut(mu: Membership, hedges: tuple[Hedge, ...] = (), tp: float = 0.5, tn: float = 0.0) -> AlphaCut:
    """The crisp values for which ``is`` holds: those with a degree above 0 and at least tp and tn.

    A number passes if and only if it is inside, to the last bit, as matching computes degrees. There is one
    exception: if ``not`` stands before ``very`` or ``somewhat``, or with a Gaussian, rounding may swap neighbours of
    an end with a degree within 1e-15 of the end's own (which is 1e-9 below the threshold, the tolerance of matching).

    Thousands of recent results are cached. A new one computes about 20 degrees per sloping side, more if the side is
    curved.

    >>> from rankcast.model import Interval, LeftShoulder
    >>> alpha_cut(Interval(50, 60)).spans
    (Span(low=50.0, high=60.0),)
    >>> [(round(low, 3), round(high, 3)) for low, high in alpha_cut(LeftShoulder(500, 900), (Hedge.VERY,), 0.25).spans]
    [(-inf, 700.0)]
    """
    return cuts_of(mu, hedges, tp, tn).crisp


@lru_cache(maxsize=8192)
def cuts_of(mu: Membership, hedges: tuple[Hedge, ...] = (), tp: float = 0.5, tn: float = 0.0) -> PredicateCuts:
    """The intervals of ``is`` with its thresholds, for crisp and for imprecise values.

    >>> from rankcast.model import Interval, LeftShoulder
    >>> cheap = cuts_of(LeftShoulder(500, 900), (), 0.5, 0.2)
    >>> cheap.admits(outline_of(Interval(600, 750))), cheap.admits(outline_of(Interval(600, 850)))
    (True, False)
    """
    return PredicateCuts(
        crisp=_cut(mu, hedges, max(tp, tn) - _TOLERANCE, closed=False),
        possible=_cut(mu, hedges, tp - _TOLERANCE - _SLACK, closed=True),
        sure=_cut(mu, hedges, tn - _TOLERANCE - _SLACK, closed=True) if tn > 2 * _TOLERANCE else None,
    )


@lru_cache(maxsize=8192)
def outline_of(pi: Membership, hedges: tuple[Hedge, ...] = (), least: float = 0.0) -> ValueOutline:
    """Support and core of an imprecise value, for comparison with `PredicateCuts`.

    Parameters
    ----------
    least
        The lowest possibility threshold of all predicates in question. The support may leave out values below it,
        because none of the predicates can hold there (the support of a Gaussian is otherwise unbounded).
    """
    return ValueOutline(
        support=_cut(pi, hedges, least - _TOLERANCE - _SLACK, closed=True),
        core=_cut(pi, hedges, 1.0, closed=False),
    )


def _cut(mu: Membership, hedges: tuple[Hedge, ...], level: float, *, closed: bool) -> AlphaCut:
    """The values with at least this degree, and above 0.

    With `closed`, the result is slightly larger, so that it contains all such real numbers and not only the floats.
    """
    level = max(level, math.ulp(0.0))
    if isinstance(mu, Table) and isinstance(mu.degrees[0][0], str):
        listing = listing_of(mu, hedges)
        others = listing.rest >= level
        return AlphaCut(
            (), frozenset(text for text, at in listing.degrees.items() if (at >= level) is not others), others
        )
    return AlphaCut(_joined(_spans(curve_of(mu, hedges), level, closed)))


def _spans(curve: Curve, level: float, closed: bool) -> Iterator[Span]:
    breaks = [float(x) for x in curve.breaks]
    for x, at in zip(breaks, curve.breaks, strict=True):
        if curve.value(at) >= level:
            yield Span(x, x)
    for (left, right), piece in zip(pairwise([-math.inf, *breaks, math.inf]), curve.pieces, strict=True):
        stretch = Stretch(piece, curve.hedges, left, right)
        first, last = math.nextafter(left, math.inf), math.nextafter(right, -math.inf)
        if closed:
            yield from (Span(x, x) for x, at in ((left, stretch.start), (right, stretch.end)) if at >= level)
        if first > last:
            continue
        if isinstance(piece, Flat):
            if stretch.start >= level:
                yield Span(left if math.isinf(left) else first, right if math.isinf(right) else last)
            continue
        at_first, at_last = curve.value(first) >= level, curve.value(last) >= level
        if at_first and at_last:
            yield Span(first, last)
        elif at_first or at_last:
            inside, outside = (first, last) if at_first else (last, first)
            end = _border(curve.value, level, inside, outside)
            if closed:
                end = math.nextafter(end, outside)
            yield Span(min(inside, end), max(inside, end))


def _border(degree: Callable[[float], float], level: float, inside: float, outside: float) -> float:
    """The last float that reaches the level between one that does and one that does not.

    Starts with linear interpolation, continues with growing steps, and ends with bisection.
    """
    good, bad = _ordinal(inside), _ordinal(outside)
    high, low = degree(inside), degree(outside)
    guess = _ordinal(outside + (inside / 2 - outside / 2) * 2 * ((level - low) / (high - low)))
    at = min(max(guess, min(good, bad)), max(good, bad))
    step = 1
    while good != at != bad:
        towards = 1 if bad > good else -1
        if degree(_float(at)) >= level:
            good, at = at, at + towards * step
        else:
            bad, at = at, at - towards * step
        step *= 2
        if not min(good, bad) < at < max(good, bad):
            break
    while abs(good - bad) > 1:
        between = (good + bad) // 2
        if degree(_float(between)) >= level:
            good = between
        else:
            bad = between
    return _float(good)


def _ordinal(x: float) -> int:
    """The index of a float among all floats; 0 has index 0."""
    bits: int = struct.unpack("<q", struct.pack("<d", x))[0]
    return bits if bits >= 0 else -(bits & 0x7FFF_FFFF_FFFF_FFFF)


def _float(ordinal: int) -> float:
    """The float at an index."""
    size: float = struct.unpack("<d", struct.pack("<q", abs(ordinal)))[0]
    return size if ordinal >= 0 else -size


def _joined(spans: Iterable[Span]) -> tuple[Span, ...]:
    """The spans in ascending order; spans without a float between them are joined."""
    made: list[Span] = []
    for span in sorted(spans):
        if made and span.low <= math.nextafter(made[-1].high, math.inf):
            made[-1] = Span(made[-1].low, max(made[-1].high, span.high))
        else:
            made.append(span)
    return tuple(made)

"""The extent of a subscription: how much of an advertised space it admits (semantics: Producer-side top-k)."""

import math
from collections.abc import Iterator
from datetime import datetime
from fractions import Fraction
from functools import reduce
from typing import NamedTuple, TypeAlias

from rankcast.cover import NormalForm, normal_form
from rankcast.cover.cells import ANY_TEXT, Cell
from rankcast.cover.conjunctions import Conjunction
from rankcast.cover.line import FULL, Cut, ValueLine
from rankcast.cover.literals import Meaning
from rankcast.cover.strings import StringLine
from rankcast.model import Expression

Bounds: TypeAlias = tuple[float, float]

_NUMBERS, _TIMES = "numbers", "times"


class Extent(NamedTuple):
    """The size of a set in a space with unbounded sides.

    `order` is 0 minus the number of bounded sides, where a point counts twice: an unbounded side is infinitely longer
    than a bounded one (-1), which is infinitely longer than a point (-2). `amount` is the product of the lengths; it
    decides between equal orders.

    >>> Extent(-1, 3.0) > Extent(-2, 400.0)
    True
    """

    order: float
    amount: float


EVERYTHING = Extent(0, 1.0)


class AdvertisedSpace:
    """The space that an advertisement describes: `bounds` of its number and time attributes, and its `extent`.

    For a disjunction it is the hull: an attribute is bounded only if every part bounds it.
    """

    def __init__(self, where: Expression, meaning: Meaning | None = None) -> None:
        parts = normal_form(where, meaning).conjunctions or ({},)
        names = [name for name in parts[0] if isinstance(name, str) and all(name in part for part in parts)]
        self.bounds: dict[tuple[str, str], Bounds] = {}
        for name in names:
            for kind in (_NUMBERS, _TIMES):
                hulls = [_hull(getattr(part[name], kind)) for part in parts]
                if all(_is_of(part[name], kind) for part in parts):
                    self.bounds[name, kind] = min(low for low, _ in hulls), max(high for _, high in hulls)
        order, amount = _of_conjunction({}, self)
        self.extent = Extent(order, float(amount))


def extent(form: NormalForm, space: AdvertisedSpace) -> Extent:
    """How much of the space an expression admits.

    The length of a number attribute is high - low within the bounds of the space; a time attribute is measured in
    seconds. Single values count as points. An attribute that the space bounds counts for every subscription, even if
    the subscription does not name it. For a string or boolean attribute the listed values are counted. Everything
    unbounded is infinite: `x > 5` if the space has no upper bound either, a pattern, `exists`, an unnamed attribute.
    The extent of a disjunction is the sum over its parts, which counts overlaps twice. An expression too large for a
    normal form counts as the whole space.

    If one expression covers another, its extent is never smaller (disjunctions with overlaps aside). The amounts are
    computed exactly on the decimals that were given, so that equal extents are equal numbers.
    """
    if form.conjunctions is None:
        return EVERYTHING
    parts = [_of_conjunction(part, space) for part in form.conjunctions]
    order = max((part.order for part in parts), default=-math.inf)
    return Extent(order, float(sum(part.amount for part in parts if part.order == order)))


class _Size(NamedTuple):
    """An extent with an exact amount."""

    order: float
    amount: Fraction


_EVERYTHING = _Size(0, Fraction(1))
_EMPTY = _Size(-math.inf, Fraction(0))


def _of_conjunction(conjunction: Conjunction, space: AdvertisedSpace) -> _Size:
    sides = [_of_cell(name, cell, space) for name, cell in conjunction.items() if isinstance(name, str)]
    sides += [_of_line(FULL, bounds) for (name, _), bounds in space.bounds.items() if name not in conjunction]
    return reduce(lambda a, b: _Size(a.order + b.order, a.amount * b.amount), sides, _EVERYTHING)


def _of_cell(name: str, cell: Cell, space: AdvertisedSpace) -> _Size:
    for kind in (_NUMBERS, _TIMES):
        if (name, kind) in space.bounds:
            return _of_line(getattr(cell, kind), space.bounds[name, kind])
    if cell.missing:
        return _EVERYTHING
    parts = [_of_line(cell.numbers), _of_line(cell.times)]
    if cell.booleans:
        parts.append(_Size(-1, Fraction(cell.booleans.bit_count())))
    if cell.texts is not None:
        counts = [len(found) for texts in cell.texts.some if (found := literals_of(texts))]
        parts.append(_Size(-1, Fraction(min(counts))) if counts else _EVERYTHING)
    if cell.lists == ANY_TEXT:
        return _EVERYTHING
    if _EVERYTHING in parts:
        return _EVERYTHING
    order = max(part.order for part in parts)
    return _Size(order, sum((part.amount for part in parts if part.order == order), Fraction(0)))


def _of_line(line: ValueLine, bounds: Bounds = (-math.inf, math.inf)) -> _Size:
    length, points = _length(line, bounds)
    if length is None:
        return _EVERYTHING
    if length > 0:
        return _Size(-1, length)
    return _Size(-2, Fraction(points)) if points else _EMPTY


def line_length(line: ValueLine) -> tuple[float, int]:
    """The length of a set of numbers or times (in seconds), and how many single points it has."""
    length, points = _length(line, (-math.inf, math.inf))
    return math.inf if length is None else float(length), points


def _length(line: ValueLine, bounds: Bounds) -> tuple[Fraction | None, int]:
    """The length, exactly, None if it has no end; and the number of single points."""
    length, points = Fraction(0), 0
    is_endless = False
    for start, end in line.pieces():
        low = max(bounds[0], _place(start, -math.inf))
        high = min(bounds[1], _place(end, math.inf))
        if low < high:
            if math.isinf(low) or math.isinf(high):
                is_endless = True
            else:
                length += _exact(high) - _exact(low)
        elif low == high:
            points += 1
    return None if is_endless else length, points


def _exact(number: float) -> Fraction:
    """The number as it was written, such as 1/10 for 0.1, and not as it is stored."""
    return Fraction(repr(number))


def literals_of(texts: StringLine) -> tuple[str, ...]:
    """The strings of a set that lists them; none if it is one of patterns or intervals."""
    if texts.contains or texts.endswith or texts.passing:
        return ()
    found = tuple(_literals(texts.line))
    return () if None in found else tuple(text for text in found if text is not None)


def _literals(line: ValueLine) -> Iterator[str | None]:
    for start, end in line.pieces():
        yield start[0] if start and end and end[0] == start[0] + "\0" else None


def _is_of(cell: Cell, kind: str) -> bool:
    """Whether the attribute is always present and always of this kind."""
    line, other = (cell.numbers, cell.times) if kind == _NUMBERS else (cell.times, cell.numbers)
    others = cell.missing or cell.booleans or cell.texts is not None or cell.lists is not None
    return bool(line) and not (other or others)


def _hull(line: ValueLine) -> Bounds:
    ends = list(line.pieces())
    if not ends:
        return math.inf, -math.inf
    return _place(ends[0][0], -math.inf), _place(ends[-1][1], math.inf)


def _place(cut: Cut | None, otherwise: float) -> float:
    if cut is None:
        return otherwise
    return cut[0].timestamp() if isinstance(cut[0], datetime) else float(cut[0])

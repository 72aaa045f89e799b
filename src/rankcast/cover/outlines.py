"""Outlines: what each attribute may be, in a form in which one is compared with thousands at once."""

from datetime import datetime, timedelta
from enum import IntEnum
from typing import Any, NamedTuple, TypeAlias

from rankcast.cover.cells import ANY, Cell
from rankcast.cover.conjunctions import Conjunction
from rankcast.cover.line import Cut, ValueLine
from rankcast.cover.normal import NormalForm
from rankcast.cover.strings import StringLine
from rankcast.cover.vague import ConceptDegree
from rankcast.model import EPOCH

__all__ = ["NO_GAP", "CoverOutline", "End", "Name", "OutlineShape", "OutlineSpan", "outline_of"]

_MICROSECOND = timedelta(microseconds=1)

End: TypeAlias = tuple[float, int]
"""A cut, as in `ValueLine`, of numbers that floats hold exactly."""
Name: TypeAlias = str | ConceptDegree

_NO_START: End = (-float("inf"), 0)
_NO_END: End = (float("inf"), 0)
NO_GAP: tuple[End, End] = (_NO_END, _NO_START)


class OutlineShape(IntEnum):
    """What a span is."""

    OTHER = 0
    """A cell as it is; `value` says which."""
    NUMBERS = 1
    """Two intervals at most, or what lies in an interval."""
    TIMES = 2
    THESE = 3
    """One of some strings, `texts`."""
    PREFIX = 4
    SUFFIX = 5
    PART = 6
    """A string that contains `texts`."""


class OutlineSpan(NamedTuple):
    """What one attribute may be.

    Of numbers and times: what lies from `low` to `high` and outside of the `gap`. `is_exact` says that it may be all of that;
    else it lies within. `points` are its values, none for infinitely many, None if they are not known. `is_needed` says that whatever the form covers must name
    the attribute too.
    """

    shape: OutlineShape
    low: End = _NO_START
    high: End = _NO_END
    gap: tuple[End, End] = NO_GAP
    is_exact: bool = True
    is_needed: bool = True
    texts: frozenset[str] = frozenset()
    points: frozenset[Any] | None = None
    value: Cell | None = None


class CoverOutline(NamedTuple):
    """The spans of a form: by attribute, and by degree of one to a concept.

    `is_exact` says that the form is just the spans together; else it lies within them.
    """

    spans: dict[Name, OutlineSpan]
    is_exact: bool


def outline_of(form: NormalForm) -> CoverOutline | None:
    """The outline of a form; None for one that matches nothing, or whose conjunctions are too many to list.

    >>> from rankcast.cover import normal_form
    >>> from rankcast.language import parse
    >>> outline_of(normal_form(parse("x >= 1 and x < 5"))).spans["x"][:3]
    (<OutlineShape.NUMBERS: 1>, (1.0, 0), (5.0, 0))
    """
    conjunctions = form.conjunctions
    if not conjunctions:
        return None
    if len(conjunctions) == 1:
        return CoverOutline({name: _span(cell) for name, cell in conjunctions[0].items() if cell != ANY}, is_exact=True)
    shared = set.intersection(*({name for name in one if isinstance(name, str)} for one in conjunctions))
    return CoverOutline({name: _around(conjunctions, name) for name in sorted(shared)}, is_exact=False)


def _around(conjunctions: tuple[Conjunction, ...], name: str) -> OutlineSpan:
    """What an attribute that every conjunction names may be in one of them."""
    spans = [_span(one[name]) for one in conjunctions]
    first = spans[0]
    if any(span.shape is not first.shape for span in spans):
        return OutlineSpan(OutlineShape.OTHER, is_exact=False, is_needed=False)
    if first.shape in (OutlineShape.NUMBERS, OutlineShape.TIMES):
        low, high = min(span.low for span in spans), max(span.high for span in spans)
        return OutlineSpan(first.shape, low, high, is_exact=False)
    if first.shape is OutlineShape.THESE:
        return OutlineSpan(OutlineShape.THESE, texts=frozenset[str]().union(*(span.texts for span in spans)))
    return OutlineSpan(OutlineShape.OTHER, is_exact=False, is_needed=False)


def _span(cell: Cell) -> OutlineSpan:
    if not cell.missing and not cell.booleans:
        if cell.texts is not None and not cell.numbers and not cell.times:
            only = cell.texts.some
            span = _of_texts(only[0]) if len(only) == 1 and not cell.texts.none else None
        else:
            span = None if cell.texts is not None or bool(cell.numbers) == bool(cell.times) else _of_line(cell)
        if span is not None:
            return span
    return OutlineSpan(OutlineShape.OTHER, value=cell)


def _of_line(cell: Cell) -> OutlineSpan | None:
    """Numbers or times; None if floats do not hold their ends exactly."""
    line = cell.times or cell.numbers
    shape = OutlineShape.TIMES if cell.times else OutlineShape.NUMBERS
    pieces = list(line.pieces())
    low = _NO_START if pieces[0][0] is None else _exact(pieces[0][0])
    high = _NO_END if pieces[-1][1] is None else _exact(pieces[-1][1])
    if low is None or high is None:
        return None
    if len(pieces) == 2 and pieces[0][1] is not None and pieces[1][0] is not None:
        leaving, entering = _exact(pieces[0][1]), _exact(pieces[1][0])
        if leaving is None or entering is None:
            return None
        return OutlineSpan(shape, low, high, (leaving, entering), points=_points(line))
    return OutlineSpan(shape, low, high, is_exact=len(pieces) == 1, points=_points(line))


def _points(line: ValueLine) -> frozenset[Any]:
    """The values of a line of single values."""
    if line.below or any(start[0] != end[0] for start, end in zip(line.cuts[::2], line.cuts[1::2], strict=False)):
        return frozenset()
    return frozenset(cut[0] for cut in line.cuts) if len(line.cuts) % 2 == 0 else frozenset()


def _exact(cut: Cut) -> End | None:
    value: Any = cut[0]
    if isinstance(value, datetime):
        value = (value - EPOCH) // _MICROSECOND
    try:
        number = float(value)
    except OverflowError:
        return None
    return (number, cut[1]) if number == value else None


def _of_texts(texts: StringLine) -> OutlineSpan | None:
    """One pattern, or some strings."""
    if texts.passing:
        return None
    if not texts.line:
        literals = texts.contains + texts.endswith
        if len(literals) != 1:
            return None
        return OutlineSpan(OutlineShape.PART if texts.contains else OutlineShape.SUFFIX, texts=frozenset(literals))
    if texts.contains or texts.endswith:
        return None
    pieces = list(texts.line.pieces())
    if all(start is not None and end is not None and end[0] == start[0] + "\0" for start, end in pieces):
        return OutlineSpan(OutlineShape.THESE, texts=frozenset(start[0] for start, _ in pieces if start is not None))
    start = pieces[0][0]
    is_prefix = len(pieces) == 1 and start is not None and StringLine.starting(start[0]) == texts
    return OutlineSpan(OutlineShape.PREFIX, texts=frozenset((start[0],))) if start is not None and is_prefix else None

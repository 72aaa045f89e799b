"""Columns of spans: the spans of many outlines by attribute, compared with one span at a time."""

from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Any

import numpy as np

from rankcast.cover.cells import Cell
from rankcast.cover.outlines import NO_GAP, End, OutlineShape, OutlineSpan

if TYPE_CHECKING:
    from numpy.typing import NDArray

    _Columns = dict[str, NDArray[Any]]

__all__ = ["SpanColumn"]

_FIRST_ROOM = 8
_KINDS: dict[str, type[np.generic]] = {
    "row": np.int64,
    "low": np.float64,
    "high": np.float64,
    "gap_low": np.float64,
    "gap_high": np.float64,
    "shape": np.int8,
    "low_side": np.int8,
    "high_side": np.int8,
    "gap_low_side": np.int8,
    "gap_high_side": np.int8,
    "has_gap": np.bool_,
    "is_exact": np.bool_,
    "is_needed": np.bool_,
}
_LINES = (OutlineShape.NUMBERS, OutlineShape.TIMES)

_PATTERNS = (OutlineShape.PREFIX, OutlineShape.SUFFIX, OutlineShape.PART)

_HOLDS: dict[OutlineShape, Callable[[str, str], bool]] = {
    OutlineShape.PREFIX: lambda literal, text: text.startswith(literal),
    OutlineShape.SUFFIX: lambda literal, text: text.endswith(literal),
    OutlineShape.PART: lambda literal, text: literal in text,
}
_WITHIN: dict[OutlineShape, tuple[OutlineShape, ...]] = {
    OutlineShape.PREFIX: (OutlineShape.THESE, OutlineShape.PREFIX),
    OutlineShape.SUFFIX: (OutlineShape.THESE, OutlineShape.SUFFIX),
    OutlineShape.PART: (OutlineShape.THESE, OutlineShape.PREFIX, OutlineShape.SUFFIX, OutlineShape.PART),
}
"""The shapes that may lie within a pattern, and do iff their literals do."""


class SpanColumn:
    """The spans of the rows that name one attribute: O(rows) memory, and as much time for a comparison.

    Some 10 ns per row of numbers and 100 ns per row of strings.
    """

    def __init__(self) -> None:
        self._place_of: dict[int, int] = {}
        self._spans: _Columns = {name: np.zeros(_FIRST_ROOM, kind) for name, kind in _KINDS.items()}
        self._gaps = 0
        self._inexact = 0
        self._sets: dict[int, frozenset[str]] = {}
        self._literals: dict[OutlineShape, dict[int, str]] = {shape: {} for shape in _PATTERNS}
        self._points: dict[int, frozenset[Any]] = {}
        self._same: dict[Cell, dict[int, None]] = {}

    def __len__(self) -> int:
        return len(self._place_of)

    def put(self, row: int, span: OutlineSpan) -> None:
        """Add the span of a row."""
        place = len(self._place_of)
        if place == len(self._spans["row"]):
            self._spans = {name: np.concatenate((one, np.zeros_like(one))) for name, one in self._spans.items()}
        self._place_of[row] = place
        values = (
            row,
            *(span.low[0], span.high[0], span.gap[0][0], span.gap[1][0]),
            *(span.shape, span.low[1], span.high[1], span.gap[0][1], span.gap[1][1]),
            *(span.gap != NO_GAP, span.is_exact, span.is_needed),
        )
        for column, value in zip(self._spans.values(), values, strict=True):
            column[place] = value
        self._gaps += span.gap != NO_GAP
        self._inexact += not span.is_exact
        if span.shape is OutlineShape.THESE:
            self._sets[row] = span.texts
        elif span.shape in _PATTERNS:
            (self._literals[span.shape][row],) = span.texts
        if span.points is not None:
            self._points[row] = span.points
        if span.value is not None:
            self._same.setdefault(span.value, {})[row] = None

    def remove(self, row: int, span: OutlineSpan) -> None:
        """Take the span of a row out; the last one moves to its place."""
        place = self._place_of.pop(row)
        last = len(self._place_of)
        if place != last:
            self._place_of[int(self._spans["row"][last])] = place
            for column in self._spans.values():
                column[place] = column[last]
        self._gaps -= span.gap != NO_GAP
        self._inexact -= not span.is_exact
        self._points.pop(row, None)
        self._sets.pop(row, None)
        if span.shape in _PATTERNS:
            del self._literals[span.shape][row]
        if span.value is not None:
            del self._same[span.value][row]
            if not self._same[span.value]:
                del self._same[span.value]

    def covering(self, span: OutlineSpan) -> "tuple[NDArray[np.int64], NDArray[np.int64]]":
        """The rows whose span surely contains this one, and those whose need of this attribute it may meet."""
        spans = {name: column[: len(self)] for name, column in self._spans.items()}
        sure = np.zeros(len(self), np.bool_)
        if span.shape is OutlineShape.OTHER:
            self._mark(sure, self._same.get(span.value, ()) if span.value is not None else ())
            return spans["row"][sure], spans["row"][spans["is_needed"]]
        may = spans["shape"] == OutlineShape.OTHER
        if span.shape in _LINES:
            hull = _at_most(spans, "low", span.low) & _at_least(spans, "high", span.high)
            hull &= spans["shape"] == span.shape
            sure = hull & spans["is_exact"] if self._inexact else hull.copy()
            if self._gaps:
                beside = _at_least(spans, "gap_low", span.high) | _at_most(spans, "gap_high", span.low)
                if span.gap != NO_GAP:
                    beside |= _at_least(spans, "gap_low", span.gap[0]) & _at_most(spans, "gap_high", span.gap[1])
                sure &= ~spans["has_gap"] | beside
            undecided = hull & ~sure
            if span.is_exact:
                undecided &= ~spans["is_exact"]
            if span.points is not None and self._inexact:
                for place in np.flatnonzero(undecided & ~spans["is_exact"]).tolist():
                    points = self._points.get(int(spans["row"][place]))
                    if points:
                        sure[place] = bool(span.points) and points >= span.points
                        undecided[place] = False
            may |= sure | undecided
        else:
            if span.shape is OutlineShape.THESE:
                self._mark(sure, [row for row, texts in self._sets.items() if span.texts <= texts])
            for shape in _PATTERNS:
                if span.shape in _WITHIN[shape]:
                    self._mark(sure, _fitting(shape, self._literals[shape], span.texts))
            may |= sure
        return spans["row"][sure], spans["row"][may & spans["is_needed"]]

    def covered(self, span: OutlineSpan) -> "tuple[NDArray[np.int64], NDArray[np.int64]]":
        """The rows whose span this one surely contains, and those whose span it may contain."""
        spans = {name: column[: len(self)] for name, column in self._spans.items()}
        sure = np.zeros(len(self), np.bool_)
        if span.shape is OutlineShape.OTHER:
            self._mark(sure, self._same.get(span.value, ()) if span.value is not None else ())
            return spans["row"][sure], spans["row"]
        may = spans["shape"] == OutlineShape.OTHER
        if span.shape in _LINES:
            hull = _at_least(spans, "low", span.low) & _at_most(spans, "high", span.high)
            hull &= spans["shape"] == span.shape
            sure = hull & span.is_exact
            if span.gap != NO_GAP:
                beside = _at_most(spans, "high", span.gap[0]) | _at_least(spans, "low", span.gap[1])
                gap = _at_most(spans, "gap_low", span.gap[0]) & _at_least(spans, "gap_high", span.gap[1])
                sure &= beside | (spans["has_gap"] & gap)
            undecided = hull & ~sure
            if span.is_exact:
                undecided &= ~spans["is_exact"]
            elif span.points:
                for place in np.flatnonzero(undecided).tolist():
                    points = self._points.get(int(spans["row"][place]))
                    if points is not None:
                        sure[place] = bool(points) and points <= span.points
                        undecided[place] = False
            may |= sure | undecided
        else:
            if span.shape is OutlineShape.THESE:
                self._mark(sure, [row for row, texts in self._sets.items() if texts <= span.texts])
            else:
                (literal,) = span.texts
                holds = _HOLDS[span.shape]
                self._mark(
                    sure, [row for row, texts in self._sets.items() if all(holds(literal, one) for one in texts)]
                )
                for shape in _WITHIN[span.shape]:
                    rows = self._literals.get(shape, {})
                    self._mark(sure, [row for row, text in rows.items() if holds(literal, text)])
            may |= sure
        return spans["row"][sure], spans["row"][may]

    def _mark(self, flags: "NDArray[np.bool_]", rows: Iterable[int]) -> None:
        for row in rows:
            flags[self._place_of[row]] = True


def _at_most(spans: "_Columns", name: str, end: End) -> "NDArray[np.bool_]":
    """Where a cut of the rows does not come after the given one."""
    values = spans[name]
    is_at_most: NDArray[np.bool_] = values <= end[0]
    return is_at_most if end[1] else is_at_most & ((values != end[0]) | (spans[name + "_side"] == 0))


def _at_least(spans: "_Columns", name: str, end: End) -> "NDArray[np.bool_]":
    """Where a cut of the rows does not come before the given one."""
    values = spans[name]
    is_at_least: NDArray[np.bool_] = values >= end[0]
    return is_at_least & ((values != end[0]) | (spans[name + "_side"] == 1)) if end[1] else is_at_least


def _fitting(shape: OutlineShape, rows: dict[int, str], texts: frozenset[str]) -> list[int]:
    """Rows whose pattern all of the texts fit."""
    first = next(iter(texts))
    if shape is OutlineShape.PREFIX:
        found = [row for row, literal in rows.items() if first.startswith(literal)]
    elif shape is OutlineShape.SUFFIX:
        found = [row for row, literal in rows.items() if first.endswith(literal)]
    else:
        found = [row for row, literal in rows.items() if literal in first]
    holds = _HOLDS[shape]
    return found if len(texts) == 1 else [row for row in found if all(holds(rows[row], text) for text in texts)]

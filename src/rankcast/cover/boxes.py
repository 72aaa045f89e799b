"""Boxes: subscriptions with one interval per attribute, stored as columns of numbers to compare many at once."""

import math
from collections.abc import Mapping
from datetime import datetime, timedelta
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

from rankcast.cover.cells import Cell
from rankcast.cover.line import Cut, ValueLine
from rankcast.cover.normal import NormalForm
from rankcast.model import EPOCH, Event, is_list

if TYPE_CHECKING:
    from numpy.typing import NDArray

Interval: TypeAlias = tuple[float, float]
Box: TypeAlias = Mapping[str, Interval]
"""The closed interval of each bounded attribute. Time intervals have a separate column name."""

ANYTHING: Interval = (-math.inf, math.inf)
"""The interval of an attribute that a box does not name. The attribute may even be missing, so this interval covers
all others and no named interval covers it."""

_LARGEST = float(np.finfo(np.float64).max)
_EXACT = 2**53
_MICROSECOND = timedelta(microseconds=1)


def box_of(form: NormalForm) -> Box | None:
    """The expression as a box; None if it is not a conjunction of one interval per attribute.

    An open bound becomes the next float, which no event can distinguish. Numbers that floats cannot represent exactly
    (beyond 2^53), strings, booleans, concepts, `exists` and `!=` cannot be boxes.

    >>> from rankcast.cover import normal_form
    >>> from rankcast.language import parse
    >>> box_of(normal_form(parse("x >= 1 and x <= 5 and y between 2 and 3")))
    {'x': (1.0, 5.0), 'y': (2.0, 3.0)}
    >>> box_of(normal_form(parse("p = 'a'"))) is None
    True
    """
    if form.conjunctions is None or len(form.conjunctions) != 1:
        return None
    box: dict[str, Interval] = {}
    for name, cell in form.conjunctions[0].items():
        if not isinstance(name, str):
            return None
        line = _only_line(cell)
        interval = _interval(line) if line is not None else None
        if interval is None:
            return None
        box[column(name, "time" if cell.times else "")] = interval
    return box


def point_of(event: Event) -> Box | None:
    """The numbers and times of a crisp event as a box without extent.

    A box matches the event if and only if it covers this box.

    None for an event with imprecise values or with a number that a float cannot represent exactly.
    """
    point: dict[str, Interval] = {}
    for name, values in event.attributes.items():
        if not isinstance(values, tuple):
            return None
        if isinstance(values[0], bool | str) or is_list(values):  # no box asks for a list
            continue
        value = _value((values[0], 0))
        if value is None:
            return None
        point[column(name, "time" if isinstance(values[0], datetime) else "")] = value, value
    return point


def column(name: str, kind: str) -> str:
    """The name of an attribute's column in boxes; kinds other than numbers have separate columns."""
    return f"{name}\0{kind}" if kind else name


def hull(line: ValueLine) -> Interval | None:
    """The smallest interval around a set of numbers or times; None if floats cannot represent its bounds exactly.

    >>> hull(ValueLine.points([1, 2, 7]))
    (1.0, 7.0)
    """
    pieces = list(line.pieces())
    return _between(pieces[0][0], pieces[-1][1])


def _only_line(cell: Cell) -> ValueLine | None:
    if cell.missing or cell.booleans or cell.texts is not None or cell.lists is not None:
        return None
    lines = [line for line in (cell.numbers, cell.times) if line]
    return lines[0] if len(lines) == 1 else None


def _interval(line: ValueLine) -> Interval | None:
    pieces = list(line.pieces())
    if len(pieces) != 1:
        return None
    return _between(*pieces[0])


def _between(start: Cut | None, end: Cut | None) -> Interval | None:
    low = -_LARGEST if start is None else _value(start)
    high = _LARGEST if end is None else _value(end)
    if low is None or high is None:
        return None
    if start is not None and start[1]:
        low = math.nextafter(low, math.inf)
    if end is not None and not end[1]:
        high = math.nextafter(high, -math.inf)
    return low, high


def _value(cut: Cut) -> float | None:
    value: Any = cut[0]
    if isinstance(value, datetime):
        value = (value - EPOCH) // _MICROSECOND
    if isinstance(value, int) and abs(value) > _EXACT:
        return None
    return float(value)


class Boxes:
    """A growing list of boxes, compared with one box at a time: O(boxes * attributes), in numpy.

    >>> boxes = Boxes(["x"])
    >>> boxes.append({"x": (1, 5)}), boxes.append({"x": (2, 3)}), boxes.append({})
    (0, 1, 2)
    >>> boxes.covering({"x": (2, 4)}).tolist(), boxes.covered({"x": (2, 4)}).tolist()
    ([True, False, True], [False, True, False])
    """

    def __init__(self, attributes: "list[str]") -> None:
        self._columns = {name: number for number, name in enumerate(attributes)}
        self._lows = np.full((len(attributes), 64), -math.inf)
        self._highs = np.full((len(attributes), 64), math.inf)
        self._size = 0

    def __len__(self) -> int:
        return self._size

    def append(self, box: Box) -> int:
        """Add a box and return its index."""
        if self._size == self._lows.shape[1]:
            self._lows = np.hstack([self._lows, np.full_like(self._lows, -math.inf)])
            self._highs = np.hstack([self._highs, np.full_like(self._highs, math.inf)])
        place = self._size
        self._size += 1
        for name, (low, high) in box.items():
            if name not in self._columns:
                self._add_column(name)
            self._lows[self._columns[name], place] = low
            self._highs[self._columns[name], place] = high
        return place

    def covering(self, box: Box) -> "NDArray[np.bool_]":
        """For each box of the list, whether it covers this one."""
        mask = np.ones(self._size, np.bool_)
        for name, number in self._columns.items():
            low, high = box.get(name, ANYTHING)
            mask &= self._lows[number, : self._size] <= low
            mask &= self._highs[number, : self._size] >= high
        return mask

    def covered(self, box: Box) -> "NDArray[np.bool_]":
        """For each box of the list, whether this one covers it."""
        mask = np.ones(self._size, np.bool_)
        for name, (low, high) in box.items():
            if name not in self._columns:
                return np.zeros(self._size, np.bool_)
            mask &= self._lows[self._columns[name], : self._size] >= low
            mask &= self._highs[self._columns[name], : self._size] <= high
        return mask

    def _add_column(self, name: str) -> None:
        self._columns[name] = len(self._columns)
        row = np.full((1, self._lows.shape[1]), math.inf)
        self._lows = np.vstack([self._lows, -row])
        self._highs = np.vstack([self._highs, row])

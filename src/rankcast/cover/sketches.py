"""Sketches: necessary conditions for covering, as boxes, to find the few pairs that are worth comparing."""

from hashlib import blake2b
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from rankcast.cover.boxes import Box, Boxes, Interval, column, hull
from rankcast.cover.cells import StringRequirement
from rankcast.cover.normal import NormalForm

if TYPE_CHECKING:
    from numpy.typing import NDArray

_LARGEST = float(np.finfo(np.float64).max)
_WIDEST: Interval = (-_LARGEST, _LARGEST)
_NARROWEST: Interval = (_LARGEST, -_LARGEST)
"""An interval that every interval contains."""


class Sketch(NamedTuple):
    """If one expression covers another, the `outer` box of the first covers the `inner` box of the second.

    `inner` None is covered by everything.
    """

    outer: Box
    inner: Box | None


def sketch_of(form: NormalForm) -> Sketch:
    """The sketch of an expression.

    It holds the hulls of numbers and times, single string literals as numbers, and for other constraints only that
    they exist. A disjunction gives no information.

    >>> from rankcast.cover import normal_form
    >>> from rankcast.language import parse
    >>> sketch_of(normal_form(parse("x in (1, 2, 7) and x exists"))).outer
    {'x': (1.0, 7.0)}
    """
    if form.conjunctions is None or len(form.conjunctions) != 1:
        return Sketch({}, None)
    outer: dict[str, Interval] = {}
    inner: dict[str, Interval] = {}
    for name, cell in form.conjunctions[0].items():
        if not isinstance(name, str):
            continue
        kinds = [bool(cell.numbers), bool(cell.times), cell.texts is not None]
        if cell.missing or cell.booleans or cell.lists is not None or sum(kinds) != 1:
            inner |= {column(name, kind): _NARROWEST for kind in ("", "time", "text")}
        elif cell.texts is not None:
            code = _code(cell.texts)
            outer[column(name, "text")] = code or _WIDEST
            inner[column(name, "text")] = code or _NARROWEST
        else:
            kind = "time" if cell.times else ""
            around = hull(cell.times or cell.numbers)
            outer[column(name, kind)] = around or _WIDEST
            inner[column(name, kind)] = around or _NARROWEST
    return Sketch(outer, inner)


class Sketches:
    """A growing list of sketches; finds the expressions that may cover another."""

    def __init__(self) -> None:
        self._boxes = Boxes([])

    def append(self, sketch: Sketch) -> None:
        """Add a sketch."""
        self._boxes.append(sketch.outer)

    def covering(self, sketch: Sketch) -> "NDArray[np.bool_]":
        """For each sketch of the list, whether it may cover this one. A False is certain."""
        if sketch.inner is None:
            return np.ones(len(self._boxes), np.bool_)
        return self._boxes.covering(sketch.inner)


def _code(texts: StringRequirement) -> Interval | None:
    """A number for the one required literal, if nothing else is required of the strings."""
    if texts.none or len(texts.some) != 1:
        return None
    only = texts.some[0]
    if only.contains or only.endswith or only.passing:
        return None
    ends = list(only.line.pieces())
    if len(ends) != 1 or ends[0][0] is None or ends[0][1] is None or ends[0][1][0] != ends[0][0][0] + "\0":
        return None
    number = float(int.from_bytes(blake2b(ends[0][0][0].encode(), digest_size=6).digest()))
    return number, number

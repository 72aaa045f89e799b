"""Literals: a predicate, or its negation, as cells."""

from collections.abc import Callable
from typing import TypeAlias

from rankcast.cover.cells import ANY, ANY_TEXT, BOTH, FALSE, TRUE, Cell, Some
from rankcast.cover.line import FULL, Line
from rankcast.cover.strings import ALL, Texts
from rankcast.cover.vague import Degree, degree_of, exact_cut, holding, not_holding
from rankcast.model import (
    Between,
    Compare,
    Exists,
    Is,
    Kind,
    Membership,
    OneOf,
    Op,
    Predicate,
    Scalar,
    Term,
    Thresholds,
    kind_of,
)

__all__ = ["Conjunction", "Meaning", "asserted", "denied", "implied"]

Meaning: TypeAlias = Callable[[str, Term], Membership]
"""The membership function of an attribute's concept, hedges not applied."""

Conjunction: TypeAlias = dict["str | Degree", Cell]
"""What each attribute must be; one that is not named may be anything."""

_EXISTS = Cell(False, FULL, FULL, TRUE | FALSE | BOTH, ANY_TEXT)


def asserted(predicate: Predicate, meaning: Meaning | None) -> Conjunction | None:
    """The events on which the predicate holds; None if there are none."""
    attribute = predicate.attribute
    if isinstance(predicate.test, Is):
        degree, level = _degree(predicate, predicate.test, meaning)
        cell = exact_cut(degree, level)
        if cell is not None:
            return {attribute: cell} if cell else None
        possible = holding(degree, level)
        return {attribute: possible, degree: Cell(numbers=_reaching(level))} if possible else None
    cell = _passing(predicate.test)
    return {attribute: cell} if cell else None


def denied(predicate: Predicate, meaning: Meaning | None) -> list[Conjunction]:
    """The events on which the predicate does not hold."""
    attribute = predicate.attribute
    if isinstance(predicate.test, Is):
        degree, level = _degree(predicate, predicate.test, meaning)
        cell = exact_cut(degree, level)
        if cell is None:
            return [{attribute: not_holding(degree, level), degree: Cell(numbers=~_reaching(level))}]
    else:
        cell = _passing(predicate.test)
    return [{attribute: outside} for outside in cell.outside()]


def implied(degree: Degree, levels: Line) -> Cell:
    """A cell of `degree.attribute` that has every state whose degree lies among the levels."""
    cell = ANY
    if levels.cuts and not levels.below:
        cell = holding(degree, levels.cuts[0][0])
    if levels.cuts and levels.below == (len(levels.cuts) % 2 == 1):
        cell &= not_holding(degree, levels.cuts[-1][0])
    return cell


def _degree(predicate: Predicate, test: Is, meaning: Meaning | None) -> tuple[Degree, float]:
    thresholds = predicate.thresholds or Thresholds()
    membership = None if meaning is None else meaning(predicate.attribute, test.term)
    return (
        degree_of(predicate.attribute, test.term, membership),
        max(thresholds.possibility, thresholds.necessity),
    )


def _reaching(level: float) -> Line:
    return Line.above((level, 0) if level > 0 else (0.0, 1))


def _passing(test: Compare | OneOf | Between | Exists) -> Cell:
    """The states with some value that passes the test."""
    match test:
        case Exists():
            return _EXISTS
        case Compare(op, value):
            return _compared(op, value)
        case Between(str() as low, str() as high):
            return _texts(Texts.interval(low, high + "\0"))
        case Between(low, high):
            return _lined(low, Line.between((low, 0), (high, 1)))
        case OneOf(values):
            cell = Cell()
            for value in values:
                cell = cell.union(_compared(Op.EQ, value)) or cell
            return cell


def _compared(op: Op, value: Scalar) -> Cell:
    if isinstance(value, str):
        return _texts(_TEXTS[op](value))
    if isinstance(value, bool):
        wanted = value is (op is Op.EQ)
        return Cell(booleans=BOTH | (TRUE if wanted else FALSE))
    return _lined(value, _LINES[op](value))


_TEXTS: dict[Op, Callable[[str], Texts]] = {
    Op.EQ: lambda value: Texts.these([value]),
    Op.NE: lambda value: ~Texts.these([value]),
    Op.LT: lambda value: Texts.interval("", value),
    Op.LE: lambda value: Texts.interval("", value + "\0"),
    Op.GT: lambda value: Texts.interval(value + "\0", None),
    Op.GE: lambda value: Texts.interval(value, None),
    Op.CONTAINS: Texts.containing,
    Op.STARTSWITH: Texts.starting,
    Op.ENDSWITH: Texts.ending,
}
_LINES: dict[Op, Callable[[Scalar], Line]] = {
    Op.EQ: lambda value: Line.points([value]),
    Op.NE: lambda value: ~Line.points([value]),
    Op.LT: lambda value: ~Line.above((value, 0)),
    Op.LE: lambda value: ~Line.above((value, 1)),
    Op.GT: lambda value: Line.above((value, 1)),
    Op.GE: lambda value: Line.above((value, 0)),
}


def _texts(texts: Texts) -> Cell:
    if texts == ALL:
        return Cell(texts=ANY_TEXT)
    return Cell(texts=Some((texts,))) if texts else Cell()


def _lined(value: Scalar, line: Line) -> Cell:
    return Cell(times=line) if kind_of(value) is Kind.TIME else Cell(numbers=line)

"""Literals: a predicate, or its negation, as cells."""

from collections.abc import Callable
from datetime import datetime
from fractions import Fraction
from typing import TypeAlias

from rankcast import model
from rankcast.cover.cells import ANY, ANY_TEXT, BOTH, FALSE, TRUE, Cell, StringRequirement
from rankcast.cover.conjunctions import EVERYTHING, Conjunction
from rankcast.cover.line import FULL, ValueLine
from rankcast.cover.strings import ALL, StringLine
from rankcast.cover.vague import ConceptDegree, exact_cut, holding, not_holding

Meaning: TypeAlias = Callable[[str, model.Term], model.Membership]
"""The membership function of a concept on an attribute, without hedges."""

_EXISTS = Cell(False, FULL, FULL, TRUE | FALSE | BOTH, ANY_TEXT, ANY_TEXT)


def asserted(predicate: model.Predicate, meaning: Meaning | None) -> list[Conjunction]:
    """The events for which the predicate holds, as conjunctions of which at least one must match."""
    if isinstance(predicate.test, model.Is):
        degree, level = _degree(predicate, predicate.test, meaning)
        cell = exact_cut(degree, level)
        if cell is None:
            possible = holding(degree, level)
            return [{predicate.attribute: possible, degree: Cell(numbers=_reaching(level))}] if possible else []
    else:
        cell = _passing(predicate.test)
    return [{predicate.attribute: cell}] if cell else []


def denied(predicate: model.Predicate, meaning: Meaning | None) -> list[Conjunction]:
    """The events for which the predicate does not hold, as conjunctions of which at least one must match."""
    if isinstance(predicate.test, model.Is):
        degree, level = _degree(predicate, predicate.test, meaning)
        cell = exact_cut(degree, level)
        if cell is None:
            return [{predicate.attribute: not_holding(degree, level), degree: Cell(numbers=~_reaching(level))}]
    else:
        cell = _passing(predicate.test)
    return [{predicate.attribute: outside} if outside != ANY else EVERYTHING for outside in cell.outside()]


def _degree(predicate: model.Predicate, test: model.Is, meaning: Meaning | None) -> tuple[ConceptDegree, float]:
    thresholds = predicate.thresholds or model.Thresholds()
    membership = None if meaning is None else meaning(predicate.attribute, test.term)
    return (
        ConceptDegree(predicate.attribute, test.term.hedges, test.term.concept if membership is None else membership),
        max(thresholds.possibility, thresholds.necessity),
    )


def _reaching(level: float) -> ValueLine:
    return ValueLine.above((level, 0) if level > 0 else (0.0, 1))


def _passing(test: model.Compare | model.OneOf | model.Between | model.Exists) -> Cell:
    """The states in which some value passes the test."""
    match test:
        case model.Exists():
            return _EXISTS
        case model.Compare(op, value):
            return _compared(op, value)
        case model.Between(str() as low, str() as high):
            return _texts(StringLine.interval(low, high + "\0"))
        case model.Between(low, high):
            return _lined(low, ValueLine.between((low, 0), (high, 1)))
        case model.OneOf(values):
            cell = Cell()
            for value in values:
                cell = cell.union(_compared(model.Op.EQ, value)) or cell
            return cell


def _compared(op: model.Op, value: model.Scalar) -> Cell:
    if isinstance(value, str):
        return _texts(_compared_texts(op, value))
    if op is model.Op.CONTAINS and not isinstance(value, bool):
        member = StringRequirement((StringLine.these([member_name(value)]),))
        return _compared(model.Op.EQ, value)._replace(lists=member)
    if op.sides is None:
        raise TypeError(f"{op.value} does not take {value!r}")
    if isinstance(value, bool):
        return Cell(booleans=BOTH | (TRUE if value is op.sides.at else FALSE))
    return _lined(value, _line(op.sides, value))


PATTERNS: dict[model.Op, Callable[[str], StringLine]] = {
    model.Op.CONTAINS: StringLine.containing,
    model.Op.STARTSWITH: StringLine.starting,
    model.Op.ENDSWITH: StringLine.ending,
}
"""The operators, besides comparisons, for which covering can do more than compare equal predicates."""


def _compared_texts(op: model.Op, value: str) -> StringLine:
    if op.sides is None:
        pattern = PATTERNS.get(op)
        return StringLine.those_passing(op, value) if pattern is None else pattern(value)
    below, at, above = op.sides
    # There is nothing below the empty string. The successor of a string is the string with a zero character appended.
    cuts = (((value, 0),) if value and below != at else ()) + (((value + "\0", 0),) if at != above else ())
    return StringLine(ValueLine(below if value else at, cuts))


def _line(sides: model.Sides, value: model.Scalar) -> ValueLine:
    below, at, above = sides
    return ValueLine(below, (((value, 0),) if below != at else ()) + (((value, 1),) if at != above else ()))


def _texts(texts: StringLine) -> Cell:
    if texts == ALL:
        return Cell(texts=ANY_TEXT)
    return Cell(texts=StringRequirement((texts,))) if texts else Cell()


def member_name(value: model.Scalar) -> str:
    """A string that stands for a number or time as the member of a list; equal values have equal names.

    >>> member_name(5) == member_name(5.0), member_name(0.5)
    (True, 'number 1/2')
    """
    return f"time {value.isoformat()}" if isinstance(value, datetime) else f"number {Fraction(value)}"


def _lined(value: model.Scalar, line: ValueLine) -> Cell:
    return Cell(times=line) if model.kind_of(value) is model.Kind.TIME else Cell(numbers=line)

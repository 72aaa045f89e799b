"""Weights: an upper bound for the size of an expression's normal form, without computing it."""

from typing import NamedTuple

from rankcast.cover.literals import Meaning
from rankcast.model import (
    Always,
    And,
    Between,
    Compare,
    Exists,
    Expression,
    Gaussian,
    Is,
    Not,
    OneOf,
    Or,
    Predicate,
    Scalar,
    Table,
)

_MOST = 10**9
_DEEPEST = 128
_CHARACTERS = 8
"""This many characters of a string weigh as much as a number."""
_UNKNOWN = 8


class ExpressionWeight(NamedTuple):
    """The most conjunctions that a normal form can have, and the total number of their constants."""

    conjunctions: int
    constants: int


def weight_of(expression: Expression, meaning: Meaning | None = None, depth: int = 0) -> ExpressionWeight:
    """The weight of an expression: O(predicates).

    >>> from rankcast.language import parse
    >>> weight_of(parse("(x > 1 or y > 1) and (x < 9 or y < 9)"))
    ExpressionWeight(conjunctions=4, constants=8)
    """
    return _weight(expression, True, meaning, depth)


def _weight(expression: Expression, holds: bool, meaning: Meaning | None, depth: int) -> ExpressionWeight:
    if depth > _DEEPEST:
        return ExpressionWeight(_MOST, _MOST)
    match expression:
        case Always():
            return ExpressionWeight(1, 1) if holds else ExpressionWeight(0, 0)
        case Not(part):
            return _weight(part, not holds, meaning, depth + 1)
        case Predicate():
            return ExpressionWeight(1, _constants(expression, meaning))
        case And(parts) | Or(parts):
            conjunctions, constants = (0, 0) if isinstance(expression, Or) is holds else (1, 0)
            for part in parts:
                more = _weight(part, holds, meaning, depth + 1)
                if isinstance(expression, Or) is holds:
                    conjunctions, constants = conjunctions + more.conjunctions, constants + more.constants
                else:
                    constants = constants * more.conjunctions + conjunctions * more.constants
                    conjunctions *= more.conjunctions
                conjunctions, constants = min(conjunctions, _MOST), min(constants, _MOST)
            return ExpressionWeight(conjunctions, constants)


def _constants(predicate: Predicate, meaning: Meaning | None) -> int:
    match predicate.test:
        case Compare(_, value):
            return _size(value)
        case Between(low, high):
            return _size(low) + _size(high)
        case OneOf(values):
            return sum(map(_size, values))
        case Is(term):
            if meaning is None:
                return _UNKNOWN
            membership = meaning(predicate.attribute, term)
            if isinstance(membership, Table):
                return sum(_size(value) for value, _ in membership.degrees)
            return _UNKNOWN if isinstance(membership, Gaussian) else 2 * len(membership.points())
        case Exists():
            return 1


def _size(value: Scalar) -> int:
    return 1 + len(value) // _CHARACTERS if isinstance(value, str) else 1

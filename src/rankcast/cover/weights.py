"""Weights: an upper bound for the size of an expression's normal form, without computing it."""

from typing import NamedTuple

from rankcast import model
from rankcast.cover.literals import Meaning

_MOST = 10**9
_DEEPEST = 128
_CHARACTERS = 8
"""This many characters of a string weigh as much as a number."""
_UNKNOWN = 8


class ExpressionWeight(NamedTuple):
    """The most conjunctions that a normal form can have, and the total number of their constants."""

    conjunctions: int
    constants: int


def weight_of(expression: model.Expression, meaning: Meaning | None = None, depth: int = 0) -> ExpressionWeight:
    """The weight of an expression: O(predicates).

    >>> from rankcast.language import parse
    >>> weight_of(parse("(x > 1 or y > 1) and (x < 9 or y < 9)"))
    ExpressionWeight(conjunctions=4, constants=8)
    """
    return _weight(expression, True, meaning, depth)


def _weight(expression: model.Expression, holds: bool, meaning: Meaning | None, depth: int) -> ExpressionWeight:
    if depth > _DEEPEST:
        return ExpressionWeight(_MOST, _MOST)
    match expression:
        case model.Always():
            return ExpressionWeight(1, 1) if holds else ExpressionWeight(0, 0)
        case model.Not(part):
            return _weight(part, not holds, meaning, depth + 1)
        case model.Predicate():
            return ExpressionWeight(1, _constants(expression, meaning))
        case model.And(parts) | model.Or(parts):
            conjunctions, constants = (0, 0) if isinstance(expression, model.Or) is holds else (1, 0)
            for part in parts:
                more = _weight(part, holds, meaning, depth + 1)
                if isinstance(expression, model.Or) is holds:
                    conjunctions, constants = conjunctions + more.conjunctions, constants + more.constants
                else:
                    constants = constants * more.conjunctions + conjunctions * more.constants
                    conjunctions *= more.conjunctions
                conjunctions, constants = min(conjunctions, _MOST), min(constants, _MOST)
            return ExpressionWeight(conjunctions, constants)


def _constants(predicate: model.Predicate, meaning: Meaning | None) -> int:
    match predicate.test:
        case model.Compare(_, value):
            return _size(value)
        case model.Between(low, high):
            return _size(low) + _size(high)
        case model.OneOf(values):
            return sum(map(_size, values))
        case model.Is(term):
            if meaning is None:
                return _UNKNOWN
            membership = meaning(predicate.attribute, term)
            if isinstance(membership, model.Table):
                return sum(_size(value) for value, _ in membership.degrees)
            return _UNKNOWN if isinstance(membership, model.Gaussian) else 2 * len(membership.points())
        case model.Exists():
            return 1


def _size(value: model.Scalar) -> int:
    return 1 + len(value) // _CHARACTERS if isinstance(value, str) else 1

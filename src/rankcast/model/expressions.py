"""Boolean expressions over predicates: what a subscription or an advertisement asks for.

`Attitude` names thresholds for their vague predicates: who fears to miss a match, and who wants to be sure (A-ToPSS,
section 4).
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from enum import Enum
from typing import TypeAlias, assert_never

from rankcast.errors import ModelError
from rankcast.model.predicates import Is, Predicate, Thresholds


@dataclass(frozen=True, slots=True)
class Always:
    """Holds for every event; written ``true``."""


@dataclass(frozen=True, slots=True)
class And:
    """Holds if and only if all parts hold."""

    parts: tuple["Expression", ...]

    def __post_init__(self) -> None:
        if len(self.parts) < 2:
            raise ModelError("'and' joins at least two parts")


@dataclass(frozen=True, slots=True)
class Or:
    """Holds if and only if at least one part holds."""

    parts: tuple["Expression", ...]

    def __post_init__(self) -> None:
        if len(self.parts) < 2:
            raise ModelError("'or' joins at least two parts")


@dataclass(frozen=True, slots=True)
class Not:
    """Holds if and only if the part does not hold. It therefore also holds if the attribute is missing."""

    part: "Expression"


Expression: TypeAlias = "Always | And | Or | Not | Predicate"


def predicates_of(expression: Expression) -> Iterator[Predicate]:
    """All predicates, from left to right, without recursion."""
    pending = [expression]
    while pending:
        match pending.pop():
            case Predicate() as predicate:
                yield predicate
            case And(parts) | Or(parts):
                pending.extend(reversed(parts))
            case Not(part):
                pending.append(part)
            case Always():
                pass


_DEFAULT = Thresholds()


class Attitude(Enum):
    """A word for thresholds of possibility and necessity (semantics: Attitudes)."""

    thresholds: Thresholds

    def __new__(cls, word: str, thresholds: Thresholds = _DEFAULT) -> "Attitude":
        """Create a member with the word alone as its value."""
        made = object.__new__(cls)
        made._value_, made.thresholds = word, thresholds
        return made

    OPTIMISTIC = "optimistic", Thresholds(0.5, 0.0)
    """Fears to miss a match: it must be possible."""
    INDIFFERENT = "indifferent", Thresholds(0.75, 0.25)
    """In between: rather possible, and a little certain."""
    PESSIMISTIC = "pessimistic", Thresholds(0.5, 0.5)
    """Fears a wrong match: it must be as certain as not."""


def with_attitude(where: Expression, thresholds: Thresholds, everywhere: bool = False) -> Expression:
    """The expression with these thresholds for its vague predicates without any; `everywhere`: for all predicates.

    >>> from rankcast.language import parse, show
    >>> show(with_attitude(parse("price is cheap and size is small [1, 0]"), Attitude.PESSIMISTIC.thresholds))
    'price is cheap [0.5, 0.5] and size is small [1, 0]'
    """
    match where:
        case Predicate():
            is_open = isinstance(where.test, Is) and where.thresholds is None
            return replace(where, thresholds=thresholds) if is_open or everywhere else where
        case And(parts) | Or(parts):
            return type(where)(tuple(with_attitude(part, thresholds, everywhere) for part in parts))
        case Not(part):
            return Not(with_attitude(part, thresholds, everywhere))
        case Always():
            return where
        case _:
            assert_never(where)

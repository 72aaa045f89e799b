"""Boolean expressions over predicates: what a subscription or an advertisement asks for."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TypeAlias

from rankcast.errors import ModelError
from rankcast.model.predicates import Predicate


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

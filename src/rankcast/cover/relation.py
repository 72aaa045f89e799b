"""The relation between two subscriptions (SPEC 1)."""

from enum import Enum

from rankcast.cover.literals import Meaning
from rankcast.cover.normal import normal_form
from rankcast.model import Expression

__all__ = ["Relation", "covers", "relate"]


class Relation(Enum):
    """What the events of a first expression are to those of a second."""

    EQUAL = "EQUAL"
    COVERS = "COVERS"
    COVERED = "COVERED"
    OVERLAPS = "OVERLAPS"
    DISJOINT = "DISJOINT"

    @property
    def inverse(self) -> "Relation":
        """The relation of the second to the first."""
        if self is Relation.COVERS:
            return Relation.COVERED
        return Relation.COVERS if self is Relation.COVERED else self


def relate(a: Expression, b: Expression, meaning: Meaning | None = None) -> Relation:
    """The relation of `a` to `b`."""
    first, second = normal_form(a, meaning), normal_form(b, meaning)
    covering, covered = first.covers(second), second.covers(first)
    if covering:
        return Relation.EQUAL if covered else Relation.COVERS
    if covered:
        return Relation.COVERED
    return Relation.DISJOINT if first.disjoint(second) else Relation.OVERLAPS


def covers(a: Expression, b: Expression, meaning: Meaning | None = None) -> bool:
    """Whether every event that matches `b` matches `a`."""
    return normal_form(a, meaning).covers(normal_form(b, meaning))

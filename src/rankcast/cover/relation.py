"""The relation between two subscriptions (semantics: Events and subscriptions)."""

from enum import Enum

from rankcast.cover.literals import Meaning
from rankcast.cover.normal import normal_form
from rankcast.model import Expression

__all__ = ["Relation", "covers", "relate"]


class Relation(Enum):
    """What a first expression is to a second, by the events that match them."""

    EQUAL = "EQUAL"
    COVERS = "COVERS"
    COVERED = "COVERED"
    OVERLAPS = "OVERLAPS"
    DISJOINT = "DISJOINT"

    @property
    def inverse(self) -> "Relation":
        """What the second is to the first.

        >>> Relation.COVERS.inverse
        <Relation.COVERED: 'COVERED'>
        """
        if self is Relation.COVERS:
            return Relation.COVERED
        return Relation.COVERS if self is Relation.COVERED else self


def relate(a: Expression, b: Expression, meaning: Meaning | None = None) -> Relation:
    """What `a` is to `b`: EQUAL, COVERS, COVERED, DISJOINT, or OVERLAPS where none of these is certain.

    The relation is that of the *crisp* events that match. Numbers and times are single-valued there, so
    ``x >= 1 and x <= 5`` equals ``x between 1 and 5`` (semantics: Events and subscriptions), though an event that says "x is 0 or 6, either is fully
    possible" passes both halves of the first and not the second. Thresholds matter to ``is`` only.

    Sound: no crisp event breaks what is claimed. Complete for conjunctions, and for ``and``, ``or`` and ``not`` of any
    form up to bounds: 256 conjunctions in the normal form, ten thousand comparisons to find that a
    disjunction covers only as a whole. Beyond them less is claimed: in the end, only equal expressions are EQUAL. What nothing can match
    is covered by everything, and EQUAL to its like. About 10 microseconds for two conjunctions of a few predicates.

    Parameters
    ----------
    a, b
        The expressions; both speak of the same concepts.
    meaning
        The membership function of an attribute's concept, hedges not applied. Without it, ``is`` compares only with
        ``is`` of the same term: the higher threshold is covered by the lower.

    Examples
    --------
    >>> from rankcast.language import parse
    >>> relate(parse("x = 1 or x = 2"), parse("x in (1, 2)"))
    <Relation.EQUAL: 'EQUAL'>
    >>> relate(parse("genre = 'drama'"), parse("genre = 'drama' and year > 1999"))
    <Relation.COVERS: 'COVERS'>
    >>> relate(parse("genre = 'drama'"), parse("genre = 'comedy'"))
    <Relation.OVERLAPS: 'OVERLAPS'>
    """
    first, second = normal_form(a, meaning), normal_form(b, meaning)
    covering, covered = first.covers(second), second.covers(first)
    if covering:
        return Relation.EQUAL if covered else Relation.COVERS
    if covered:
        return Relation.COVERED
    return Relation.DISJOINT if first.disjoint(second) else Relation.OVERLAPS


def covers(a: Expression, b: Expression, meaning: Meaning | None = None) -> bool:
    """Whether every crisp event that matches `b` matches `a`; as `relate`, sound, and complete up to its bounds.

    >>> from rankcast.language import parse
    >>> covers(parse("title contains 'b'"), parse("title endswith 'ab'"))
    True
    """
    return normal_form(a, meaning).covers(normal_form(b, meaning))

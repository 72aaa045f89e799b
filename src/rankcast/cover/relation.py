"""The relation between two subscriptions (semantics: Events and subscriptions)."""

from enum import Enum

from rankcast.cover.literals import Meaning
from rankcast.cover.normal import normal_form
from rankcast.model import Expression


class Relation(Enum):
    """How a first expression relates to a second, by the events that match them."""

    EQUAL = "EQUAL"
    COVERS = "COVERS"
    COVERED = "COVERED"
    OVERLAPS = "OVERLAPS"
    DISJOINT = "DISJOINT"

    @property
    def inverse(self) -> "Relation":
        """How the second expression relates to the first.

        >>> Relation.COVERS.inverse
        <Relation.COVERED: 'COVERED'>
        """
        if self is Relation.COVERS:
            return Relation.COVERED
        return Relation.COVERS if self is Relation.COVERED else self


def relate(a: Expression, b: Expression, meaning: Meaning | None = None) -> Relation:
    """How `a` relates to `b`: EQUAL, COVERS, COVERED, DISJOINT, or OVERLAPS if none of these is certain.

    The relation is defined by the *crisp* events that match. Comparisons of numbers and times ask about one value, so
    ``x >= 1 and x <= 5`` equals ``x between 1 and 5`` (semantics: Events and subscriptions). Conjunctions of crisp
    predicates that are EQUAL agree on imprecise values too, if all have the same thresholds
    (semantics: Several predicates on one value). Thresholds affect only ``is``.

    Sound: no crisp event contradicts the answer. Complete for conjunctions, and for any ``and``, ``or`` and ``not``
    within bounds: 256 conjunctions in the normal form, and ten thousand comparisons to find that a disjunction covers
    only as a whole. Beyond the bounds, the answer may be weaker; in the extreme, only equal expressions are EQUAL. An
    expression that nothing can match is covered by everything and EQUAL to any other such expression. About 10
    microseconds for two conjunctions of a few predicates.

    Parameters
    ----------
    a, b
        The expressions, which use the same concepts.
    meaning
        The membership function of a concept on an attribute, without hedges. If it is missing, ``is`` compares only
        with ``is`` of the same term: the lower threshold covers the higher.

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
    """Whether every crisp event that matches `b` matches `a`; sound, and complete within the bounds of `relate`.

    >>> from rankcast.language import parse
    >>> covers(parse("title contains 'b'"), parse("title endswith 'ab'"))
    True
    """
    return normal_form(a, meaning).covers(normal_form(b, meaning))

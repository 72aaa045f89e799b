"""The crisp values that satisfy `is`, where rounding may blur the boundary (semantics: Approximate matching)."""

from dataclasses import dataclass
from functools import lru_cache

from rankcast.cover.cells import ANY, ANY_TEXT, Cell, StringRequirement
from rankcast.cover.cuts import Reach, cut
from rankcast.cover.line import FULL, ValueLine
from rankcast.cover.strings import StringLine
from rankcast.model import Hedge, Membership


@dataclass(frozen=True, slots=True)
class ConceptDegree:
    """The degree to which an event's attribute belongs to a concept.

    Every event has this number in 0..1 (0 if the attribute is missing), so a conjunction treats it as an attribute.

    `meaning` is the membership function, or the name of the concept if no meaning is given.
    """

    attribute: str
    hedges: tuple[Hedge, ...]
    meaning: Membership | str


def holding(degree: ConceptDegree, level: float) -> Cell:
    """A cell of `degree.attribute` that contains every state with at least this degree (and above 0)."""
    if isinstance(degree.meaning, str):
        return Cell(numbers=FULL, texts=ANY_TEXT)
    return _cell(_cuts(degree.meaning, degree.hedges, level)[1])


def not_holding(degree: ConceptDegree, level: float) -> Cell:
    """A cell of `degree.attribute` that contains every state with less than this degree."""
    if isinstance(degree.meaning, str):
        return ANY
    inner = _cuts(degree.meaning, degree.hedges, level)[0]
    if isinstance(inner, ValueLine):
        return ANY._replace(numbers=~inner)
    return ANY._replace(texts=StringRequirement(none=inner) or None)


def implied(degree: ConceptDegree, levels: ValueLine) -> Cell:
    """A cell of `degree.attribute` that contains every state with a degree among the levels."""
    cell = ANY
    if levels.cuts and not levels.below:
        cell = holding(degree, levels.cuts[0][0])
    if levels.cuts and levels.below == (len(levels.cuts) % 2 == 1):
        cell &= not_holding(degree, levels.cuts[-1][0])
    return cell


def exact_cut(degree: ConceptDegree, level: float) -> Cell | None:
    """The cell of exactly the states with at least this degree; None if rounding could blur it."""
    if isinstance(degree.meaning, str):
        return None
    inner, outer = _cuts(degree.meaning, degree.hedges, level)
    return _cell(outer) if inner == outer else None


def _cell(values: ValueLine | StringLine) -> Cell:
    return Cell(numbers=values) if isinstance(values, ValueLine) else Cell(texts=StringRequirement((values,)) or None)


@lru_cache(4096)
def _cuts(
    mu: Membership, hedges: tuple[Hedge, ...], level: float
) -> tuple[ValueLine | StringLine, ValueLine | StringLine]:
    """The values that certainly reach the level, and those that possibly do."""
    return cut(mu, Reach(hedges, level, surely=True)), cut(mu, Reach(hedges, level, surely=False))

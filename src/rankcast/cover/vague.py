"""What `is` asks of a crisp value, where rounding leaves open which values at the edge pass (semantics: Approximate matching)."""

from dataclasses import dataclass
from functools import lru_cache

from rankcast.cover.cells import ANY, ANY_TEXT, Cell, StringRequirement
from rankcast.cover.cuts import Reach, cut
from rankcast.cover.line import FULL, ValueLine
from rankcast.cover.strings import StringLine
from rankcast.model import Hedge, Membership

__all__ = ["ConceptDegree", "exact_cut", "holding", "implied", "not_holding"]


@dataclass(frozen=True, slots=True)
class ConceptDegree:
    """The degree to which an event's attribute is a concept: a number in 0..1 that each event has (0 where the
    attribute is missing), and so an attribute of its own in a conjunction.

    `meaning` is the membership function, or the bare concept's name where no meaning is given.
    """

    attribute: str
    hedges: tuple[Hedge, ...]
    meaning: Membership | str


def holding(degree: ConceptDegree, level: float) -> Cell:
    """A cell of `degree.attribute` that has every state of at least this degree (and above 0)."""
    if isinstance(degree.meaning, str):
        return Cell(numbers=FULL, texts=ANY_TEXT)
    return _cell(_cuts(degree.meaning, degree.hedges, level)[1])


def not_holding(degree: ConceptDegree, level: float) -> Cell:
    """A cell of `degree.attribute` that has every state of less than this degree."""
    if isinstance(degree.meaning, str):
        return ANY
    inner = _cuts(degree.meaning, degree.hedges, level)[0]
    if isinstance(inner, ValueLine):
        return ANY._replace(numbers=~inner)
    return ANY._replace(texts=StringRequirement(none=inner) or None)


def implied(degree: ConceptDegree, levels: ValueLine) -> Cell:
    """A cell of `degree.attribute` that has every state whose degree lies among the levels."""
    cell = ANY
    if levels.cuts and not levels.below:
        cell = holding(degree, levels.cuts[0][0])
    if levels.cuts and levels.below == (len(levels.cuts) % 2 == 1):
        cell &= not_holding(degree, levels.cuts[-1][0])
    return cell


def exact_cut(degree: ConceptDegree, level: float) -> Cell | None:
    """The cell of exactly the states of at least this degree, where no rounding can blur it."""
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
    """The values that surely reach the level, and those that possibly do."""
    return cut(mu, Reach(hedges, level, surely=True)), cut(mu, Reach(hedges, level, surely=False))

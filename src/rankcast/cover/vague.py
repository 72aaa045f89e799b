"""The crisp values that satisfy `is`: alpha-cuts, where rounding may blur the boundary.

See semantics: Approximate matching.
"""

import itertools
import math
from dataclasses import dataclass
from functools import lru_cache

from rankcast.cover.cells import ANY, ANY_TEXT, Cell, StringRequirement
from rankcast.cover.line import EMPTY, FULL, ValueLine
from rankcast.cover.strings import StringLine
from rankcast.fuzzy.pieces import hedged
from rankcast.model import Gaussian, Hedge, Membership, Table

# Matching tolerates 1e-9 in favour of holding; float errors are far smaller than the slack.
_TOLERANCE = 2e-9
_SLACK = 1e-12
# More hedges, or a double `not`, could accumulate rounding errors beyond the slack.
_FEW_HEDGES = 4
_ULPS = 8


@dataclass(frozen=True, slots=True)
class Reach:
    """Decides whether a degree reaches a level, and exceeds 0, after hedges.

    With `surely`, the answer is certain despite rounding; otherwise it is only possible.
    """

    hedges: tuple[Hedge, ...]
    level: float
    surely: bool

    def at(self, degree: float) -> bool:
        """Whether this degree, before hedges, reaches the level."""
        reached = hedged((degree, 1.0 - degree), self.hedges)[0]
        if self.surely:
            return reached >= max(self.level, _TOLERANCE)
        return reached > 0 and reached >= self.level - _TOLERANCE

    def degrees(self) -> tuple[float, float]:
        """The lowest and the highest degree, before hedges, that reach the level."""
        slack = _SLACK if self.surely else -_SLACK
        level = max(self.level, _TOLERANCE) + _SLACK if self.surely else self.level - _TOLERANCE
        if level <= 0:
            level = slack = 0.0
        rising = True
        for hedge in self.hedges:
            if hedge is Hedge.NOT:
                rising, level = not rising, 1.0 - level
            elif level > 0:
                level = math.sqrt(level) if hedge is Hedge.VERY else level * level
        return (level + slack, math.inf) if rising else (-math.inf, level - slack)


def cut(mu: Membership, reach: Reach) -> ValueLine | StringLine:
    """The values with a degree that reaches the level. If certain, all of these reach it; if possible, no others do.

    Closed forms, rounded to the safe side; exact at corners, on constant parts and on tables. O(corners).
    """
    if isinstance(mu, Table):
        return _of_table(mu, reach)
    if len(reach.hedges) > _FEW_HEDGES or reach.hedges.count(Hedge.NOT) > 1:
        return EMPTY if reach.surely else FULL
    if isinstance(mu, Gaussian):
        mean = ValueLine.points([mu.mean]) if reach.at(1.0) else EMPTY
        return mean | _flank(mu, -1, reach) | _flank(mu, 1, reach)
    points = mu.points()
    line = ValueLine.points(x for x, _ in points if reach.at(mu.degree(x)))
    if reach.at(mu.degree(-math.inf)):
        line |= ~ValueLine.above((points[0][0], 0))
    if reach.at(mu.degree(math.inf)):
        line |= ValueLine.above((points[-1][0], 1))
    for start, end in itertools.pairwise(points):
        line |= _between(start, end, reach)
    return line


def _of_table(mu: Table, reach: Reach) -> ValueLine | StringLine:
    others = reach.at(0.0)
    listed = [value for value, degree in mu.degrees if reach.at(degree) is not others]
    if isinstance(mu.degrees[0][0], str):
        texts = StringLine.these(value for value in listed if isinstance(value, str))
        return ~texts if others else texts
    line = ValueLine.points(listed)
    return ~line if others else line


def _between(start: tuple[float, float], end: tuple[float, float], reach: Reach) -> ValueLine:
    """The part strictly between two corners in which a linear function reaches the level."""
    (left, first), (right, last) = start, end
    inside = ValueLine.between((left, 1), (right, 0))
    if first == last:
        return inside if reach.at(first) else EMPTY
    if math.isinf(right - left):
        return EMPTY if reach.surely else inside
    least, most = sorted((degree - first) / (last - first) for degree in reach.degrees())
    safe = (1.0 if reach.surely else -1.0) * _ULPS * math.ulp(max(abs(left), abs(right)))
    if least > 0:
        inside &= ValueLine.above((left + min(least, 2.0) * (right - left) + safe, 0))
    if most < 1:
        inside &= ~ValueLine.above((left + max(most, -1.0) * (right - left) - safe, 1))
    return inside


def _flank(mu: Gaussian, side: int, reach: Reach) -> ValueLine:
    """The part on one side of the mean in which the function reaches the level."""
    least, most = reach.degrees()
    inwards = 1.0 if reach.surely else -1.0
    far = _distance(mu, least) * (1 - inwards * _SLACK)
    near = _distance(mu, most) * (1 + inwards * _SLACK)
    if far <= near:
        return EMPTY
    safe = inwards * _ULPS * math.ulp(max(abs(mu.mean), near if math.isinf(far) else far))
    if side < 0:
        line = ~ValueLine.above((mu.mean, 0))
        line &= ~ValueLine.above((mu.mean - near - safe, 1)) if near else FULL
        return line & (FULL if math.isinf(far) else ValueLine.above((mu.mean - far + safe, 0)))
    line = ValueLine.above((mu.mean, 1))
    line &= ValueLine.above((mu.mean + near + safe, 0)) if near else FULL
    return line & (FULL if math.isinf(far) else ~ValueLine.above((mu.mean + far - safe, 1)))


def _distance(mu: Gaussian, degree: float) -> float:
    """The distance from the mean at which the function has this degree."""
    if degree <= 0:
        return math.inf
    return mu.sigma * math.sqrt(-2 * math.log(degree)) if degree < 1 else 0.0


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

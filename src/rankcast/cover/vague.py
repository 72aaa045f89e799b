"""What `is` asks of a crisp value: the cut of a membership function, from inside and from outside (SPEC 6)."""

import itertools
import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache

from rankcast.cover.cells import ANY, ANY_TEXT, Cell, Some
from rankcast.cover.line import EMPTY, FULL, Line
from rankcast.cover.strings import Texts
from rankcast.fuzzy.grades import hedged
from rankcast.model import Gaussian, Hedge, Membership, Table

__all__ = ["Degree", "exact_cut", "holding", "implied", "not_holding"]

# Matching tolerates 1e-9 in favour of holding; floats are off by far less than the slack.
_TOLERANCE = 2e-9
_SLACK = 1e-12
# More hedges, or a `not` of a `not`, could add up rounding beyond the slack: then nothing is said of the values.
_FEW = 4


@dataclass(frozen=True, slots=True)
class Degree:
    """The degree to which an event's attribute is a concept: a number in 0..1 that each event has (0 where the
    attribute is missing), and so an attribute of its own in a conjunction.

    `meaning` is the membership function, or the bare concept's name where no meaning is given.
    """

    attribute: str
    hedges: tuple[Hedge, ...]
    meaning: Membership | str


def holding(degree: Degree, level: float) -> Cell:
    """A cell of `degree.attribute` that has every state of at least this degree (and above 0)."""
    if isinstance(degree.meaning, str):
        return Cell(numbers=FULL, texts=ANY_TEXT)
    return _cell(_cuts(degree.meaning, degree.hedges, level)[1])


def not_holding(degree: Degree, level: float) -> Cell:
    """A cell of `degree.attribute` that has every state of less than this degree."""
    if isinstance(degree.meaning, str):
        return ANY
    inner = _cuts(degree.meaning, degree.hedges, level)[0]
    if isinstance(inner, Line):
        return ANY._replace(numbers=~inner)
    return ANY._replace(texts=Some(none=inner) or None)


def implied(degree: Degree, levels: Line) -> Cell:
    """A cell of `degree.attribute` that has every state whose degree lies among the levels."""
    cell = ANY
    if levels.cuts and not levels.below:
        cell = holding(degree, levels.cuts[0][0])
    if levels.cuts and levels.below == (len(levels.cuts) % 2 == 1):
        cell &= not_holding(degree, levels.cuts[-1][0])
    return cell


def exact_cut(degree: Degree, level: float) -> Cell | None:
    """The cell of exactly the states of at least this degree, where no rounding can blur it."""
    if isinstance(degree.meaning, str):
        return None
    inner, outer = _cuts(degree.meaning, degree.hedges, level)
    return _cell(outer) if inner == outer else None


def _cell(values: Line | Texts) -> Cell:
    return Cell(numbers=values) if isinstance(values, Line) else Cell(texts=Some((values,)) or None)


@lru_cache(4096)
def _cuts(mu: Membership, hedges: tuple[Hedge, ...], level: float) -> tuple[Line, Line] | tuple[Texts, Texts]:
    """The values that surely reach the level, and those that possibly do."""
    high, low = max(level, _TOLERANCE), level - _TOLERANCE

    def surely(degree: float) -> bool:
        return hedged((degree, 1.0 - degree), hedges)[0] >= high

    def possibly(degree: float) -> bool:
        reached = hedged((degree, 1.0 - degree), hedges)[0]
        return reached >= low and reached > 0

    if isinstance(mu, Table):
        return _listed(mu, surely), _listed(mu, possibly)  # type: ignore[return-value]  # both of the table's kind
    if len(hedges) > _FEW or hedges.count(Hedge.NOT) > 1:
        return EMPTY, FULL
    rising, least = _level_of_mu(hedges, high + _SLACK)
    inner_range = (least + _SLACK, math.inf) if rising else (-math.inf, least - _SLACK)
    if low <= 0:
        rising, least = _level_of_mu(hedges, 0.0)
        outer_range = (least, math.inf) if rising else (-math.inf, least)
    else:
        rising, least = _level_of_mu(hedges, low)
        outer_range = (least - _SLACK, math.inf) if rising else (-math.inf, least + _SLACK)
    inner = outer = EMPTY
    corners = [mu.mean] if isinstance(mu, Gaussian) else [x for x, _ in mu.points()]
    for x in corners:
        inner |= Line.points([x]) if surely(mu.degree(x)) else EMPTY
        outer |= Line.points([x]) if possibly(mu.degree(x)) else EMPTY
    if isinstance(mu, Gaussian):
        for side in (-1, 1):
            inner |= _tail(mu, side, *inner_range, inwards=True)
            outer |= _tail(mu, side, *outer_range, inwards=False)
        return inner, outer
    for end, tail in ((-math.inf, ~Line.above((corners[0], 0))), (math.inf, Line.above((corners[-1], 1)))):
        inner |= tail if surely(mu.degree(end)) else EMPTY
        outer |= tail if possibly(mu.degree(end)) else EMPTY
    for (left, start), (right, stop) in itertools.pairwise(mu.points()):
        if left < right:
            if start == stop:
                flat = Line.between((left, 1), (right, 0))
                inner |= flat if surely(start) else EMPTY
                outer |= flat if possibly(start) else EMPTY
            else:
                inner |= _slope(left, start, right, stop, *inner_range, inwards=True)
                outer |= _slope(left, start, right, stop, *outer_range, inwards=False)
    return inner, outer


def _listed(mu: Table, reaches: Callable[[float], bool]) -> Line | Texts:
    """The values of a table, and if 0 is enough all others too, that reach a level."""
    others = reaches(0.0)
    listed = [value for value, degree in mu.degrees if reaches(degree) is not others]
    if isinstance(mu.degrees[0][0], str):
        texts = Texts.these(value for value in listed if isinstance(value, str))
        return ~texts if others else texts
    line = Line.points(listed)
    return ~line if others else line


def _level_of_mu(hedges: tuple[Hedge, ...], level: float) -> tuple[bool, float]:
    """`(True, l)` if the hedged degree reaches the level where mu >= l, `(False, l)` where mu <= l."""
    rising = True
    for hedge in hedges:
        match hedge:
            case Hedge.NOT:
                rising, level = not rising, 1.0 - level
            case Hedge.VERY:
                level = math.sqrt(level) if level > 0 else level
            case Hedge.SOMEWHAT:
                level = level * level if level > 0 else level
    return rising, level


def _slope(left: float, start: float, right: float, stop: float, least: float, most: float, *, inwards: bool) -> Line:
    """Where, strictly between two corners, the linear function lies in least..most, rounded to one side."""
    ulps = 8 * math.ulp(max(abs(left), abs(right)))
    ends = []
    for degree in (least, most):
        if math.isinf(degree):
            share = -1.0 if (degree < 0) == (start < stop) else 2.0
        else:
            share = (degree - start) / (stop - start)
        ends.append(share)
    low, high = sorted(ends)
    shift = ulps if inwards else -ulps
    from_x = left if low < 0 else left + low * (right - left) + shift
    to_x = right if high > 1 else left + high * (right - left) - shift
    if low > 1 or high < 0:
        return EMPTY
    return Line.between(max((left, 1), (from_x, 0)), min((right, 0), (to_x, 1)))


def _tail(mu: Gaussian, side: int, least: float, most: float, *, inwards: bool) -> Line:
    """Where, on one side of its mean, the function lies in least..most, rounded to one side."""
    slack = -_SLACK if inwards else _SLACK
    far = math.inf if least <= 0 else _width(mu, least) * (1 + slack)
    near = 0.0 if most >= 1 else math.inf if most <= 0 else _width(mu, most) * (1 - slack)
    if far <= near:
        return EMPTY
    ulps = 8 * math.ulp(max(abs(mu.mean), 0.0 if math.isinf(far) else far)) * (1 if inwards else -1)
    if side < 0:
        start = None if math.isinf(far) else (mu.mean - far + ulps, 0)
        end = (mu.mean, 0) if near == 0 else min((mu.mean, 0), (mu.mean - near - ulps, 1))
        return ~Line.above(end) if start is None else Line.between(start, end)
    begin = (mu.mean, 1) if near == 0 else max((mu.mean, 1), (mu.mean + near + ulps, 0))
    return Line.above(begin) if math.isinf(far) else Line.between(begin, (mu.mean + far - ulps, 1))


def _width(mu: Gaussian, level: float) -> float:
    return mu.sigma * math.sqrt(max(0.0, -2 * math.log(level))) if level < 1 else 0.0

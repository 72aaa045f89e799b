"""Several conditions on one unknown value: to what degree it is possible that the value meets all of them.

The joint possibility is sup over x of min(mu_1(x), …, mu_n(x), pi(x)). The joint necessity of alternatives, inf over
x of max(mu_1(x), …, 1 - pi(x)), is 1 less the joint possibility of their complements. See
semantics: Several predicates on one value.
"""

import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import combinations

from rankcast.fuzzy.curves import Curve, curve_of
from rankcast.fuzzy.measures import is_about_strings
from rankcast.fuzzy.overlap import overlap
from rankcast.fuzzy.pieces import Flat
from rankcast.fuzzy.sets import OF_PARTS, CrispTest, Listing, StringSet, listing_of, number_set, string_set
from rankcast.model import Between, Compare, Hedge, Membership, OneOf, Op, Sides

_LAST = "\U0010ffff" * 8
"""A string that is greater than all but a few strange ones."""

_EVERYTHING = Curve((0.0,), ((1.0, 0.0),), (Flat(1.0), Flat(1.0)))


@dataclass(frozen=True, slots=True)
class ValueCondition:
    """A hedged concept or a crisp set; with `negated`, its complement.

    A condition on strings is 0 for every number, and one on numbers is 0 for every string.
    """

    of: Membership | CrispTest
    hedges: tuple[Hedge, ...] = ()
    negated: bool = False

    def complement(self) -> "ValueCondition":
        """The condition that the value does not meet this one."""
        return ValueCondition(self.of, self.hedges, not self.negated)


@lru_cache(maxsize=4096)
def joint_possibility(
    conditions: tuple[ValueCondition, ...], pi: Membership, pi_hedges: tuple[Hedge, ...] = ()
) -> float:
    """The degree to which one value may meet all conditions. Exact to 1e-9; recent results are cached.

    If an event leaves infinitely many strings possible ("not old"), patterns count as having strings in common,
    unless their literals, or the order of strings, exclude it.

    >>> from rankcast.model import Interval, Op
    >>> below, above = ValueCondition(Compare(Op.LT, 1000)), ValueCondition(Compare(Op.GT, 1500))
    >>> joint_possibility((below, above), Interval(900, 1600))
    0.0
    """
    if is_about_strings(pi):
        return _of_strings(conditions, listing_of(pi, pi_hedges))
    curves = [_curve(condition) for condition in dict.fromkeys(conditions)]
    if any(curve is None for curve in curves):
        return 0.0
    return overlap(*(curve for curve in curves if curve is not None), curve_of(pi, pi_hedges))


def joint_necessity(conditions: Iterable[ValueCondition], pi: Membership, pi_hedges: tuple[Hedge, ...] = ()) -> float:
    """The degree to which the value must meet at least one of the conditions.

    >>> from rankcast.model import Interval, Op
    >>> joint_necessity((ValueCondition(Compare(Op.LE, 3)), ValueCondition(Compare(Op.GT, 3))), Interval(0, 6))
    1.0
    """
    return 1.0 - joint_possibility(tuple(condition.complement() for condition in conditions), pi, pi_hedges)


def _curve(condition: ValueCondition) -> Curve | None:
    """The function of numbers; None if no number meets the condition."""
    if isinstance(condition.of, Compare | Between | OneOf):
        curve = number_set(condition.of)
    else:
        curve = None if is_about_strings(condition.of) else curve_of(condition.of, condition.hedges)
    if not condition.negated:
        return curve
    return _EVERYTHING if curve is None else curve.negated()


def _of_strings(conditions: tuple[ValueCondition, ...], known: Listing) -> float:
    """As `joint_possibility`, for strings: the named ones, and one that stands for all others."""
    listings, sets = [known], list[tuple[CrispTest, StringSet, bool]]()
    for condition in conditions:
        of, negated = condition.of, condition.negated
        if isinstance(of, Compare | Between | OneOf):
            strings = string_set(of)
            if strings is not None:
                sets.append((of, strings, negated))
            elif not negated:
                return 0.0
        elif is_about_strings(of):
            listing = listing_of(of, condition.hedges)
            listings.append(listing.negated() if negated else listing)
        elif not negated:
            return 0.0
    named = {text for listing in listings for text in listing.degrees}
    named.update(text for of, _, _ in sets for text in _named(of))
    passing = [text for text in named if all(strings.has(text) is not negated for _, strings, negated in sets)]
    heights = [min(listing.value(text) for listing in listings) for text in passing]
    if _have_others(sets):
        heights.append(min(listing.rest for listing in listings))
    return max(heights, default=0.0)


def _named(test: CrispTest) -> Iterator[str]:
    """The strings that a test names: all members if they are finitely many, and all others if those are."""
    match test:
        case Compare(_, str() as value):
            yield value
            if not value.strip("\0"):
                yield from (value[:size] for size in range(len(value)))
        case Between(str() as low, str() as high) if high.startswith(low) and not high[len(low) :].strip("\0"):
            yield from (high[:size] for size in range(len(low), len(high) + 1))
        case OneOf(values):
            yield from (value for value in values if isinstance(value, str))


def _have_others(sets: Sequence[tuple[CrispTest, StringSet, bool]]) -> bool:
    """Whether infinitely many strings lie in all sets, and in none of the negated ones."""
    low, high = "", _LAST
    for test, strings, negated in sets:
        if math.isfinite(strings.others if negated else strings.size):
            return False
        first, end = _bounds(test, negated)
        low, high = max(low, first), min(high, end)
    if low >= high or (high.startswith(low) and not high[len(low) :].strip("\0")):
        return False
    patterns = [
        test for test, _, negated in sets if not negated and isinstance(test, Compare) and test.op.sides is None
    ]
    ends = [str(test.value) for test in patterns if test.op is Op.ENDSWITH]
    if any(not one.endswith(other) and not other.endswith(one) for one, other in combinations(ends, 2)):
        return False
    return not any(
        negated and isinstance(test, Compare) and any(_implies(pattern, test, strings) for pattern in patterns)
        for test, strings, negated in sets
    )


def _implies(pattern: Compare, other: Compare, strings: StringSet) -> bool:
    """Whether the strings of a pattern all pass another test, as far as the literal of the pattern decides."""
    if pattern == other:
        return True
    if pattern.op not in OF_PARTS:
        return False
    return other.op.like in (Op.CONTAINS, pattern.op) and strings.has(str(pattern.value))


def _bounds(test: CrispTest, negated: bool) -> tuple[str, str]:
    """The strings from the first up to but excluding the second contain all of the set, or of its complement."""
    match test:
        case Compare(Op(sides=Sides(below, at, above)), str() as value):
            if (below or above) and below is not above:
                below, at = below is not negated, at is not negated
                return ("", value + "\0" * at) if below else (value + "\0" * (not at), _LAST)
        case Between(str() as low, str() as high) if not negated:
            return low, high + "\0"
        case Compare(Op.STARTSWITH, str() as value) if not negated:
            return value, value + _LAST
    return "", _LAST

"""Possibility and necessity: the degree to which an imprecise value may, and must, belong to a concept or crisp set.

P = sup over x of min(mu(x), pi(x)) and N = inf over x of max(mu(x), 1 - pi(x)), which is 1 - P of the complement. If
the types differ (a concept of strings and a distribution of numbers), both are 0. See
semantics: Approximate matching.
"""

from functools import lru_cache
from typing import TypeGuard

from rankcast.fuzzy.curves import curve_of
from rankcast.fuzzy.overlap import overlap
from rankcast.fuzzy.sets import CrispTest, listing_of, number_set, string_set
from rankcast.model import Hedge, Membership, Scalar, Table

_NOTHING = (0.0, 0.0)


def degree(mu: Membership, hedges: tuple[Hedge, ...], value: Scalar) -> float:
    """The degree to which a crisp value belongs to a hedged concept; 0 if the types differ.

    >>> from rankcast.model import Trapezoid
    >>> degree(Trapezoid(0, 0, 500, 900), (Hedge.VERY,), 700), degree(Trapezoid(0, 0, 500, 900), (Hedge.NOT,), "700")
    (0.25, 0.0)
    """
    if is_about_strings(mu):
        return listing_of(mu, hedges).value(value) if isinstance(value, str) else 0.0
    if isinstance(value, int | float) and not isinstance(value, bool):
        return curve_of(mu, hedges).value(value)
    return 0.0


@lru_cache(maxsize=4096)
def possibility_necessity(
    mu: Membership, hedges: tuple[Hedge, ...], pi: Membership, pi_hedges: tuple[Hedge, ...] = ()
) -> tuple[float, float]:
    """P and N of a hedged concept against a (hedged) possibility distribution.

    Exact to 1e-9. The last few thousand pairs are cached, because events name the same few concepts repeatedly.

    >>> from rankcast.model import Interval, LeftShoulder
    >>> possibility_necessity(LeftShoulder(500, 900), (), Interval(600, 700))
    (0.75, 0.5)
    """
    if is_about_strings(mu) and is_about_strings(pi):
        listing, known = listing_of(mu, hedges), listing_of(pi, pi_hedges)
        return listing.overlap(known), 1.0 - listing.negated().overlap(known)
    if is_about_strings(mu) or is_about_strings(pi):
        return _NOTHING
    curve, distribution = curve_of(mu, hedges), curve_of(pi, pi_hedges)
    return overlap(curve, distribution), 1.0 - overlap(curve.negated(), distribution)


def set_possibility_necessity(
    test: CrispTest, pi: Membership, pi_hedges: tuple[Hedge, ...] = ()
) -> tuple[float, float]:
    """P and N of the set of a crisp predicate against a (hedged) possibility distribution.

    >>> from rankcast.model import Compare, Op, Trapezoid
    >>> set_possibility_necessity(Compare(Op.LE, 1500), Trapezoid(1000, 1200, 1400, 1600))
    (1.0, 0.5)
    """
    if is_about_strings(pi):
        strings, listing = string_set(test), listing_of(pi, pi_hedges)
        if strings is None:
            return _NOTHING
        return listing.highest_in(strings), 1.0 - listing.highest_outside(strings)
    numbers, distribution = number_set(test), curve_of(pi, pi_hedges)
    if numbers is None:
        return _NOTHING
    return overlap(numbers, distribution), 1.0 - overlap(numbers.negated(), distribution)


def is_about_strings(membership: Membership) -> TypeGuard[Table]:
    """Whether a function is about strings; any other is about numbers."""
    return isinstance(membership, Table) and isinstance(membership.degrees[0][0], str)

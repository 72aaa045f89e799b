"""Degrees stored with their complement, so that hedges lose no precision.

``somewhat not cheap`` is sqrt(1 - mu(x)). If mu(x) is within a rounding error of 1, the subtraction leaves nothing,
and the root turns an error of 1e-16 into one of 1e-8. A grade holds mu and 1 - mu, each with full precision, and
every hedge maps both.
"""

from typing import TypeAlias

from rankcast.model import Hedge

Grade: TypeAlias = tuple[float, float]
"""A degree and its complement; they sum to 1."""


def hedged(grade: Grade, hedges: tuple[Hedge, ...]) -> Grade:
    """The grade after applying hedges, which are listed outermost first as in the text.

    >>> hedged((0.5, 0.5), (Hedge.NOT, Hedge.VERY))
    (0.75, 0.25)
    """
    degree, complement = grade
    for hedge in reversed(hedges):
        if hedge is Hedge.NOT:
            degree, complement = complement, degree
        elif hedge is Hedge.VERY:
            degree, complement = degree * degree, complement * (1.0 + degree)
        else:
            degree = degree**0.5
            complement = complement / (1.0 + degree)
    return degree, complement

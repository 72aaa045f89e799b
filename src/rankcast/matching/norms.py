"""t-norms, which aggregate degrees over ``and``, and their duals, over ``or`` (semantics: Approximate matching)."""

from collections.abc import Sequence
from math import fsum, prod

from rankcast.model import Norm


def tnorm(norm: Norm, degrees: Sequence[float]) -> float:
    """The degree of a conjunction.

    >>> [tnorm(norm, [0.5, 0.75]) for norm in Norm]
    [0.5, 0.375, 0.25]
    """
    match norm:
        case Norm.MIN:
            return min(degrees)
        case Norm.PRODUCT:
            return prod(degrees)
        case Norm.LUKASIEWICZ:
            return max(0.0, fsum(degrees) - (len(degrees) - 1))


def conorm(norm: Norm, degrees: Sequence[float]) -> float:
    """The degree of a disjunction: 1 - tnorm of the complements.

    >>> [conorm(norm, [0.5, 0.25]) for norm in Norm]
    [0.5, 0.625, 0.75]
    """
    match norm:
        case Norm.MIN:
            return max(degrees)
        case Norm.PRODUCT:
            total = 0.0
            for degree in degrees:
                total += degree * (1.0 - total)
            return total
        case Norm.LUKASIEWICZ:
            return min(1.0, fsum(degrees))

"""The rank of an event for a user: F of the scores of its most specific subscriptions.

See semantics: Preference; DEBS'09, Def. 5.
"""

import math
from collections.abc import Sequence

from rankcast.errors import ModelError
from rankcast.model import AGGREGATES, Aggregate


def event_rank(scores: Sequence[float], weights: Sequence[float], aggregate: Aggregate | str = Aggregate.MAX) -> float:
    """Combine `scores` into one rank. `weights`, one per score, are used by the weighted mean and registered functions.

    `aggregate` is a built-in function, or the name of a registered one (`rankcast.model.AGGREGATES`).

    The result does not depend on the order of the scores, to the last bit.

    >>> event_rank([0.5, 1.0], [3.0, 1.0], Aggregate.MAX), event_rank([0.5, 1.0], [3.0, 1.0], Aggregate.MEAN)
    (1.0, 0.75)
    >>> event_rank([0.5, 1.0], [3.0, 1.0], Aggregate.WEIGHTED)
    0.625
    """
    if not scores:
        raise ModelError("an event that no subscription matches has no rank")
    if len(scores) != len(weights):
        raise ModelError(f"{len(scores)} scores with {len(weights)} weights; each score needs one")
    match aggregate:
        case Aggregate.MAX:
            return max(scores)
        case Aggregate.MIN:
            return min(scores)
        case Aggregate.MEAN:
            return math.fsum(scores) / len(scores)
        case Aggregate.WEIGHTED:
            largest = max(weights)  # used as the unit, so that sums of huge weights stay finite
            shares = [weight / largest for weight in weights]
            return math.fsum(s * share for s, share in zip(scores, shares, strict=True)) / math.fsum(shares)
        case str():
            rank = AGGREGATES[aggregate](scores, weights)
            if not 0 <= rank <= 1:
                raise ModelError(f"aggregate {aggregate!r} of the scores {list(scores)} is {rank}; it must lie in 0..1")
            return rank

"""How evenly a user's deliveries are spread over the subscriptions.

See semantics: Novelty measures, thesis 2.3 and 2.4.
"""

import math
from collections.abc import Collection, Hashable, Iterable, Sequence
from statistics import fmean, pstdev
from typing import NamedTuple


class Place(NamedTuple):
    """Where deliveries are counted: a subscription or, if it covers others, the part that the others do not cover."""

    subscription: str
    other: bool = False

    def label(self) -> str:
        """The name of the place, for people."""
        return f"{self.subscription}, OTHER" if self.other else self.subscription


def places(subscriptions: Iterable[str], parents: Collection[str]) -> tuple[Place, ...]:
    """The places at which deliveries of these subscriptions count.

    `parents` strictly cover another subscription of the user.

    For a delivered event, pass its *most specific* subscriptions: it counts at each of them, or at the implicit child
    OTHER of one that has children. For a user, pass all subscriptions, to include the places without deliveries.

    >>> places(["drama", "short drama"], parents={"drama"})
    (Place(subscription='drama', other=True), Place(subscription='short drama', other=False))
    """
    return tuple(Place(subscription, subscription in parents) for subscription in subscriptions)


def count_at(deliveries: Iterable[Iterable[Hashable]], everywhere: Iterable[Hashable]) -> list[int]:
    """How many deliveries count at each place of `everywhere`, in its order.

    >>> count_at([["a"], ["b", "a"], ["a"]], "abc")
    [3, 1, 0]
    """
    counts = dict.fromkeys(everywhere, 0)
    for delivery in deliveries:
        for place in delivery:
            if place in counts:
                counts[place] += 1
    return list(counts.values())


def entropy(counts: Iterable[float]) -> float:
    """Output entropy in bits: at most log2 of the number of places, and 0 if nothing was delivered.

    >>> round(entropy([20, 30, 50]), 5)
    1.48548
    """
    known = [count for count in counts if count > 0]
    total = math.fsum(known)
    return math.fsum(count / total * math.log2(total / count) for count in known)


def fairness(counts: Sequence[float]) -> float:
    """Jain's fairness: 1 if all places got the same number (or nothing), 1 / n if one got everything.

    >>> round(fairness([20, 30, 50]), 5)
    0.87719
    """
    squares = math.fsum(count * count for count in counts)
    return math.fsum(counts) ** 2 / (len(counts) * squares) if squares else 1.0


class Distances(NamedTuple):
    """Distances between consecutive deliveries at the same place, in delivered events.

    `mean` and `deviation` are over all distances. `means_deviation` is the deviation of the means per place: 0 if all
    places occur equally often. All are population statistics, and 0 if there are no distances.
    """

    mean: float
    deviation: float
    means_deviation: float


def distances(deliveries: Iterable[Iterable[Hashable]]) -> Distances:
    """The distances within a sequence of deliveries, each given as the places at which it counts.

    >>> distances([["a"], ["b"], ["a"], ["b"], ["b"]])
    Distances(mean=1.6666666666666667, deviation=0.4714045207910317, means_deviation=0.25)
    """
    last: dict[Hashable, int] = {}
    apart: dict[Hashable, list[int]] = {}
    for position, delivery in enumerate(deliveries):
        for place in delivery:
            if place in last:
                apart.setdefault(place, []).append(position - last[place])
            last[place] = position
    every = [distance for found in apart.values() for distance in found]
    if not every:
        return Distances(0.0, 0.0, 0.0)
    return Distances(fmean(every), pstdev(every), pstdev(fmean(found) for found in apart.values()))

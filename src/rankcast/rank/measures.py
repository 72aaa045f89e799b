"""How evenly a user's deliveries are spread over the subscriptions, and how evenly a filter can spread them.

See semantics: Novelty measures; semantics: Even shares; thesis 2.3 and 2.4.
"""

import math
from collections.abc import Collection, Hashable, Iterable, Mapping, Sequence
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


class EvenRates(NamedTuple):
    """The rates at which all places that match can be delivered equally often: from `least` to `most`.

    `places` is the number of places that matched, `silent` of those that never did. `rarest` is the place that matched
    least, with its `share` of the matching events.
    """

    places: int
    silent: int
    rarest: Place
    share: float
    least: float
    most: float

    def advice(self, rate: float) -> str:
        """What a rate means for these places, in words for people."""
        span = f"{self.least:.3g} to {self.most:.3g}"
        topics = f"all {self.places} topics" if self.places > 1 else "the one topic"
        silent = f" ({self.silent} more never matched)" if self.silent else ""
        if self.least > self.most:
            return (
                f"no rate gives {topics} evenly{silent}: a period is too short for {self.rarest.label()}, "
                f"which has {self.share:.1%} of your matches"
            )
        if rate < self.least:
            return f"with {rate:g} a period delivers fewer events than topics; with {span} you can have {topics} evenly{silent}"
        if rate > self.most:
            rare = f"{self.rarest.label()} has only {self.share:.1%} of your matches"
            return f"with {rate:g} you cannot have {topics} evenly, because {rare}; with {span} you can{silent}"
        return f"with {rate:g} you can have {topics} evenly{silent}; the limits are {span}"


def even_rates(counts: Mapping[Place, int], matched: int, period: int) -> EvenRates | None:
    """The rates at which all places can be delivered equally often; None if nothing matched.

    `counts` are the matching events at each place, `matched` is the number of all matching events. With fewer than one
    event per place and period some place gets nothing (observation 2.1; the thesis divides by the delivered events,
    but a rate is a share of the matching ones). With more than the rarest place has, for each place, that one falls
    behind (observation 2.2). O(places).

    >>> even_rates({Place("drama"): 90, Place("short"): 10}, matched=100, period=50)
    EvenRates(places=2, silent=0, rarest=Place(subscription='short', other=False), share=0.1, least=0.04, most=0.2)
    """
    known = {place: count for place, count in counts.items() if count}
    if not known:
        return None
    rarest = min(known, key=lambda place: (known[place], place))
    share = known[rarest] / matched
    least, most = len(known) / period, min(1.0, len(known) * share)
    return EvenRates(len(known), len(counts) - len(known), rarest, share, least, most)

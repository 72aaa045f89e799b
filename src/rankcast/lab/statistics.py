"""How evenly a user was served: measures of deliveries (semantics: Novelty), and a filter's threshold over time."""

import math
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import NamedTuple

from rankcast.choose.filters import Filtered, Paced, Threshold
from rankcast.engine.trace import UserReplay
from rankcast.language import show_duration, show_time
from rankcast.model import EPOCH, Catalog, Delivery, Event
from rankcast.plain import JsonObject
from rankcast.rank import Distances, Place, Specificity, count_at, distances, entropy, fairness, places

_SPANS = (timedelta(minutes=1), timedelta(hours=1), timedelta(days=1), timedelta(weeks=1))
_MOST = 40
"""The largest number of time spans in which deliveries are counted."""


@dataclass(frozen=True, slots=True)
class UserStats:
    """The measures of one user.

    `counts` is the number of deliveries at each place: the most specific subscription, or its implicit child OTHER.
    `over_time` is the number of deliveries in each `span` from the first delivery on.
    """

    user: str
    deliveries: int
    counts: tuple[tuple[Place, int], ...]
    entropy: float
    fairness: float
    distances: Distances
    span: timedelta
    start: datetime | None
    over_time: tuple[int, ...]

    @property
    def highest(self) -> float:
        """The highest possible entropy: that of equal counts at all places."""
        return math.log2(len(self.counts)) if self.counts else 0.0

    def to_json(self) -> JsonObject:
        """The measures for programs."""
        return {
            "user": self.user,
            "deliveries": self.deliveries,
            "entropy": round(self.entropy, 6),
            "highest_entropy": round(self.highest, 6),
            "fairness": round(self.fairness, 6),
            "distance": {
                "mean": round(self.distances.mean, 6),
                "deviation": round(self.distances.deviation, 6),
                "deviation_of_means": round(self.distances.means_deviation, 6),
            },
            "places": [{"place": place.label(), "deliveries": count} for place, count in self.counts],
            "over_time": {
                "from": show_time(self.start) if self.start else None,
                "every": show_duration(self.span),
                "deliveries": list(self.over_time),
            },
        }


class ThresholdPoint(NamedTuple):
    """The threshold of a filter after a number of matching events, with the time of the last of them."""

    matched: int
    seq: int
    threshold: float


def user_places(catalog: Catalog, user: str) -> tuple[Place, ...]:
    """The places at which a user's deliveries count: each subscription, or OTHER for one that covers another."""
    subscriptions = catalog.subscriptions_of(user)
    covers = Specificity(subscriptions, catalog.meaning_of(user))
    names = [subscription.id for subscription in subscriptions]
    return places(names, set(names).difference(covers.most_specific(names)))


def user_stats(user: str, everywhere: Sequence[Place], deliveries: Iterable[Delivery]) -> UserStats:
    """The measures of a user's deliveries, given in the order in which they were sent.

    `everywhere` is the result of `user_places`. A subscription that the user has removed is not in it; it counts for
    the distances, but not for entropy and fairness.
    """
    place_of = {place.subscription: place for place in everywhere}
    listed = list(deliveries)
    counted = [[place_of.get(name, Place(name)) for name in delivery.subscriptions] for delivery in listed]
    counts = count_at(counted, everywhere)
    span, start, over_time = _over_time([delivery.forwarded for delivery in listed])
    return UserStats(
        user=user,
        deliveries=len(listed),
        counts=tuple(zip(everywhere, counts, strict=True)),
        entropy=entropy(counts),
        fairness=fairness(counts),
        distances=distances(counted),
        span=span,
        start=start,
        over_time=over_time,
    )


def thresholds(catalog: Catalog, events: Iterable[Event], user: str) -> list[ThresholdPoint]:
    """The threshold of the user's filter after each period; empty if the policy has no filter with a threshold.

    Replays the events once for this user alone, as `rankcast.engine.explain` does.
    """
    policy = catalog.policy_of(user)
    replay = UserReplay(catalog, user)
    found: list[ThresholdPoint] = []
    mode = replay.subscriber.mode
    if policy.filter is None or not isinstance(mode, Filtered) or not isinstance(mode.filter, Threshold | Paced):
        return found
    matched = 0
    for event in events:
        if replay.publish(event).admitted:
            matched += 1
            if matched % policy.filter.period == 0:
                found.append(ThresholdPoint(matched, event.seq, mode.filter.threshold))
    return found


def _over_time(moments: Sequence[datetime]) -> tuple[timedelta, datetime | None, tuple[int, ...]]:
    if not moments:
        return _SPANS[0], None, ()
    first, last = min(moments), max(moments)
    span = next((span for span in _SPANS if (last - first) / span < _MOST), _SPANS[-1])
    origin = (first - EPOCH) // span
    counted = Counter((moment - EPOCH) // span - origin for moment in moments)
    return span, EPOCH + origin * span, tuple(counted[number] for number in range(max(counted) + 1))

"""The deliveries of one user of the demo, compared with the user's matches."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import fsum

from rankcast.choose import Distance
from rankcast.model import Catalog, Delivery, Event, Policy
from rankcast.plain import JsonObject

_SHOWN = 4
_TOGETHER = 5


@dataclass(frozen=True, slots=True)
class DemoDigest:
    """The deliveries of one user, and the events that matched the user, in order of publication."""

    user: str
    catalog: Catalog
    films: Mapping[str, Event]
    matched: Sequence[str]
    deliveries: Sequence[Delivery]

    @property
    def policy(self) -> Policy:
        """The delivery policy of the user."""
        return self.catalog.policy_of(self.user)

    @property
    def mean_rank(self) -> float:
        """The mean rank of the deliveries."""
        return _mean(delivery.rank for delivery in self.deliveries)

    @property
    def share(self) -> float:
        """The share of the matches that was delivered."""
        return len(self.deliveries) / len(self.matched) if self.matched else 0.0

    def last(self) -> Sequence[Delivery]:
        """The newest deliveries, a few of them."""
        return self.deliveries[-_SHOWN:]

    def diversity(self, events: Iterable[str]) -> float:
        """The mean distance of each event to the k - 1 before it (4 if there is no k), by the user's weights."""
        distance = Distance.of(self.policy)
        return _mean(
            distance(self.films[one], self.films[other])
            for one, other in _near(list(events), self.policy.k or _TOGETHER)
        )

    def summary(self) -> JsonObject:
        """The summary as JSON."""
        return {
            "user": self.user,
            "mode": self.policy.mode.value,
            "matched": len(self.matched),
            "delivered": len(self.deliveries),
            "share": round(self.share, 4),
            "mean_rank": round(self.mean_rank, 4),
            "diversity_matched": round(self.diversity(self.matched), 4),
            "diversity": round(self.diversity(delivery.event for delivery in self.deliveries), 4),
        }


def _near(events: Sequence[str], span: int) -> Iterator[tuple[str, str]]:
    for position, event in enumerate(events):
        for other in events[max(0, position - span + 1) : position]:
            yield event, other


def _mean(numbers: Iterable[float]) -> float:
    found = list(numbers)
    return fsum(found) / len(found) if found else 0.0

"""How evenly a user could be served: the rates that allow it, and the best choice of a known stream (thesis 2.3, 3.1).

See semantics: Even shares.
"""

import math
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from rankcast.engine.trace import UserReplay
from rankcast.lab.statistics import user_places
from rankcast.model import Catalog, Event
from rankcast.plain import JsonObject
from rankcast.rank import EvenRates, Optimum, Place, Specificity, even_rates, optimum


@dataclass(frozen=True, slots=True)
class Evenness:
    """What a user's matching events allow: the rates for equal shares, and the highest entropy at the user's rate.

    `rate` is that of the policy's filter, 1 without one. `even` is None if nothing matched.
    """

    user: str
    matched: int
    rate: float
    k: int
    even: EvenRates | None
    optimum: Optimum

    @property
    def advice(self) -> str:
        """What the rate means, in words for people."""
        if self.even is None:
            return "none of these events matches"
        entropy = f"the best choice of {self.k:,} of {self.matched:,} matches has {self.optimum.entropy:.3f} bits"
        return f"{self.even.advice(self.rate)}; {entropy}"

    def to_json(self) -> JsonObject:
        """The result for programs."""
        even = self.even
        return {
            "matched": self.matched,
            "rate": self.rate,
            "k": self.k,
            "r_min": None if even is None else round(even.least, 6),
            "r_max": None if even is None else round(even.most, 6),
            "rarest": None if even is None else {"place": even.rarest.label(), "share": round(even.share, 6)},
            "optimum": {
                "entropy": round(self.optimum.entropy, 6),
                "bound": round(self.optimum.bound, 6),
                "exact": self.optimum.exact,
            },
            "advice": self.advice,
        }


def matched_places(catalog: Catalog, user: str, events: Iterable[Event]) -> list[tuple[Place, ...]]:
    """For each event that matches the user, the places at which its delivery would count."""
    replay = UserReplay(catalog, user)
    covers = Specificity(catalog.subscriptions_of(user), catalog.meaning_of(user))
    place_of = {place.subscription: place for place in user_places(catalog, user)}
    found = []
    for event in events:
        names = [one.id for one, _ in replay.admitted(event, replay.matched(event))]
        if names:
            found.append(tuple(place_of[name] for name in covers.most_specific(names)))
    return found


def evenness(catalog: Catalog, user: str, events: Sequence[Event], rate: float | None = None) -> Evenness:
    """How evenly the user could be served with these events, at a rate or as the policy's filter says."""
    found = matched_places(catalog, user, events)
    filters = catalog.policy_of(user).filter
    rate = rate or (filters.rate if filters is not None else 1.0)
    period = filters.period if filters is not None else len(found)
    counts = Counter(dict.fromkeys(user_places(catalog, user), 0))
    counts.update(place for places in found for place in places)
    k = math.floor(rate * len(found) + 1e-9)
    return Evenness(user, len(found), rate, k, even_rates(counts, len(found), max(1, period)), optimum(found, k))

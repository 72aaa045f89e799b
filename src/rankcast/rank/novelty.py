"""Delivery novelty: how rarely, or how long ago, a subscription led to a delivery.

See semantics: Novelty, thesis 2.2 and 3.3.
"""

from collections.abc import Collection, Sequence
from typing import Protocol

from rankcast.errors import ModelError
from rankcast.model import Credit, Event, Scoring
from rankcast.plain import State
from rankcast.rank.delivery_counts import DeliveryCounts


class MatchedEvent(Protocol):
    """What novelty needs to know about an event that matches a user; a candidate provides it."""

    @property
    def event(self) -> Event:
        """The event."""

    @property
    def matching(self) -> Sequence[str]:
        """All of the user's subscriptions that the event matches."""

    @property
    def specific(self) -> Sequence[str]:
        """The most specific of the matching subscriptions."""


class Novelty(Protocol):
    """The novelty of one user's events. It receives every event that matches the user, in order."""

    def score(self, candidate: MatchedEvent) -> float:
        """The novelty of the next event that matches the user; higher means more novel."""

    def normalise(self, score: float) -> float:
        """The last score, on a scale from 0 to 1."""

    def delivered(self, candidate: MatchedEvent) -> None:
        """Record that the event was delivered to the user."""

    def keep(self, ids: Collection[str]) -> None:
        """Forget all other subscriptions."""

    def state(self) -> State:
        """Plain data for `restore`."""

    def restore(self, state: State) -> None:
        """Continue from a saved `state`, in a new instance with the same settings."""


class NoveltyState:
    """Rate or interval novelty of one user's subscriptions.

    `t` counts the events that match the user, from 1. At event t, a subscription has the novelty

    - rate: ``1 - delivered / (t - 1)``, and 1 when t is 1;
    - interval: ``t - last``, or t if it never led to a delivery.

    The novelty of an event is that of its most novel matching subscription. `delivered` updates all matching
    subscriptions, at the position t of the event scored last. For a filter, this is the event itself; for a mode that
    sends later, it is the event at which the user received the delivery. With `Credit.MOST_NOVEL`, which needs a
    filter, only the subscription that the event was scored by is updated; among equally novel ones, the most specific,
    then the first by id. `counts` says over what the rate is counted; by default, over all history.

    With `aging` below 1 the score is ``aging * now + (1 - aging) * previous``. A subscription is evaluated at the
    events that match it, delivered or not, so `previous` is its score at the last such event. The first time there is
    none, and the score is `now`. (Thesis 3.3 speaks of "delivered" events. Read literally, aging would ruin the rate
    form, which figure 4.10 of the thesis contradicts.)

    A new subscription starts as never delivered. O(matching subscriptions) per event. Each score is one fixed
    formula, so equal shares give equal floats and every engine computes the same score to the last bit.

    >>> from typing import NamedTuple
    >>> class Seen(NamedTuple):
    ...     matching: tuple[str, ...]
    ...     specific: tuple[str, ...] = ()
    ...     event: object = None
    >>> novelty = NoveltyState(Scoring.RATE)
    >>> novelty.score(Seen(("drama",)))
    1.0
    >>> novelty.delivered(Seen(("drama",)))
    >>> novelty.score(Seen(("drama",))), novelty.score(Seen(("drama",))), novelty.score(Seen(("drama", "short")))
    (0.0, 0.5, 1.0)
    """

    def __init__(
        self,
        scoring: Scoring = Scoring.RATE,
        aging: float = 1.0,
        credit: Credit = Credit.ALL,
        counts: DeliveryCounts | None = None,
    ) -> None:
        if not 0 <= aging <= 1:
            raise ModelError(f"aging is {aging}; it must lie in 0..1")
        self.scoring = scoring
        self.aging = aging
        self.credit = credit
        self.t = 0
        self._counts = DeliveryCounts() if counts is None else counts
        self._scored_by = ""
        self._last: dict[str, int] = {}
        self._previous: dict[str, float] = {}

    def score(self, candidate: MatchedEvent) -> float:
        """The novelty of the next event that matches the user."""
        if not candidate.matching:
            raise ModelError(f"event {candidate.event.id!r} has no novelty: it matches no subscription")
        self.t += 1
        self._counts.advance()
        found = {subscription: self._evaluate(subscription) for subscription in candidate.matching}
        highest = max(found.values())
        if self.credit is Credit.MOST_NOVEL:
            equal = [subscription for subscription, score in found.items() if score == highest]
            self._scored_by = min([one for one in equal if one in candidate.specific] or equal)
        return highest

    def skip(self, events: int) -> None:
        """Count events that match the user, but none of these subscriptions."""
        for _ in range(events):
            self.t += 1
            self._counts.advance()

    def normalise(self, score: float) -> float:
        """The last score, on a scale from 0 to 1: a rate unchanged, an interval as a share of t."""
        return round(score if self.scoring is Scoring.RATE else score / self.t, 12)

    def delivered(self, candidate: MatchedEvent) -> None:
        """Record that the event was delivered to the user, which makes the credited subscriptions less novel."""
        credited = candidate.matching if self.credit is Credit.ALL else (self._scored_by,)
        self._counts.add(credited)
        for subscription in credited:
            self._last[subscription] = self.t

    def keep(self, ids: Collection[str]) -> None:
        """Forget all other subscriptions; one that comes back later starts afresh."""
        self._counts.keep(ids)
        for known in (self._last, self._previous):
            for subscription in known.keys() - ids:
                del known[subscription]

    def state(self) -> State:
        """Plain data for `restore`."""
        return {
            **self._counts.state(),
            "last": dict(self._last),
            "previous": dict(self._previous),
        }

    def restore(self, state: State) -> None:
        """Continue from a saved `state`, in a new instance with the same settings."""
        self.t = state["t"]
        self._counts.restore(state)
        self._last = dict(state["last"])
        self._previous = dict(state["previous"])

    def _evaluate(self, subscription: str) -> float:
        score = self._now(subscription)
        if self.aging < 1:
            previous = self._previous.get(subscription, score)
            score = self.aging * score + (1 - self.aging) * previous
            self._previous[subscription] = score
        return score

    def _now(self, subscription: str) -> float:
        if self.scoring is Scoring.INTERVAL:
            return float(self.t - self._last.get(subscription, 0))
        total = self._counts.total
        return 1 - self._counts.of(subscription) / total if total else 1.0

"""Delivery novelty: how rarely, or how long ago, a user last heard of a subscription (semantics: Novelty, thesis 2.2 and 3.3)."""

from collections.abc import Collection, Sequence
from typing import Protocol

from rankcast.errors import ModelError
from rankcast.model import Event, Scoring
from rankcast.plain import State

__all__ = ["MatchedEvent", "Novelty", "NoveltyState"]


class MatchedEvent(Protocol):
    """What novelty needs to know of an event that matches a user; a candidate knows it."""

    @property
    def event(self) -> Event:
        """The event."""

    @property
    def matching(self) -> Sequence[str]:
        """All of the user's subscriptions that it matches."""

    @property
    def specific(self) -> Sequence[str]:
        """The most specific of them."""


class Novelty(Protocol):
    """A novelty of one user's events, fed with every event that matches the user, in order."""

    def score(self, candidate: MatchedEvent) -> float:
        """The novelty of the next event that matches the user; the more novel, the higher."""

    def normalise(self, score: float) -> float:
        """The score just given, on the scale from 0 to 1."""

    def delivered(self, candidate: MatchedEvent) -> None:
        """The user got this event."""

    def keep(self, ids: Collection[str]) -> None:
        """Forget all subscriptions but these."""

    def state(self) -> State:
        """Plain data that `restore` takes back."""

    def restore(self, state: State) -> None:
        """Go on where `state` was taken, in a fresh instance of the same settings."""


class NoveltyState:
    """Rate or interval novelty of one user's subscriptions.

    `t` counts the events that match the user, from 1. At the t-th, a subscription has the novelty

    - rate: ``1 - delivered / (t - 1)``, and 1 when t is 1;
    - interval: ``t - last``, and t if nothing was delivered because of it;

    and an event that of the most novel of its matching subscriptions. `delivered` updates all of them, at the
    position t of the event scored last: of a filter that is the event itself, of a mode that sends later it is the
    event at which the user heard of it.

    With `aging` below 1 the score is ``aging * now + (1 - aging) * previous``. A subscription is evaluated at
    the events that match it, delivered or not, so `previous` is its score at the last of them; the first time there
    is none, and the score is `now`. (Thesis 3.3 speaks of the event "delivered"; read literally, aging would ruin
    the rate form, which by its figure 4.10 it does not.)

    A subscription never seen before starts as one never delivered. O(matching subscriptions) per event. Scores are on no
    grid: each is one fixed formula, equal shares give equal floats, and any engine gets them to the last bit.

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

    def __init__(self, scoring: Scoring = Scoring.RATE, aging: float = 1.0) -> None:
        if not 0 <= aging <= 1:
            raise ModelError(f"aging is {aging}; it must lie in 0..1")
        self.scoring = scoring
        self.aging = aging
        self.t = 0
        self._delivered: dict[str, int] = {}
        self._last: dict[str, int] = {}
        self._previous: dict[str, float] = {}

    def score(self, candidate: MatchedEvent) -> float:
        """The novelty of the next event that matches the user."""
        if not candidate.matching:
            raise ModelError(f"event {candidate.event.id!r} has no novelty: it matches no subscription")
        self.t += 1
        return max(self._evaluate(subscription) for subscription in candidate.matching)

    def normalise(self, score: float) -> float:
        """The score just given, on the scale from 0 to 1: a rate as it is, an interval as a share of t."""
        return round(score if self.scoring is Scoring.RATE else score / self.t, 12)

    def delivered(self, candidate: MatchedEvent) -> None:
        """The user got this event: all its matching subscriptions become less novel."""
        for subscription in candidate.matching:
            self._delivered[subscription] = self._delivered.get(subscription, 0) + 1
            self._last[subscription] = self.t

    def keep(self, ids: Collection[str]) -> None:
        """Forget all subscriptions but these; one that comes back later starts afresh."""
        for known in (self._delivered, self._last, self._previous):
            for subscription in known.keys() - ids:
                del known[subscription]

    def state(self) -> State:
        """Plain data that `restore` takes back."""
        return {
            "t": self.t,
            "delivered": dict(self._delivered),
            "last": dict(self._last),
            "previous": dict(self._previous),
        }

    def restore(self, state: State) -> None:
        """Go on where `state` was taken, in a fresh instance of the same settings."""
        self.t = state["t"]
        self._delivered = dict(state["delivered"])
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
        if self.t == 1:
            return 1.0
        return 1 - self._delivered.get(subscription, 0) / (self.t - 1)

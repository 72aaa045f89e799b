"""Decaying novelty: each match makes a subscription less novel (semantics: Novelty, DBRank'10)."""

from collections import deque
from collections.abc import Collection, Mapping
from dataclasses import replace
from datetime import datetime, timedelta

from rankcast.errors import ModelError
from rankcast.model import EPOCH, Decay, Decaying, Unit
from rankcast.plain import State
from rankcast.rank.novelty import MatchedEvent


def with_starts(settings: Decaying, scores: Mapping[str, float]) -> Decaying:
    """The settings with a start for each subscription, if novelty starts in proportion to preference.

    >>> with_starts(Decaying(beta=2, betas={"s1": 1}, preferred=True), {"s1": 0.5, "s2": 0.5}).betas
    {'s1': 0.5, 's2': 1.0}
    """
    if not settings.preferred:
        return settings
    starts = {name: settings.betas.get(name, settings.beta) * score for name, score in scores.items()}
    return replace(settings, betas=starts, preferred=False)


class DecayingNovelty:
    """Novelty that starts at `beta`, or at the own start of a subscription, and decays with every match, delivered or not.

    The importance of an event is the highest novelty of its *most specific* matching subscriptions. It is read before
    the event lowers the novelty of *all* its matching subscriptions. Only matches in the current `period` or in the
    last `window` count; if neither is set, all matches count. A period of time is aligned to `origin`. A linear
    novelty may fall below 0 (DBRank Definition 2), so that very common subscriptions still differ; `normalise` cuts
    it off at 0.

    Amortised O(matching subscriptions) per event. A window stores the matches in it.

    >>> from typing import NamedTuple
    >>> class Seen(NamedTuple):
    ...     matching: tuple[str, ...]
    ...     specific: tuple[str, ...]
    ...     event: object = None
    >>> novelty = DecayingNovelty(Decaying(alpha=0.25))
    >>> [novelty.score(Seen(("drama", "burton"), ("burton",))) for _ in range(2)]
    [1.0, 0.75]
    >>> novelty.score(Seen(("drama",), ("drama",)))
    0.5
    """

    def __init__(self, settings: Decaying | None = None, origin: datetime = EPOCH) -> None:
        self.settings = settings or Decaying()
        self._highest = max((self.settings.beta, *self.settings.betas.values()))
        self._length = self.settings.period or self.settings.window
        self._slides = self.settings.window is not None
        self._origin = origin
        self._t = 0
        self._period = 0
        self._matches: dict[str, int] = {}
        self._window: deque[tuple[int, tuple[str, ...]]] = deque()

    def novelty(self, subscription: str) -> float:
        """The novelty of a subscription after the last event."""
        start = self.settings.betas.get(subscription, self.settings.beta)
        return self._after(start, self._matches.get(subscription, 0))

    def after(self, matches: int) -> float:
        """The novelty after this many matches, starting at `beta`; it never increases with the number of matches."""
        return self._after(self.settings.beta, matches)

    def _after(self, start: float, matches: int) -> float:
        if self.settings.form is Decay.EXPONENTIAL:
            return round(start * self.settings.alpha**matches, 12)
        return round(start - self.settings.alpha * matches, 12)

    def score(self, candidate: MatchedEvent) -> float:
        """The importance of the next event that matches the user, before the event lowers it."""
        if not candidate.specific:
            raise ModelError(f"event {candidate.event.id!r} has no novelty: it matches no subscription")
        self._t += 1
        position = self._position(candidate)
        self._expire(position)
        score = max(self.novelty(subscription) for subscription in candidate.specific)
        for subscription in candidate.matching:
            self._matches[subscription] = self._matches.get(subscription, 0) + 1
        if self._slides:
            self._window.append((position, tuple(candidate.matching)))
        return score

    def normalise(self, score: float) -> float:
        """The score as a share of the highest start, clipped to 0..1 (rounding can lift a tiny score above it)."""
        return min(1.0, max(0.0, round(score / self._highest, 12)))

    def delivered(self, candidate: MatchedEvent) -> None:
        """Do nothing: this novelty depends on matches, not on deliveries."""

    def keep(self, ids: Collection[str]) -> None:
        """Forget all other subscriptions."""
        for subscription in self._matches.keys() - ids:
            del self._matches[subscription]
        self._window = deque((at, tuple(s for s in matching if s in ids)) for at, matching in self._window)

    def state(self) -> State:
        """Plain data for `restore`."""
        return {
            "t": self._t,
            "period": self._period,
            "matches": dict(self._matches),
            "window": [[at, list(matching)] for at, matching in self._window],
        }

    def restore(self, state: State) -> None:
        """Continue from a saved `state`, in a new instance with the same settings."""
        self._t = state["t"]
        self._period = state["period"]
        self._matches = dict(state["matches"])
        self._window = deque((at, tuple(matching)) for at, matching in state["window"])

    def _position(self, candidate: MatchedEvent) -> int:
        """The position of the event in the unit of the length; for time, microseconds since the origin."""
        if self._length is None or self._length.unit is Unit.MATCHED:
            return self._t - 1
        if self._length.unit is Unit.EVENTS:
            return candidate.event.seq - 1
        return (candidate.event.time - self._origin) // timedelta(microseconds=1)

    def _expire(self, position: int) -> None:
        if self._length is None:
            return
        amount = self._length.amount
        length = amount // timedelta(microseconds=1) if isinstance(amount, timedelta) else amount
        if self._slides:
            while self._window and self._window[0][0] <= position - length:
                for subscription in self._window.popleft()[1]:
                    self._matches[subscription] -= 1
        elif position // length != self._period:
            self._period = position // length
            self._matches.clear()

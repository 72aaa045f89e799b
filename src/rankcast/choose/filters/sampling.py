"""The sampling filter: rare matches are more likely to pass (semantics: Novelty, thesis algorithm 2)."""

from collections.abc import Collection
from typing import ClassVar

from rankcast.choose.candidates import Candidate
from rankcast.choose.filters.budget import Budget, draw
from rankcast.choose.filters.filtered import Verdict
from rankcast.choose.filters.match_rates import FadingMatches, MatchesSince, MatchesWithin
from rankcast.choose.state import DeclaredState
from rankcast.model import Filter, RateSpan, Scoring, Update


class Sampling(DeclaredState):
    """Passes a candidate with the probability of its most novel matching subscription, while the budget has room.

    Let m = rate / number of subscriptions ever matched. A subscription that matches less than the share m of the
    user's events has probability 1. Others have ``m / match rate``, or in the interval form ``m * mean distance of
    consecutive matches`` (1 until there are two matches). The most novel subscription is the one with the highest
    probability.

    Lazy: probabilities are computed at the end of each period, and are 1 before the first. Eager: they are computed
    for each candidate, from the events before it. Rates cover all history; with `RateSpan.PERIOD` they cover the
    period just ended, or the last `period` events; with `RateSpan.DECAYED` they fade. Aging smooths the probability:
    ``aging * now + (1 - aging) * previous``. The previous probability is that of the last period (lazy) or of the last
    event that matched the subscription (eager); it starts at 1.

    O(matching subscriptions) per event, O(active ones) per period.
    """

    saved: ClassVar = {"budget": "_budget", "active": "_active", "matches": "_matches"}

    def __init__(self, user: str, settings: Filter) -> None:
        self._user = user
        self._settings = settings
        self._budget = Budget(settings.rate, settings.period, settings.update)
        self._active: dict[str, float] = {}  # each subscription matched so far, with its probability
        self.elsewhere = 0
        """How many active subscriptions the user has on other nodes (`rankcast.choose.filters.team`)."""
        self._matches: MatchesSince | MatchesWithin | FadingMatches = MatchesSince()
        if settings.rates is RateSpan.PERIOD and settings.update is not Update.LAZY:
            self._matches = MatchesWithin(settings.period)
        elif settings.rates is RateSpan.DECAYED:
            self._matches = FadingMatches(settings.half_life or settings.period)

    def admit(self, candidate: Candidate) -> Verdict:
        """Decide on the next candidate."""
        probability = self.consider(candidate.matching)
        verdict = draw(self._settings.seed, self._user, candidate, probability, self._budget)
        self.count(candidate.matching)
        self._budget.count(verdict.passed)
        if self._settings.update is Update.LAZY and self._budget.ends_period:
            self.learn()
        return verdict

    @property
    def active(self) -> int:
        """The number of subscriptions that matched so far."""
        return len(self._active)

    def consider(self, matching: Collection[str]) -> float:
        """The probability with which the next event passes; an eager filter computes it now."""
        if self._settings.update is not Update.LAZY:
            self._evaluate(matching)
        return max(map(self.probability, matching), default=1.0)

    def count(self, matching: Collection[str]) -> None:
        """Count the event as a match."""
        for subscription in matching:
            self._active.setdefault(subscription, 1.0)
        self._matches.add(matching)

    def skip(self, events: int) -> None:
        """Count events that match the user, but none of these subscriptions."""
        for _ in range(events):
            self._matches.add(())

    def learn(self) -> None:
        """Compute all probabilities, as a lazy filter does at the end of a period."""
        self._evaluate(self._active)
        if self._settings.rates is RateSpan.PERIOD and isinstance(self._matches, MatchesSince):
            self._matches.reset()

    def probability(self, subscription: str) -> float:
        """The probability of a subscription at its last evaluation; 1 before the first."""
        return self._active.get(subscription, 1.0)

    def keep(self, ids: Collection[str]) -> None:
        """Forget all subscriptions except these; they share the rate at the next evaluation."""
        self._active = {subscription: known for subscription, known in self._active.items() if subscription in ids}
        self._matches.keep(ids)

    def _evaluate(self, subscriptions: Collection[str]) -> None:
        aging = self._settings.aging
        for subscription in subscriptions:
            if subscription in self._active:
                self._active[subscription] = aging * self._now(subscription) + (1 - aging) * self._active[subscription]

    def _now(self, subscription: str) -> float:
        share = self._settings.rate / (len(self._active) + self.elsewhere)
        rate = self._matches.rate(subscription)
        if rate < share:
            return 1.0
        if self._settings.scoring is Scoring.RATE:
            return min(1.0, share / rate)
        distance = self._matches.mean_distance(subscription)
        return 1.0 if distance is None else min(1.0, share * distance)

"""The random filter: the baseline that ignores novelty (semantics: Novelty, thesis 4.1.3)."""

import math
from collections.abc import Collection

from rankcast.choose.candidates import Candidate, StopCause
from rankcast.choose.filters.chance import chance
from rankcast.choose.filters.filtered import Verdict
from rankcast.plain import State


def budget_of_period(rate: float, period: int, number: int) -> int:
    """How many events of a period pass, numbered from 0. If rate * period is no whole number, the rest is carried over.

    >>> [budget_of_period(0.25, 10, number) for number in range(4)]
    [2, 3, 2, 3]
    """
    return math.floor(rate * period * (number + 1) + 1e-9) - math.floor(rate * period * number + 1e-9)


class Random:
    """Passes exactly the share `rate` of each period, every choice of events being equally likely.

    An event passes with the probability of what is left of the period's budget, divided by the events that are left.
    Without a `period`, it passes each candidate with probability `rate`, and has no budget and no state. O(1) per
    event.
    """

    def __init__(self, user: str, rate: float, seed: int = 0, period: int | None = None) -> None:
        self._user = user
        self._rate = rate
        self._seed = seed
        self._period = period
        self._t = 0
        self._passed = 0

    def admit(self, candidate: Candidate) -> Verdict:
        """Decide on the next candidate."""
        drawn = chance(self._seed, self._user, candidate.event.id)
        probability = self._probability()
        passed = drawn < probability
        self._passed += passed
        self._t += 1
        action = "passed" if passed else "stopped by"
        reason = f"{action} the random filter: drawn {drawn:.4f}, probability {probability:.4f}"
        return Verdict(passed, reason, None if passed else StopCause.CHANCE)

    def keep(self, ids: Collection[str]) -> None:
        """There is nothing to forget."""

    def state(self) -> State:
        """The state as plain data, for `restore`; empty without a period."""
        return {} if self._period is None else {"t": self._t, "passed": self._passed}

    def restore(self, state: State) -> None:
        """Continue from a saved `state`. An empty state, of an earlier version, starts a period."""
        self._t = state.get("t", 0)
        self._passed = state.get("passed", 0)

    def _probability(self) -> float:
        if self._period is None:
            return self._rate
        number, seen = divmod(self._t, self._period)
        if seen == 0:
            self._passed = 0
        return (budget_of_period(self._rate, self._period, number) - self._passed) / (self._period - seen)

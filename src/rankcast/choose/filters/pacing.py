"""How a filter spends its budget evenly: the level that follows from what is unspent (semantics: Paced filters)."""

import math
from typing import ClassVar

from rankcast.choose.state import DeclaredState
from rankcast.model import Filter, FilterKind, Scoring, Update

SLACK = 0.2
"""The part of a period's budget that may be unspent, so that ten periods get the rate within 2 %."""


class Pacing(DeclaredState):
    """A running budget: `rate` times the matching events so far, less what passed.

    An event may pass while something is unspent. So at any time at most one event more than rate * events has passed.
    The `level` is the share of recent scores that reach the threshold. It is the rate while a tenth to a half of the
    `slack` is unspent. Below it falls to 0, above it rises to 1. At the full slack every event passes. So what is
    unspent stays between -1 and the slack, and any stretch of events gets its rate within one slack and one event,
    whatever the stream is.

    It falls late, because a low level leaves the budget to the highest scores alone. After a join these are the new
    subscriptions', and the others would get little until the new ones have made up for the past.

    >>> pacing = Pacing(rate=0.2, period=1000)
    >>> round(pacing.slack, 9)
    39.0
    >>> pacing.begin()
    >>> pacing.unspent, round(pacing.level, 3)
    (0.2, 0.01)
    """

    saved: ClassVar = {"t": "t", "passed": "passed"}

    def __init__(self, rate: float, period: int) -> None:
        self.rate = rate
        self.period = period
        self.slack = max(1.0, SLACK * rate * period - 1)
        self.t = 0
        self.passed = 0

    def begin(self) -> None:
        """Count the next matching event, before it is decided."""
        self.t += 1

    @property
    def unspent(self) -> float:
        """The budget of the events so far, less what passed."""
        return self.rate * self.t - self.passed

    @property
    def spent(self) -> str:
        """What passed so far, in words."""
        return f"{self.passed} of {self.t} events passed, which is the rate {self.rate:g}"

    @property
    def few(self) -> float:
        """A tenth of the slack; the level falls if less is unspent."""
        return self.slack / 10

    @property
    def level(self) -> float:
        """The share of recent scores that may pass, from 0 to 1."""
        half = self.slack / 2
        unspent = self.unspent
        if unspent <= half:
            return max(0.0, self.rate * min(1.0, unspent / self.few))
        return min(1.0, self.rate + (1 - self.rate) * (unspent - half) / half)

    @property
    def budget(self) -> int:
        """How many events of a period may pass."""
        return math.floor(self.rate * self.period + 1e-9)

    def begins_turn(self, active: int) -> bool:
        """Whether this event begins a turn; `active` is the number of subscriptions that matched before."""
        return self.unspent >= min(self.slack, max(1, active))


def takes_turns(settings: Filter) -> bool:
    """Whether the subscriptions of a paced filter take turns: if it goes by interval, without aging."""
    return (
        settings.novelty is FilterKind.THRESHOLD
        and settings.update is Update.PACED
        and settings.scoring is Scoring.INTERVAL
        and settings.aging == 1
    )

"""How many events may still pass, at most k per period or window, and a random decision within that.

See semantics: Novelty.
"""

import math
from collections import deque
from typing import ClassVar

from rankcast.choose.candidates import Candidate, StopCause
from rankcast.choose.filters.chance import chance
from rankcast.choose.filters.filtered import Verdict
from rankcast.choose.state import DeclaredState
from rankcast.model import Update


class Budget(DeclaredState):
    """A budget of `k` events for each period of matching events (lazy) or for the last `period` of them (eager).

    `k` is rate * period, rounded down, so never more than rate * period events pass. If that is less than one event,
    nothing passes. A tiny tolerance makes 0.29 * 100 give 29 although the floating-point product is smaller.
    Amortised O(1) per event; keeps at most k positions.

    >>> budget = Budget(rate=0.5, period=4, update=Update.EAGER)
    >>> passed = []
    >>> for _ in range(9):
    ...     passed.append(budget.has_room)
    ...     budget.count(passed[-1])
    >>> "".join("x" if one else "-" for one in passed)
    'xx---xx--'
    """

    saved: ClassVar = {"t": "t", "passed": "_passed"}

    def __init__(self, rate: float, period: int, update: Update) -> None:
        self.k = math.floor(rate * period + 1e-9)
        self.period = period
        self.update = update
        self.t = 0
        self._passed: deque[int] = deque()

    @property
    def has_room(self) -> bool:
        """Whether the next matching event may pass."""
        return len(self._passed) < self.k

    @property
    def ends_period(self) -> bool:
        """Whether the event counted last was the last one of a period."""
        return self.t % self.period == 0

    def count(self, passed: bool) -> None:
        """Count one more matching event, and whether it passed."""
        self.t += 1
        if passed:
            self._passed.append(self.t)
        start = self.t - self.period if self.update is not Update.LAZY else self.t // self.period * self.period
        while self._passed and self._passed[0] <= start:
            self._passed.popleft()

    def label(self) -> str:
        """For people: "200 of 1000 events"."""
        return f"{self.k} of {self.period} events"


def draw(seed: int, user: str, candidate: Candidate, probability: float, budget: Budget) -> Verdict:
    """Let a candidate pass with the given probability while the budget has room."""
    drawn = chance(seed, user, candidate.event.id)
    if drawn >= probability:
        reason = f"stopped by the sampling filter: drawn {drawn:.4f}, probability {probability:.4f}"
        return Verdict(False, reason, StopCause.CHANCE)
    if not budget.has_room:
        return Verdict(False, f"stopped by the sampling filter: {budget.label()} passed already", StopCause.BUDGET)
    return Verdict(True, f"passed the sampling filter: drawn {drawn:.4f}, probability {probability:.4f}")

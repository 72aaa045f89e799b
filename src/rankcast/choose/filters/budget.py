"""How many events may still pass: at most k of each period, or of any window, of matching events (semantics: Novelty)."""

import math
from collections import deque
from typing import Any

from rankcast.model import Update

__all__ = ["Budget"]


class Budget:
    """`k` = rate * period, rounded down, for each period of matching events (lazy) or the last `period` (eager).

    Rounding down keeps the promise of never more than rate * period; where that is less than one event, nothing
    passes at all. A tiny allowance makes 0.29 * 100 come out as 29 although its product in floating point is less.
    Amortised O(1) per event; keeps at most k positions.

    >>> budget = Budget(rate=0.5, period=4, update=Update.EAGER)
    >>> passed = []
    >>> for _ in range(9):
    ...     passed.append(budget.has_room)
    ...     budget.count(passed[-1])
    >>> "".join("x" if one else "-" for one in passed)
    'xx---xx--'
    """

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
        """One more matching event, which passed or did not."""
        self.t += 1
        if passed:
            self._passed.append(self.t)
        start = self.t - self.period if self.update is Update.EAGER else self.t // self.period * self.period
        while self._passed and self._passed[0] <= start:
            self._passed.popleft()

    def label(self) -> str:
        """For people: "200 of 1000 events"."""
        return f"{self.k} of {self.period} events"

    def state(self) -> dict[str, Any]:
        """Plain data that `restore` takes back."""
        return {"t": self.t, "passed": list(self._passed)}

    def restore(self, state: dict[str, Any]) -> None:
        """Go on where `state` was taken."""
        self.t = state["t"]
        self._passed = deque(state["passed"])

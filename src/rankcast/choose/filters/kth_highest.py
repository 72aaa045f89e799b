"""Score thresholds: the k-th highest score of the previous period or of a sliding window, or a fixed value."""

from collections import deque
from heapq import heapify, heappop, heappush, heappushpop, nlargest
from typing import Protocol

from rankcast.plain import State

__all__ = ["FixedThreshold", "KthOfPeriod", "KthOfWindow", "ScoreThreshold"]


class ScoreThreshold(Protocol):
    """The lowest score that passes. It may change with every score added."""

    @property
    def value(self) -> float:
        """The lowest score that passes now."""

    def add(self, score: float) -> None:
        """Take one more score into account."""

    def state(self) -> State:
        """The state as plain data, for `restore`."""

    def restore(self, state: State) -> None:
        """Continue from a saved `state`."""


class FixedThreshold:
    """A threshold that never changes."""

    def __init__(self, value: float) -> None:
        self.value = value

    def add(self, score: float) -> None:
        """There is nothing to learn."""

    def state(self) -> State:
        """Empty: there is no state."""
        return {}

    def restore(self, state: State) -> None:
        """There is nothing to restore."""


class KthOfPeriod:
    """The k-th highest score of the period before the current one; 0 in the first period.

    O(log k) per score; keeps k scores.
    """

    def __init__(self, k: int, period: int) -> None:
        self.value = 0.0
        self._k = k
        self._period = period
        self._seen = 0
        self._highest: list[float] = []

    def add(self, score: float) -> None:
        """Add a score to the current period; the last score of a period sets the value for the next."""
        self._seen += 1
        if len(self._highest) < self._k:
            heappush(self._highest, score)
        elif self._k:
            heappushpop(self._highest, score)
        if self._seen == self._period:
            self.value = self._highest[0] if self._highest else 0.0
            self._seen = 0
            self._highest = []

    def state(self) -> State:
        """The state as plain data, for `restore`."""
        return {"value": self.value, "seen": self._seen, "highest": sorted(self._highest)}

    def restore(self, state: State) -> None:
        """Continue from a saved `state`."""
        self.value = state["value"]
        self._seen = state["seen"]
        self._highest = list(state["highest"])


class KthOfWindow:
    """The k-th highest of the last `length` scores; 0 while there are fewer than k.

    One heap has the k highest scores, lowest on top; the other has the rest, highest on top. A score that leaves the
    window stays in its heap until it reaches the top, or until half of the heaps' entries are stale and the heaps are
    rebuilt. Amortised O(log length) per score, and per step by which `resize` changes k.

    >>> window = KthOfWindow(k=2, length=3)
    >>> for score in (5, 1, 4, 2, 3):
    ...     window.add(score)
    >>> window.value
    3
    """

    def __init__(self, k: int, length: int) -> None:
        self._k = k
        self._length = length
        self._window: deque[float] = deque()
        self._arrived = 0
        self._above: list[tuple[float, int]] = []  # (score, arrival), lowest first
        self._below: list[tuple[float, int]] = []  # (-score, -arrival), highest first
        self._is_above: set[int] = set()

    @property
    def value(self) -> float:
        """The k-th highest score."""
        return self._above[0][0] if self._k and len(self._is_above) == self._k else 0.0

    def add(self, score: float) -> None:
        """Add a score; if the window is full, the oldest score leaves."""
        if len(self._window) == self._length:
            self._window.popleft()
            self._is_above.discard(self._arrived - self._length)
        self._window.append(score)
        heappush(self._below, (-score, -self._arrived))
        self._arrived += 1
        self._settle()
        if len(self._above) + len(self._below) > 2 * self._length:
            self._rebuild()

    def resize(self, k: int) -> None:
        """Change k."""
        while len(self._is_above) > k:
            self._drop_gone()
            self._lower()
        self._k = k
        self._drop_gone()
        self._fill()

    def __len__(self) -> int:
        """How many scores are in the window."""
        return len(self._window)

    def state(self) -> State:
        """The state as plain data, for `restore`."""
        return {"window": list(self._window)}

    def restore(self, state: State) -> None:
        """Continue from a saved `state`."""
        self._window = deque(state["window"])
        self._arrived = len(self._window)
        self._rebuild()

    def _settle(self) -> None:
        """Move scores so that the k highest are above. At most one score is on the wrong side, and one is missing."""
        self._drop_gone()
        if self._above:
            self._lower()
            self._drop_gone()
        self._fill()

    def _lower(self) -> None:
        """Move the lowest score above to below."""
        score, arrival = heappop(self._above)
        self._is_above.discard(arrival)
        heappush(self._below, (-score, -arrival))

    def _fill(self) -> None:
        """Move the highest scores from below until k are above."""
        while len(self._is_above) < self._k and self._below:
            score, arrival = heappop(self._below)
            heappush(self._above, (-score, -arrival))
            self._is_above.add(-arrival)
            self._drop_gone()

    def _drop_gone(self) -> None:
        """Pop stale scores until the top of each heap is in the window."""
        oldest = self._arrived - len(self._window)
        while self._above and self._above[0][1] < oldest:
            heappop(self._above)
        while self._below and -self._below[0][1] < oldest:
            heappop(self._below)

    def _rebuild(self) -> None:
        oldest = self._arrived - len(self._window)
        scores = [(score, oldest + place) for place, score in enumerate(self._window)]
        self._above = nlargest(self._k, scores)
        self._is_above = {arrival for _, arrival in self._above}
        self._below = [(-score, -arrival) for score, arrival in scores if arrival not in self._is_above]
        heapify(self._above)
        heapify(self._below)

"""How many events matched a user, and how many were delivered because of each subscription: over all history, over the
period or window, or fading (semantics: Novelty counts)."""

from collections import deque
from collections.abc import Collection, Iterable

from rankcast.plain import State

_LARGEST = 2.0**100


class DeliveryCounts:
    """Counts of the events before the current one, over all history. O(1) per delivery and subscription."""

    def __init__(self) -> None:
        self.t = 0
        self._delivered: dict[str, float] = {}

    @property
    def total(self) -> float:
        """The events that matched the user."""
        return self.t - 1

    def of(self, subscription: str) -> float:
        """The events that were delivered because of a subscription."""
        return self._delivered.get(subscription, 0)

    def advance(self) -> None:
        """Go to the next event that matches the user."""
        self.t += 1

    def add(self, credited: Iterable[str]) -> None:
        """Count a delivery at the current event."""
        for subscription in credited:
            self._delivered[subscription] = self._delivered.get(subscription, 0) + 1

    def keep(self, ids: Collection[str]) -> None:
        """Forget all other subscriptions."""
        self._delivered = {name: count for name, count in self._delivered.items() if name in ids}

    def state(self) -> State:
        """Plain data for `restore`."""
        return {"t": self.t, "delivered": dict(self._delivered)}

    def restore(self, state: State) -> None:
        """Continue from a saved `state`."""
        self.t = state["t"]
        self._delivered = dict(state["delivered"])


class PeriodCounts(DeliveryCounts):
    """Counts since the start of the current period of matching events; for a lazy filter.

    >>> counts = PeriodCounts(period=2)
    >>> seen = []
    >>> for _ in range(4):
    ...     counts.advance()
    ...     seen.append((counts.total, counts.of("a")))
    ...     counts.add(["a"])
    >>> seen
    [(0, 0), (1, 1), (0, 0), (1, 1)]
    """

    def __init__(self, period: int) -> None:
        super().__init__()
        self._period = period

    @property
    def total(self) -> float:
        """The events of the period before the current one."""
        return (self.t - 1) % self._period

    def advance(self) -> None:
        """Go to the next event, and to the next period if one is over."""
        super().advance()
        if self.total == 0:
            self._delivered = {}


class WindowCounts(DeliveryCounts):
    """Counts over the last `length` matching events; for an eager or paced filter. Keeps the deliveries of the window.

    >>> counts = WindowCounts(length=2)
    >>> seen = []
    >>> for delivered in (True, False, False, False):
    ...     counts.advance()
    ...     seen.append((counts.total, counts.of("a")))
    ...     counts.add(["a"] if delivered else [])
    >>> seen
    [(0, 0), (1, 1), (2, 1), (2, 0)]
    """

    def __init__(self, length: int) -> None:
        super().__init__()
        self._length = length
        self._window: deque[tuple[int, tuple[str, ...]]] = deque()

    @property
    def total(self) -> float:
        """The events of the window."""
        return min(self.t - 1, self._length)

    def advance(self) -> None:
        """Go to the next event; a delivery leaves the window `length` events after it."""
        super().advance()
        while self._window and self._window[0][0] < self.t - self._length:
            for subscription in self._window.popleft()[1]:
                self._delivered[subscription] -= 1

    def add(self, credited: Iterable[str]) -> None:
        """Count a delivery at the current event."""
        names = tuple(credited)
        super().add(names)
        if names:
            self._window.append((self.t, names))

    def keep(self, ids: Collection[str]) -> None:
        """Forget all other subscriptions."""
        super().keep(ids)
        self._window = deque((at, tuple(name for name in names if name in ids)) for at, names in self._window)

    def state(self) -> State:
        """Plain data for `restore`."""
        return {**super().state(), "window": [[at, list(names)] for at, names in self._window]}

    def restore(self, state: State) -> None:
        """Continue from a saved `state`. A state of an earlier version has no window; it starts with an empty one."""
        self.t = state["t"]
        self._delivered = {}
        self._window = deque()
        for at, names in state.get("window", ()):
            self._window.append((at, tuple(names)))
            super().add(names)


class FadingCounts(DeliveryCounts):
    """Counts that halve every `half_life` matching events.

    The weight of new events grows instead, and everything is divided by a power of two before it gets too large. So an
    event costs O(1), whatever the number of subscriptions.

    >>> counts = FadingCounts(half_life=1)
    >>> for _ in range(3):
    ...     counts.advance()
    ...     counts.add(["a"])
    >>> counts.advance()
    >>> counts.of("a") / counts.total
    1.0
    """

    def __init__(self, half_life: int) -> None:
        super().__init__()
        self._growth = 2.0 ** (1 / half_life)
        self._weight = 1.0
        self._total = 0.0

    @property
    def total(self) -> float:
        """The events before the current one, in units of its weight, as deliveries are."""
        return self._total

    def advance(self) -> None:
        """Go to the next event."""
        if self.t:
            self._total += self._weight
            self._weight *= self._growth
        self.t += 1
        if self._weight > _LARGEST:
            self._weight /= _LARGEST
            self._total /= _LARGEST
            self._delivered = {name: count / _LARGEST for name, count in self._delivered.items()}

    def add(self, credited: Iterable[str]) -> None:
        """Count a delivery at the current event."""
        for subscription in credited:
            self._delivered[subscription] = self._delivered.get(subscription, 0.0) + self._weight

    def state(self) -> State:
        """Plain data for `restore`."""
        return {**super().state(), "weight": self._weight, "total": self._total}

    def restore(self, state: State) -> None:
        """Continue from a saved `state`. In a state of an earlier version, all counts are as old as the last event."""
        self.t = state["t"]
        self._weight = state.get("weight", 1.0)
        self._total = state.get("total", float(max(0, self.t - 1)))
        self._delivered = {name: float(count) for name, count in state["delivered"].items()}

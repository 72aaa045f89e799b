"""How often each subscription of a user matches: in total, within a window, or fading (semantics: Novelty)."""

from collections import deque
from collections.abc import Collection, Iterable

from rankcast.plain import State
from rankcast.rank.delivery_counts import FadingCounts


class MatchesSince:
    """Matches of each subscription among the events since the start, or since the last `reset`.

    When a subscription leaves, the events that matched only it no longer count. Their number is exact if the user's
    subscriptions are disjoint or nested; else it is estimated from the matches of each. O(1) per match; keeps three
    numbers per subscription.
    """

    def __init__(self) -> None:
        self._t = 0
        self._start = 0
        self._known: dict[str, list[int]] = {}  # matches, position of the first, of the last

    def add(self, matching: Iterable[str]) -> None:
        """Count one more event that matches the user."""
        self._t += 1
        for subscription in matching:
            known = self._known.setdefault(subscription, [0, self._t, self._t])
            known[0] += 1
            known[2] = self._t

    def reset(self) -> None:
        """Start over with the next event."""
        self._start = self._t
        self._known = {}

    def rate(self, subscription: str) -> float:
        """The share of the user's events that match the subscription."""
        count = self._known[subscription][0] if subscription in self._known else 0
        return count / (self._t - self._start) if count else 0.0

    def mean_distance(self, subscription: str) -> float | None:
        """The mean distance between its consecutive matches; None if there are not two."""
        count, first, last = self._known.get(subscription, (0, 0, 0))
        return (last - first) / (count - 1) if count > 1 else None

    def keep(self, ids: Collection[str]) -> None:
        """Forget all subscriptions except these, and the events that matched none of these."""
        kept = {subscription: known for subscription, known in self._known.items() if subscription in ids}
        if len(kept) == len(self._known):
            return
        total, matches = self._t - self._start, sum(known[0] for known in self._known.values())
        share = sum(known[0] for known in kept.values()) * min(total, matches) // matches
        events = max(share, max((known[0] for known in kept.values()), default=0))
        for known in kept.values():
            known[2] = self._t - (self._t - known[2]) * events // total
            known[1] = min(self._t - (self._t - known[1]) * events // total, known[2] - known[0] + 1)
        self._start = self._t - events
        self._known = kept

    def state(self) -> State:
        """The state as plain data, for `restore`."""
        return {"t": self._t, "start": self._start, "known": {key: list(known) for key, known in self._known.items()}}

    def restore(self, state: State) -> None:
        """Continue from a saved `state`."""
        self._t = state["t"]
        self._start = state["start"]
        self._known = {key: list(known) for key, known in state["known"].items()}


class MatchesWithin:
    """Matches of each subscription among the last `length` events.

    When a subscription leaves, the events that matched only it no longer count. Amortised O(1) per match. Keeps the
    positions of the matches; old ones are dropped when the subscription is used.
    """

    def __init__(self, length: int) -> None:
        self._length = length
        self._t = 0
        self._start = 0
        self._positions: dict[str, deque[int]] = {}

    def add(self, matching: Iterable[str]) -> None:
        """Count one more event that matches the user."""
        self._t += 1
        for subscription in matching:
            self._recent(subscription).append(self._t)

    def rate(self, subscription: str) -> float:
        """The share of the user's events that match the subscription."""
        count = len(self._recent(subscription))
        return count / min(self._t - self._start, self._length) if count else 0.0

    def mean_distance(self, subscription: str) -> float | None:
        """The mean distance between its consecutive matches; None if there are not two."""
        recent = self._recent(subscription)
        return (recent[-1] - recent[0]) / (len(recent) - 1) if len(recent) > 1 else None

    def keep(self, ids: Collection[str]) -> None:
        """Forget all subscriptions except these, and the events that matched none of these."""
        kept = {key: self._recent(key) for key in self._positions if key in ids}
        if len(kept) == len(self._positions):
            return
        events = sorted({position for positions in kept.values() for position in positions})
        self._start = self._t - len(events)
        renumbered = {position: self._start + number for number, position in enumerate(events, 1)}
        self._positions = {key: deque(renumbered[position] for position in kept[key]) for key in kept}

    def state(self) -> State:
        """The state as plain data, for `restore`."""
        positions = {key: list(positions) for key, positions in self._positions.items()}
        return {"t": self._t, "start": self._start, "positions": positions}

    def restore(self, state: State) -> None:
        """Continue from a saved `state`."""
        self._t = state["t"]
        self._start = state.get("start", 0)
        self._positions = {key: deque(positions) for key, positions in state["positions"].items()}

    def _recent(self, subscription: str) -> deque[int]:
        positions = self._positions.setdefault(subscription, deque())
        while positions and positions[0] <= self._t - self._length:
            positions.popleft()
        return positions


class FadingMatches:
    """Matches of each subscription, which halve every `half_life` events. O(1) per match.

    The mean distance between matches is the inverse of the rate.
    """

    def __init__(self, half_life: int) -> None:
        self._counts = FadingCounts(half_life)
        self._counts.advance()

    def add(self, matching: Iterable[str]) -> None:
        """Count one more event that matches the user."""
        self._counts.add(matching)
        self._counts.advance()

    def rate(self, subscription: str) -> float:
        """The share of the user's events that match the subscription."""
        total = self._counts.total
        return self._counts.of(subscription) / total if total else 0.0

    def mean_distance(self, subscription: str) -> float | None:
        """The mean distance between its consecutive matches; None if it never matched."""
        rate = self.rate(subscription)
        return 1 / rate if rate else None

    def keep(self, ids: Collection[str]) -> None:
        """Forget all subscriptions except these; what matched none of them fades."""
        self._counts.keep(ids)

    def state(self) -> State:
        """The state as plain data, for `restore`."""
        return self._counts.state()

    def restore(self, state: State) -> None:
        """Continue from a saved `state`."""
        self._counts.restore(state)

"""History-based filtering over arrays (semantics: Delivery modes)."""

import numpy as np

from rankcast.engine.arrays.entries import Entries, grown
from rankcast.engine.arrays.matching import Integers
from rankcast.engine.arrays.space import space_of
from rankcast.engine.arrays.stream import EventBatch, SentRows, UserMatches
from rankcast.engine.arrays.table import EventTable
from rankcast.engine.arrays.windowed import WindowMode
from rankcast.model import Policy, Ties
from rankcast.plain import State

__all__ = ["ArrayHistory"]


class ArrayHistory(WindowMode):
    """The list of sent events, updated for a whole batch by one kernel.

    Per matching event: O(k) by rank alone; O(k) distances and O(k^2) sums with diversity.
    """

    def __init__(self, policy: Policy, table: EventTable) -> None:
        super().__init__(policy, table)
        self._held: Integers = np.empty(0, np.int64)

    def publish(self, stream: EventBatch, found: UserMatches) -> SentRows | None:
        """Decide on each matching event of the batch."""
        now = stream.positions(self._unit, self._matched, found)
        old = len(self.entries)
        entries = grown(self.entries, stream, found, now)
        self.entries = entries
        self._matched += len(found.at)
        sent = np.zeros(len(entries), np.bool_)
        held = np.empty(min(self._k, len(entries)) + 1, np.int64)
        self._held = held[: self._follow(entries, old, held, sent)]
        entry = np.flatnonzero(sent)
        return stream.sent_at(found.at[entry - old], entry)

    def settle(self) -> None:
        """Keep only the list."""
        self.entries = self.entries[self._held]
        self._held = np.arange(len(self._held))

    def state(self, candidates: list[State]) -> State:
        """The state in the format of the reference engine."""
        positions = self.entries["position"].tolist()
        return {
            "held": {
                "matched": self._matched,
                "entries": [[position, candidate] for position, candidate in zip(positions, candidates, strict=True)],
            }
        }

    def restore(self, state: State, entries: Entries) -> None:
        """Continue from a saved `state`."""
        self._matched = state["held"]["matched"]
        self.entries = entries
        self._held = np.arange(len(entries))

    @staticmethod
    def kept(state: State) -> tuple[list[State], list[int]]:
        """The candidates of the list, and their positions."""
        kept = state["held"]["entries"]
        return [candidate for _, candidate in kept], [position for position, _ in kept]

    def _follow(self, entries: Entries, old: int, held: Integers, sent: object) -> int:
        if len(entries) == old:
            held[:old] = np.arange(old)
            return old
        from rankcast.engine.arrays.kernels.histories import remember_by_rank, remember_diverse

        policy = self._policy
        k = min(self._k, len(entries))  # because the kernels allocate memory for k entries
        replace = policy.ties is Ties.REPLACE
        positions = entries["position"]
        if policy.sigma == 1:
            return int(remember_by_rank(positions, entries["grid"], old, k, self._span, replace, held, sent))
        count: int = remember_diverse(
            positions,
            entries["rank"],
            old,
            k,
            policy.sigma,
            self._span,
            replace,
            space_of(entries["row"], self._table, policy),
            held,
            sent,
        )
        return count

"""Sliding-window delivery over arrays (semantics: Delivery modes)."""

import numpy as np

from rankcast.choose.ties import GRID_STEPS, on_grid
from rankcast.engine.arrays.entries import Entries, grown
from rankcast.engine.arrays.matching import Integers
from rankcast.engine.arrays.rings import Ring
from rankcast.engine.arrays.space import space_of
from rankcast.engine.arrays.stream import EventBatch, SentRows, UserMatches
from rankcast.engine.arrays.table import EventTable
from rankcast.engine.arrays.windowed import WindowMode
from rankcast.model import Policy, Select, Unit
from rankcast.plain import State

__all__ = ["ArraySliding"]

_LARGEST_RING = 2048
"""The most entries of a window that keeps its distances from batch to batch, if the shard has memory for them."""

_LARGEST_TABLE = 512
"""The most entries of other windows that keep their distances during a batch; this takes 2 MiB at most, once."""


class ArraySliding(WindowMode):
    """Slides the window over a batch with one kernel.

    By rank alone, only the entries that can still enter the top-k are examined: about k ln(w / k) of a window of w in
    random order. The others are kept in case the user asks for a larger k or for diversity. With diversity, a step
    costs one distance per entry for the new event, and examines each entry k times. A calm window examines each entry
    up to k times more when a member of its set leaves.
    """

    def __init__(self, policy: Policy, table: EventTable) -> None:
        super().__init__(policy, table)
        self._now = 0
        self._ring = Ring()

    def publish(self, stream: EventBatch, found: UserMatches) -> SentRows | None:
        """Move the window over the batch."""
        now = stream.positions(self._unit, self._matched, found)
        old = len(self.entries)
        entries = grown(self.entries, stream, found, now)
        if self._unit is Unit.TIME and (np.diff(entries["position"]) < 0).any():
            return None
        self.entries = entries
        self._matched += len(found.at)
        self._now = int(now[-1])
        triggers = np.empty(len(entries), np.int64)
        chosen = np.empty(len(entries), np.int64)
        written = 0
        if len(entries):
            plain = self._policy.sigma == 1 and not self._policy.calm
            slide = self._by_rank if plain else self._diverse
            written = slide(now, found.at, old, triggers, chosen)
        return stream.sent_at(triggers[:written], chosen[:written])

    def settle(self) -> None:
        """Drop the entries that have left the window."""
        gone = int(np.searchsorted(self.entries["position"], self._now - self._span, side="right"))
        if gone:
            self.entries = self.entries[gone:].copy()
            self.entries["best_with"] -= gone
            self._ring.drop(gone)

    def state(self, candidates: list[State]) -> State:
        """The state in the format of the reference engine."""
        positions = self.entries["position"].tolist()
        window = {
            "matched": self._matched,
            "entries": [[position, candidate] for position, candidate in zip(positions, candidates, strict=True)],
        }
        seqs = self.entries["seq"]
        calm = {"kept": seqs[self.entries["kept"]].tolist()} if self._policy.calm else {}
        return {"window": window, "sent": seqs[self.entries["sent"]].tolist(), **calm}

    def restore(self, state: State, entries: Entries) -> None:
        """Continue from a saved `state`."""
        self._matched = state["window"]["matched"]
        self.entries = entries
        self._ring.known = 0
        self.entries["sent"] = np.isin(entries["seq"], np.array(state["sent"], np.int64))
        self.entries["kept"] = np.isin(entries["seq"], np.array(state.get("kept", ()), np.int64))
        if len(entries):
            self._now = int(entries["position"][-1])
        if self._policy.sigma == 1:
            self.entries["dominated"] = _dominated(entries["grid"])

    @staticmethod
    def kept(state: State) -> tuple[list[State], list[int]]:
        """The candidates of the window, and their positions."""
        kept = state["window"]["entries"]
        return [candidate for _, candidate in kept], [position for position, _ in kept]

    def _by_rank(self, now: Integers, at: Integers, old: int, triggers: Integers, chosen: Integers) -> int:
        from rankcast.engine.arrays.kernels.windows import slide_by_rank

        entries = self.entries
        alive = np.flatnonzero(entries["dominated"][:old] < self._k)
        order = np.empty(len(entries) + 1, np.int64)
        order[: len(alive)] = alive[np.lexsort((alive, entries["grid"][alive]))[::-1]]
        steps: int = slide_by_rank(
            now,
            at,
            entries["position"],
            entries["grid"],
            old,
            order,
            len(alive),
            self._k,
            self._span,
            entries["dominated"],
            entries["sent"],
            triggers,
            chosen,
        )
        return steps

    def _diverse(self, now: Integers, at: Integers, old: int, triggers: Integers, chosen: Integers) -> int:
        from rankcast.engine.arrays.kernels.windows import slide_diverse

        entries, policy = self.entries, self._policy
        positions = entries["position"]
        begins = np.searchsorted(positions, positions - self._span, side="right")
        longest = max(int((np.arange(len(entries)) - begins).max()) + 1, old)
        ring = self._ring
        rows = entries["row"]
        if policy.sigma == 1:  # no distances
            rows, table, known = rows[:0], np.empty((0, 0)), 0
        elif self._table.rings.make_room(ring, longest, _LARGEST_RING):
            table, known = ring.table, ring.known
        else:
            # Filling the table costs old^2 / 2 distances; without it, a step costs about k * longest.
            pays = longest <= _LARGEST_TABLE and old * old < 2 * self._k * longest * (len(entries) - old)
            table, known = np.empty((longest, longest) if pays else (0, 0)), 0
        steps: int = slide_diverse(
            now,
            at,
            positions,
            entries["seq"],
            entries["rank"],
            old,
            self._k,
            policy.sigma,
            policy.select is Select.IMPROVED,
            round(on_grid(policy.calm) * GRID_STEPS) if policy.calm else -1,
            self._span,
            space_of(rows, self._table, policy),
            (ring.passed + np.arange(len(entries))) % max(len(table), 1),
            known,
            table,
            entries["best"],
            entries["best_with"],
            entries["kept"],
            entries["sent"],
            triggers,
            chosen,
        )
        if table is ring.table:
            ring.known = len(entries)
        return steps


def _dominated(grid: Integers) -> Integers:
    """For each entry, the number of later entries with at least the same rank."""
    counts = [0] * len(grid)
    later: list[int] = []
    from bisect import bisect_left, insort

    for place in range(len(grid) - 1, -1, -1):
        counts[place] = len(later) - bisect_left(later, int(grid[place]))
        insort(later, int(grid[place]))
    return np.array(counts, np.int64)

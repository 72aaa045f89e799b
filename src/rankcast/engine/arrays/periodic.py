"""Periodic delivery over arrays (semantics: Delivery modes)."""

from collections.abc import Mapping

import numpy as np

from rankcast.choose.periodic import clock_state
from rankcast.choose.positions import instant, microseconds
from rankcast.engine.arrays.entries import Entries, grown
from rankcast.engine.arrays.matching import Integers
from rankcast.engine.arrays.space import space_of
from rankcast.engine.arrays.stream import NOTHING, EventBatch, SentRows, UserMatches
from rankcast.engine.arrays.table import EventTable
from rankcast.engine.arrays.windowed import WindowMode
from rankcast.model import Policy, Select, Unit
from rankcast.plain import State

__all__ = ["ArrayPeriodic"]

_NONE = np.empty(0, np.int64)


class ArrayPeriodic(WindowMode):
    """Chooses in all periods that end in a batch with one kernel.

    Only the chosen events and the unfinished period become entries.

    O(events log k) by rank alone, O(n^2) distances for a period of n events with diversity.
    """

    def __init__(self, policy: Policy, table: EventTable) -> None:
        super().__init__(policy, table)
        self._origin = microseconds(policy.origin) if self._unit is Unit.TIME else 1
        self._period: int | None = None
        self._last = 0
        self._open = 0
        self._clock: int | None = None
        self._goes_by_clock = False

    def publish(self, stream: EventBatch, found: UserMatches) -> SentRows:
        """Choose in each period that ends in the batch."""
        positions = stream.positions(self._unit, self._matched, found)
        if self._unit is Unit.TIME:
            periods, self._clock, self._goes_by_clock = stream.periods_by_clock(
                self._span, self._origin, self._clock, self._goes_by_clock
            )
        else:
            periods = stream.periods(self._unit, self._span, self._origin, positions)
        before = self._period
        if before is not None and periods[0] < before:
            periods = np.maximum(periods, before)
        old = len(self.entries)
        after = np.append(np.flatnonzero(periods[1:] != periods[:-1]) + 1, len(periods))  # where the next begins
        groups, ends = periods[after - 1], old + np.searchsorted(found.at, after)
        if old and before is not None and before != groups[0]:  # the old entries are a separate group
            after, groups, ends = (np.concatenate(pair) for pair in (([0], after), ([before], groups), ([old], ends)))
        filled = _sizes(ends) > 0
        after, groups, ends = after[filled], groups[filled], ends[filled]
        triggers, forwarded = self._triggers(stream, after, groups, positions)
        over = int((triggers < len(periods)).sum())
        end = int(ends[over - 1]) if over else 0
        if self._policy.sigma == 1:
            chosen = self._chosen(ends[:over], {"grid": np.concatenate((self.entries["grid"], found.grid))})
        else:
            chosen = self._chosen(ends[:over], grown(self.entries, stream, found, positions))
        kept = np.concatenate((chosen, np.arange(end, old + len(found.at))))
        new = kept[kept >= old] - old
        stays = UserMatches(found.at[new], found.pattern[new], found.rank[new], found.grid[new], found.degree[new])
        self.entries = grown(self.entries[kept[kept < old]], stream, stays, positions)
        sent = self._sent(ends[:over], groups[:over], triggers[:over], forwarded[:over])
        self._matched += len(found.at)
        self._period = int(periods[-1])
        self._last = stream.last_time
        return sent

    @property
    def due(self) -> int | None:
        """The end of the current period, if the clock ends it and there are events to deliver."""
        waits = self._goes_by_clock and self._period is not None and len(self.entries)
        return self._end(self._period) if waits and self._period is not None else None

    def advance(self, clock: int) -> SentRows:
        """Advance the clock to a time; if it lies in a later period, the current one ends."""
        if self._unit is not Unit.TIME:
            return NOTHING
        self._clock = max(self._clock or 0, clock)
        present = (self._clock - self._origin) // self._span + 1
        if not self._goes_by_clock or (self._period is not None and present <= self._period):
            return NOTHING
        owed = self.close()
        self._period = present
        return owed

    def close(self) -> SentRows:
        """End the current period."""
        if not len(self.entries):
            return NOTHING
        assert self._period is not None
        ends, group = np.array([len(self.entries)]), np.array([self._period])
        chosen = self._chosen(ends, self.entries)
        self.entries = self.entries[chosen]
        return self._sent(ends, group, np.zeros(1, np.int64), np.array([self._end(self._period)]))

    def settle(self) -> None:
        """Keep only the unfinished period."""
        self.entries = self.entries[self._open :].copy()
        self._open = 0

    def state(self, candidates: list[State]) -> State:
        """The state in the format of the reference engine."""
        return {
            "matched": self._matched,
            "period": self._period,
            "last": self._last,
            "candidates": candidates,
            **clock_state(self._clock, self._goes_by_clock),
        }

    def restore(self, state: State, entries: Entries) -> None:
        """Continue from a saved `state`."""
        self._matched, self._period, self._last = state["matched"], state["period"], state["last"]
        self._clock, self._goes_by_clock = state.get("clock"), state.get("goes_by_clock", False)
        self.entries = entries

    @staticmethod
    def kept(state: State) -> tuple[list[State], list[int]]:
        """The candidates of the current period; their positions no longer matter."""
        return state["candidates"], [0] * len(state["candidates"])

    def _triggers(
        self, stream: EventBatch, after: Integers, groups: Integers, positions: Integers
    ) -> tuple[Integers, Integers]:
        """The event at which each group's period ends, and when it is forwarded.

        The event is one beyond the batch if the period does not end in it. `after` is the first event of a later
        period.
        """
        if self._unit is Unit.TIME:
            return after, np.array([self._end(period) for period in groups.tolist()], np.int64)
        last = self._origin + groups * self._span - 1
        triggers = np.searchsorted(positions, last)
        is_there = positions.take(triggers, mode="clip") == last
        latest = np.where(is_there, triggers, triggers - 1)  # the last event of each period, or of the batch
        return triggers, np.where(latest < 0, self._last, stream.times(np.maximum(latest, 0)))

    def _chosen(self, ends: Integers, among: Entries | Mapping[str, Integers]) -> Integers:
        """The chosen entries in each group; if rank alone decides, `among` needs only the grid."""
        if not len(ends):
            return _NONE
        from rankcast.engine.arrays.kernels.periods import best_by_rank, best_diverse

        end = int(ends[-1])
        chosen = np.zeros(end, np.bool_)
        k = min(self._k, end)  # because the kernels allocate memory for k entries
        if self._policy.sigma == 1:
            best_by_rank(ends, np.ascontiguousarray(among["grid"]), k, chosen)
        else:
            space = space_of(among["row"][:end], self._table, self._policy)
            ranks = among["rank"][:end]
            by_rank = np.lexsort((-np.arange(end), -ranks, np.repeat(np.arange(len(ends)), _sizes(ends))))
            improves = self._policy.select is Select.IMPROVED
            best_diverse(ends, among["seq"][:end], ranks, by_rank, k, self._policy.sigma, improves, space, chosen)
        return np.flatnonzero(chosen)

    def _sent(self, ends: Integers, groups: Integers, triggers: Integers, forwarded: Integers) -> SentRows:
        """The deliveries of the chosen entries in each group, which are the first of the entries."""
        group = np.repeat(np.arange(len(ends)), np.minimum(_sizes(ends), self._k))
        self._open = len(group)
        return SentRows(triggers[group], groups[group], forwarded[group], np.arange(len(group)))

    def _end(self, period: int) -> int:
        """When a period is forwarded that only time, or the end of the stream, ends."""
        return microseconds(instant(self._origin + period * self._span)) if self._unit is Unit.TIME else self._last


def _sizes(ends: Integers) -> Integers:
    """The number of entries in each group."""
    sizes = ends.copy()
    sizes[1:] -= ends[:-1]
    return sizes

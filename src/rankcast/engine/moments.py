"""The moments of a stream that matter to a shard: the events that concern it, and those that end a window or period.

A shard that is given its matches needs no event that matches none of its users, except where time passes: a window
lets an older event in when another one leaves, and a period ends. Such an event is known by position and time only.
"""

from collections.abc import Iterable, Iterator, Sequence

import numpy as np

from rankcast.choose.positions import microseconds, span
from rankcast.matching.batch import Integers
from rankcast.model import Mode, Policy, Unit

MANY_LENGTHS = 32
"""With more different windows and periods than this, every event counts as relevant. This bounds the memory."""

_NONE = np.empty(0, np.int64)
_NEVER = -(2**63)


class RelevantMoments:
    """Selects the relevant moments of a stream that comes block by block, in publication order.

    Parameters
    ----------
    policies
        Those of the shard's users. Modes `all` and `history`, and lengths in matching events, need matches only.

    A window of w events changes w events after one that concerns the shard, and a window of time at the first event
    that is so much later. A period ends at its last event, or at the first event after its time, by the event's own time
    or by the clock. For each event that concerns the shard, one such moment per length is selected, so the cost does not
    depend on the other events, apart from a few nanoseconds each. To select too many moments changes nothing. The last
    moment of a block is always selected, because the stream may end there.

    A block in which times or clocks go back is selected as a whole, if there are lengths of time.
    """

    def __init__(self, policies: Iterable[Policy]) -> None:
        self.time: int | None = _NEVER
        """The latest time of an event so far, in microseconds; None if it is not known."""
        self.clock = _NEVER
        """The latest time of the clock so far."""
        self._seq = 0
        self._goes_on = False
        self._all_until = {Unit.EVENTS: _NEVER, Unit.TIME: _NEVER}
        """Up to this position, and this time, all events are selected, because what is due is not known."""
        self._due = {Unit.EVENTS: _NONE, Unit.TIME: _NONE}
        """The positions and times after the last block at which something is due."""
        self._policies = list(policies)
        self._windows, self._periods = _lengths(self._policies)

    def go_on(self, time: int | None, clock: int) -> None:
        """Go on with a shard that holds events of which nothing is known here; time and clock are those so far."""
        self.time, self.clock, self._goes_on = time, clock, True

    def update(self, policies: Iterable[Policy]) -> None:
        """Go on with other policies."""
        policies = list(policies)
        if policies == self._policies:
            return
        before, self._policies = (self._windows, self._periods), policies
        self._windows, self._periods = _lengths(policies)
        if (self._windows, self._periods) != before:
            self._forget_due(*before[0])

    def advance(self, clock: int) -> None:
        """Note that the clock has advanced without an event."""
        self.clock = max(self.clock, clock)

    def select(self, seq: Integers, times: Integers, concerned: Integers, clocks: Integers | None = None) -> Integers:
        """The indexes of the relevant moments in the next block, ascending.

        `seq` are the positions of all events of the block, `times` their times in microseconds, `clocks` the times at
        which they were received, if the clock counts, and `concerned` the indexes of the events that concern the shard.
        """
        if not len(seq):
            return _NONE
        if self._goes_on:
            self._seq, self._goes_on = int(seq[0]) - 1, False
            self._forget_due()
        relevant = [concerned, np.array([len(seq) - 1]), *self._by_position(seq, concerned)]
        is_all = len(self._windows) + len(self._periods) > MANY_LENGTHS
        is_all |= bool(self._all_until[Unit.EVENTS] >= seq[0])
        if any(of is Unit.TIME for of, *_ in (*self._windows, *self._periods)):
            is_all |= self.time is None or bool(self._all_until[Unit.TIME] >= times[0])
            by_time, is_orderly = self._by_time(times, concerned, clocks)
            is_all |= not is_orderly
            relevant += by_time
        self._seq = int(seq[-1])
        self.time = None if self.time is None else max(self.time, int(times.max()))
        self.clock = self.clock if clocks is None else max(self.clock, int(clocks.max()))
        return np.arange(len(seq)) if is_all else _distinct(relevant)

    def _by_position(self, seq: Integers, concerned: Integers) -> Iterator[Integers]:
        """The indexes of the moments that are relevant by their position."""
        own = seq[concerned]
        ends = self._ends(Unit.EVENTS, own)
        due = self._united(Unit.EVENTS, *self._left(Unit.EVENTS, own), ends - 1, ends)
        self._due[Unit.EVENTS] = due[due > seq[-1]]
        places = np.searchsorted(seq, due)
        yield places[places < len(seq)]
        if seq[-1] - seq[0] >= len(seq):  # if the last event of a period is missing, the one before counts as the last
            before = np.searchsorted(seq, due, "right") - 1
            yield before[before >= 0]

    def _by_time(self, times: Integers, concerned: Integers, clocks: Integers | None) -> tuple[list[Integers], bool]:
        """The indexes of the moments that are relevant by their time, and whether time and clock only go on."""
        latest = np.maximum.accumulate(np.maximum(times, _NEVER if self.time is None else self.time))
        passed = latest if clocks is None else np.maximum.accumulate(np.maximum(clocks, self.clock))
        is_orderly = bool((latest == times).all()) and (clocks is None or bool((passed == clocks).all()))
        ends = [self._ends(Unit.TIME, column[concerned]) for column in (latest, passed)]
        due = self._united(Unit.TIME, *self._left(Unit.TIME, times[concerned]), *ends)
        places = [np.searchsorted(column, due) for column in (latest, passed)]
        relevant = [one[one < len(times)] for one in places]
        if clocks is not None:
            relevant.append(self._first_by_clock(times, passed))
        self._due[Unit.TIME] = due[due > (min(latest[-1], passed[-1]) if is_orderly else times.min())]
        return relevant, is_orderly

    def _first_by_clock(self, times: Integers, clocks: Integers) -> Integers:
        """The first event within its own period by the clock, for each period: from then on, the clock counts."""
        firsts = [
            np.argmax((clocks - origin) // length <= (times - origin) // length)
            for unit, length, origin in self._periods
            if unit is Unit.TIME
        ]
        return np.array(firsts, np.int64)

    def _left(self, unit: Unit, positions: Integers) -> list[Integers]:
        """When events at these positions leave windows."""
        return [positions + length for of, length in self._windows if of is unit]

    def _ends(self, unit: Unit, positions: Integers) -> Integers:
        """The ends of the periods of these positions, for all periods of a unit."""
        ends = [
            origin + ((positions - origin) // length + 1) * length for of, length, origin in self._periods if of is unit
        ]
        return _distinct(ends) if ends else _NONE

    def _united(self, unit: Unit, *more: Integers) -> Integers:
        return _distinct([self._due[unit], *more])

    def _forget_due(self, *before: tuple[Unit, int]) -> None:
        """Select everything until all windows, also those of `before`, hold only what comes from now on."""
        now = {
            Unit.EVENTS: [self._seq],
            Unit.TIME: [time for time in (self.time, self.clock) if time not in (None, _NEVER)],
        }
        for unit, positions in now.items():
            if positions:
                longest = max((length for of, length in (*self._windows, *before) if of is unit), default=0)
                self._all_until[unit] = max(self._all_until[unit], max(positions) + longest)
                ends = self._ends(unit, np.array(positions, np.int64))  # the current periods may hold something too
                self._due[unit] = self._united(unit, ends, ends - 1)


def _distinct(columns: Sequence[Integers]) -> Integers:
    """The distinct values of columns, ascending. For a few sorted columns, this takes a tenth of what `np.unique` does."""
    values = np.sort(np.concatenate(columns), kind="stable")
    is_new = np.ones(len(values), np.bool_)
    np.not_equal(values[1:], values[:-1], out=is_new[1:])
    return values[is_new]


def _lengths(policies: Iterable[Policy]) -> tuple[list[tuple[Unit, int]], list[tuple[Unit, int, int]]]:
    """The different windows, and the different periods with their origins."""
    windows, periods = set[tuple[Unit, int]](), set[tuple[Unit, int, int]]()
    for policy in policies:
        if policy.length is None or policy.length.unit is Unit.MATCHED:
            continue
        unit = policy.length.unit
        if policy.mode is Mode.SLIDING:
            windows.add((unit, span(policy.length)))
        elif policy.mode is Mode.PERIODIC:
            origin = microseconds(policy.origin) if unit is Unit.TIME else 1
            periods.add((unit, span(policy.length), origin))
    return sorted(windows, key=str), sorted(periods, key=str)

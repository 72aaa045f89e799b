"""Periodic delivery: the top-k of each period, at its end (semantics: Delivery modes; DEBS'09, 5.1)."""

from datetime import datetime

from rankcast.choose.candidates import Candidate, Moment, Step
from rankcast.choose.fading import NOTHING_FADES, Fading
from rankcast.choose.greedy import GREEDY
from rankcast.choose.objective import Objective
from rankcast.choose.positions import Positions, instant, microseconds, span
from rankcast.choose.selection import Optimizer, select
from rankcast.model import EPOCH, Length, Unit
from rankcast.plain import State


class Periodic:
    """Sends the best `k` of each period of `length` when the period is over.

    Periods counted in events start with the first event. Periods of time start at `origin` and at every multiple of
    `length` before and after it. A period counted in events ends with its last event. A period of time ends when an
    event of a later period is published, when the stream ends, or when the clock passes its end.

    The clock counts only after the first event that arrived within its own period by the clock. So events of the past
    that are read from a file are not ended by today's clock. Ranks are computed for the end of the period. Events
    come in publication order; an event dated before the current period counts in the current period. The mode holds
    the candidates of one period and makes one selection per period.
    """

    def __init__(
        self,
        k: int,
        length: Length,
        objective: Objective,
        optimizer: Optimizer = GREEDY,
        origin: datetime = EPOCH,
        fading: Fading = NOTHING_FADES,
    ) -> None:
        self._k = k
        self._objective = objective
        self._optimizer = optimizer
        self._fading = fading
        self._positions = Positions(length.unit)
        self._span = span(length)
        self._origin = microseconds(origin) if length.unit is Unit.TIME else 1
        self._period: int | None = None
        self._last: datetime = EPOCH
        self._clock: int | None = None
        self._goes_by_clock = False
        self._candidates: list[Candidate] = []

    def publish(self, moment: Moment, candidate: Candidate | None) -> list[Step]:
        """Take the next event. It ends the period before its own, and its own if it is the last event of that."""
        position = self._positions.advance(moment, candidate is not None)
        before, place = divmod(position - self._origin, self._span)
        steps = self._begin(self._by_clock(before + 1, moment.clock))
        self._last = moment.time
        if candidate is not None:
            self._candidates.append(candidate)
        if self._positions.unit is not Unit.TIME and place == self._span - 1:
            steps += self.close()
        return steps

    @property
    def due(self) -> datetime | None:
        """The end of the current period, if the clock ends it and it holds candidates."""
        waits = self._goes_by_clock and self._period is not None and self._candidates
        return self._end(self._period) if waits and self._period is not None else None

    def advance(self, clock: datetime) -> list[Step]:
        """Move the clock on; if the time lies in a later period, the current period ends."""
        if self._positions.unit is not Unit.TIME:
            return []
        self._clock = max(self._clock or 0, microseconds(clock))
        return self._begin(self._number(self._clock)) if self._goes_by_clock else []

    def close(self) -> list[Step]:
        """End the current period."""
        if self._period is None or not self._candidates:
            return []
        end = self._end(self._period)
        candidates, self._candidates = self._fading.as_of(self._candidates, end), []
        chosen = select(candidates, self._k, self._objective, self._optimizer).chosen
        for candidate in candidates:
            self._objective.forget(candidate)
        return [Step(self._period, end, candidates, chosen, chosen)]

    def state(self) -> State:
        """The state as plain data, for `restore`."""
        return {
            "matched": self._positions.matched,
            "period": self._period,
            "last": microseconds(self._last),
            "candidates": [candidate.state() for candidate in self._candidates],
            **clock_state(self._clock, self._goes_by_clock),
        }

    def restore(self, state: State) -> None:
        """Continue from a saved `state`."""
        self._positions.matched = state["matched"]
        self._period = state["period"]
        self._last = instant(state["last"])
        self._clock, self._goes_by_clock = state.get("clock"), state.get("goes_by_clock", False)
        self._candidates = [Candidate.of_state(candidate) for candidate in state["candidates"]]

    def _by_clock(self, period: int, clock: datetime | None) -> int:
        """The period of an event; once the clock counts, not before the clock's period."""
        if self._positions.unit is not Unit.TIME:
            return period
        if clock is not None:
            self._clock = max(self._clock or 0, microseconds(clock))
        if self._clock is None:
            return period
        present = self._number(self._clock)
        self._goes_by_clock |= present <= period
        return max(present, period) if self._goes_by_clock else period

    def _begin(self, period: int) -> list[Step]:
        """Move on to a later period and return the steps of the current one; do nothing for an earlier period."""
        if self._period is not None and period <= self._period:
            return []
        owed = self.close()
        self._period = period
        return owed

    def _number(self, position: int) -> int:
        return (position - self._origin) // self._span + 1

    def _end(self, period: int) -> datetime:
        """When the period ends: at its end if it is a period of time, else at the time of its last event."""
        return instant(self._origin + period * self._span) if self._positions.unit is Unit.TIME else self._last


def clock_state(clock: int | None, goes_by_clock: bool) -> State:
    """The clock's part of a period's saved state; empty if there was no clock, so a replay saves the same state."""
    return {} if clock is None else {"clock": clock, "goes_by_clock": goes_by_clock}

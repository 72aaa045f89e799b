"""Periodic delivery: at the end of each period, the top-k of what matched in it (semantics: Delivery modes; DEBS'09, 5.1)."""

from datetime import datetime
from typing import Any

from rankcast.choose.candidates import Candidate, Moment, Step
from rankcast.choose.fading import Fading
from rankcast.choose.greedy import Greedy
from rankcast.choose.objective import Objective
from rankcast.choose.positions import Positions, instant, microseconds, span
from rankcast.choose.selection import Optimizer, select
from rankcast.model import EPOCH, Length, Unit

__all__ = ["Periodic", "clock_state"]

_GREEDY = Greedy()
_NOTHING_FADES = Fading()


class Periodic:
    """Sends the best `k` of each period of `length`, when it is over.

    Periods of events begin with the first, periods of time at `origin` and every `length` before and after it. A
    period counted in events is over with its last event, a period of time when a later event is published, the stream
    ends, or the clock passes its end. Holds the candidates of one period; one selection per period.

    The clock counts from the first event on that came before its own period was over by the clock: so it does not end periods of
    the past, of which the events are read from a file. Ranks are as of the end of the period. Events come in publication order; one
    dated before the present period still counts in it.
    """

    def __init__(
        self,
        k: int,
        length: Length,
        objective: Objective,
        optimizer: Optimizer = _GREEDY,
        origin: datetime = EPOCH,
        fading: Fading = _NOTHING_FADES,
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
        """Take the next event, ending the period before it and, if it is the last of its own, that one."""
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
        """The end of the present period, if the clock ends it and something waits."""
        waits = self._goes_by_clock and self._period is not None and self._candidates
        return self._end(self._period) if waits and self._period is not None else None

    def advance(self, clock: datetime) -> list[Step]:
        """Let the clock come to a time; if it lies in a later period, the present one is over."""
        if self._positions.unit is not Unit.TIME:
            return []
        self._clock = max(self._clock or 0, microseconds(clock))
        return self._begin(self._number(self._clock)) if self._goes_by_clock else []

    def close(self) -> list[Step]:
        """End the present period."""
        if self._period is None or not self._candidates:
            return []
        end = self._end(self._period)
        candidates, self._candidates = self._fading.as_of(self._candidates, end), []
        chosen = select(candidates, self._k, self._objective, self._optimizer).chosen
        for candidate in candidates:
            self._objective.forget(candidate)
        return [Step(self._period, end, candidates, chosen, chosen)]

    def state(self) -> dict[str, Any]:
        """Plain data for `restore`."""
        return {
            "matched": self._positions.matched,
            "period": self._period,
            "last": microseconds(self._last),
            "candidates": [candidate.state() for candidate in self._candidates],
            **clock_state(self._clock, self._goes_by_clock),
        }

    def restore(self, state: dict[str, Any]) -> None:
        """Go on where `state` was taken."""
        self._positions.matched = state["matched"]
        self._period = state["period"]
        self._last = instant(state["last"])
        self._clock, self._goes_by_clock = state.get("clock"), state.get("goes_by_clock", False)
        self._candidates = [Candidate.of_state(candidate) for candidate in state["candidates"]]

    def _by_clock(self, period: int, clock: datetime | None) -> int:
        """The period of an event, which is not before that of the clock once the clock counts."""
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
        """Go on to a period, unless it is the present one or before it; what the present one owed."""
        if self._period is not None and period <= self._period:
            return []
        owed = self.close()
        self._period = period
        return owed

    def _number(self, position: int) -> int:
        return (position - self._origin) // self._span + 1

    def _end(self, period: int) -> datetime:
        """When the period is over: at its end if it is one of time, else with the last event seen in it."""
        return instant(self._origin + period * self._span) if self._positions.unit is Unit.TIME else self._last


def clock_state(clock: int | None, goes_by_clock: bool) -> dict[str, Any]:
    """What the state of a period says about the clock: nothing if there was none, so that a replay's state is what it was."""
    return {} if clock is None else {"clock": clock, "goes_by_clock": goes_by_clock}

"""The moments of a stream that matter to a shard: the events that concern it, and those that end a window or period.

A shard that is given its matches needs no event that matches none of its users, except where time passes: a window
lets an older event in when another one leaves, and a period ends. Such an event is known by position and time only.
"""

from collections.abc import Iterable

import numpy as np

from rankcast.choose.positions import microseconds, span
from rankcast.matching.batch import Integers
from rankcast.model import Mode, Policy, Unit

__all__ = ["MANY_LENGTHS", "RelevantMoments"]

MANY_LENGTHS = 32
"""With more different windows and periods than this, every event counts as relevant. This bounds the memory."""

_NONE = np.empty(0, np.int64)


class RelevantMoments:
    """Selects the relevant moments of a stream that comes block by block, in publication order.

    Parameters
    ----------
    policies
        Those of the shard's users. Modes `all` and `history`, and lengths in matching events, need matches only.

    A window of w events changes w events after one that concerns the shard, and a window of time at the first event
    that is so much later. A period ends at its last event, or at the first event after its time. For each event that
    concerns the shard, one such moment per length is selected, so the cost does not depend on the other events, apart
    from a few nanoseconds each. To select too many moments changes nothing. The last moment of a block is always
    selected, because the stream may end there.
    """

    def __init__(self, policies: Iterable[Policy]) -> None:
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
        self._windows, self._periods = sorted(windows, key=str), sorted(periods, key=str)
        self._is_everything = len(windows) + len(periods) > MANY_LENGTHS
        self._due = {Unit.EVENTS: _NONE, Unit.TIME: _NONE}
        """The positions and times after the last block at which something is due."""

    def select(self, first: int, times: Integers, concerned: Integers) -> Integers:
        """The indexes of the relevant moments in the next block, ascending.

        `first` is the `seq` of the first event of the block, `times` are the times of all its events in microseconds,
        and `concerned` are the indexes of the events that concern the shard.
        """
        count = len(times)
        if self._is_everything:
            return np.arange(count)
        relevant = np.zeros(count, np.bool_)
        relevant[concerned] = True
        relevant[-1:] = True
        positions = self._due_from(Unit.EVENTS, concerned + first)
        self._due[Unit.EVENTS] = positions[positions >= first + count]
        relevant[positions[positions < first + count] - first] = True
        moments = self._due_from(Unit.TIME, times[concerned])
        places = np.searchsorted(times, moments)
        self._due[Unit.TIME] = moments[places == count]
        relevant[places[places < count]] = True
        return np.flatnonzero(relevant)

    def _due_from(self, unit: Unit, positions: Integers) -> Integers:
        """What is due because of events at these positions, or was due already, in order."""
        due = [self._due[unit]]
        positions = np.unique(positions)
        due += [positions + length for of, length in self._windows if of is unit]
        for of, length, origin in self._periods:
            if of is unit:
                ends = origin + ((positions - origin) // length + 1) * length
                due.append(ends - 1 if unit is Unit.EVENTS else ends)  # the last event of a period ends it
        return np.unique(np.concatenate(due))

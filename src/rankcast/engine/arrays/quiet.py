"""Users that can be skipped, because a batch without a match of theirs changes nothing."""

from collections.abc import Iterable

import numpy as np

from rankcast.engine.arrays.crowd_member import Member
from rankcast.engine.arrays.history import ArrayHistory
from rankcast.engine.arrays.matching import Integers
from rankcast.engine.arrays.modes import ArrayAllEvents
from rankcast.engine.arrays.sliding import ArraySliding
from rankcast.engine.arrays.stream import EventBatch
from rankcast.engine.arrays.user import ArrayUser
from rankcast.engine.isolation import IsolatedSubscriber
from rankcast.model import Unit

__all__ = ["VisitSchedule"]

_NEVER = np.iinfo(np.int64).max
_ALWAYS = np.iinfo(np.int64).min


class VisitSchedule:
    """For each user, the event and the time from which something may happen even if nothing matches.

    A window over events or time lets an older event in when another one drops out, so nothing happens before its
    oldest entry drops out. History lists and plain publish/subscribe wait for a match. Users with periods or filters,
    and users of the reference engine, are always visited. The crowd handles its own members. The cost of a batch is
    therefore proportional to the number of users that it affects.
    """

    def __init__(self, users: Iterable[tuple[str, ArrayUser | Member | IsolatedSubscriber]]) -> None:
        self.users: list[tuple[str, ArrayUser | IsolatedSubscriber]] = []
        self.numbers: list[int] = []
        """The number of each user among all users."""
        for number, (user, served) in enumerate(users):
            if not isinstance(served, Member):
                self.users.append((user, served))
                self.numbers.append(number)
        self._event = np.full(len(self.users), _ALWAYS, np.int64)
        self._time = np.full(len(self.users), _NEVER, np.int64)

    def visited(self, stream: EventBatch, borders: Integers) -> list[int]:
        """The indexes of the users to visit; `borders` holds the start of the matches of every user."""
        wanted = (np.diff(borders)[self.numbers] > 0) | (self._event <= stream.seq[-1])
        if (self._time < _NEVER).any():
            wanted |= self._time <= stream.time.max()
        found: list[int] = np.flatnonzero(wanted).tolist()
        return found

    def settle(self, visited: Iterable[int]) -> None:
        """Update the schedule of the visited users."""
        for number in visited:
            self._event[number], self._time[number] = _until(self.users[number][1])


def _until(served: ArrayUser | IsolatedSubscriber) -> tuple[int, int]:
    if isinstance(served, IsolatedSubscriber) and served.is_out:
        return _NEVER, _NEVER
    if type(served) is not ArrayUser:
        return _ALWAYS, _NEVER
    mode = served._mode
    if isinstance(mode, ArrayAllEvents | ArrayHistory):
        return _NEVER, _NEVER
    if not isinstance(mode, ArraySliding):
        return _ALWAYS, _NEVER
    if mode._unit is Unit.MATCHED or not len(mode.entries):
        return _NEVER, _NEVER
    until = int(mode.entries["position"].min()) + mode._span
    return (until, _NEVER) if mode._unit is Unit.EVENTS else (_NEVER, until)

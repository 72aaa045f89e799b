"""Published events of which a shard knows only those that concern its users, and their matches."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple, overload

from rankcast.choose.positions import instant
from rankcast.model import EPOCH, Event

if TYPE_CHECKING:
    from rankcast.matching.batch import Integers, Reals

ABSENT = Event("absent", EPOCH, {}, seq=-1)
"""Fills the place of an event that nobody of the shard needs."""


class PublishedEvents(Sequence[Event]):
    """Events in order of `seq`. Windows need `seq` and time of all of them; the rest is known of `known` alone.

    Parameters
    ----------
    seq, time
        The position of each event, and its time in microseconds since the epoch.
    known
        The events themselves by their index, at least all that match.

    >>> import numpy as np
    >>> events = PublishedEvents(np.array([4, 5]), np.array([0, 60_000_000]), {0: Event("a", EPOCH, {}, seq=4)})
    >>> [(event.id, event.seq, event.time.minute) for event in events]
    [('a', 4, 0), ('absent', 5, 1)]
    """

    def __init__(self, seq: "Integers", time: "Integers", known: Mapping[int, Event]) -> None:
        self.seq = seq
        self.time = time
        self.known = known

    def __len__(self) -> int:
        return len(self.seq)

    @overload
    def __getitem__(self, place: int) -> Event: ...
    @overload
    def __getitem__(self, place: slice) -> list[Event]: ...
    def __getitem__(self, place: int | slice) -> Event | list[Event]:
        if isinstance(place, slice):
            return [self[one] for one in range(*place.indices(len(self)))]
        known = self.known.get(range(len(self))[place])
        if known is not None:
            return known
        return Event.kept(ABSENT.id, instant(int(self.time[place])), {}, None, None, None, int(self.seq[place]))

    def filled(self) -> list[Event]:
        """The known events at their places, and `ABSENT` in place of the others."""
        events = [ABSENT] * len(self)
        for place, event in self.known.items():
            events[place] = event
        return events


class NamedMatches(NamedTuple):
    """Matching pairs, in any order: the index of the event, the index in `names` of the subscription, the degree."""

    event: "Integers"
    subscription: "Integers"
    degree: "Reals"
    names: Sequence[str]

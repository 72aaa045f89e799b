"""The position of one user's stream in the unit of a length (events, matching events or time), and windows over it.

See semantics: Delivery modes.
"""

from datetime import UTC, datetime, timedelta

from rankcast.choose.candidates import Candidate, Moment
from rankcast.model import EPOCH, Length, Unit
from rankcast.plain import State

_MICROSECOND = timedelta(microseconds=1)


def microseconds(time: datetime) -> int:
    """The time in whole microseconds since the Unix epoch, exactly."""
    return (time - EPOCH) // _MICROSECOND


def instant(position: int) -> datetime:
    """The time at a number of microseconds since the Unix epoch, at most the last time that Python can represent."""
    try:
        return EPOCH + timedelta(microseconds=position)
    except OverflowError:
        return datetime.max.replace(tzinfo=UTC)


def span(length: Length) -> int:
    """The length as a difference of positions.

    >>> span(Length(4)), span(Length(timedelta(seconds=1), Unit.TIME))
    (4, 1000000)
    """
    return length.amount // _MICROSECOND if isinstance(length.amount, timedelta) else length.amount


class Positions:
    """Gives each published event an integer position in the unit of a length.

    The position is its `seq`, the number of events so far that match the user, or its time in microseconds.
    """

    def __init__(self, unit: Unit) -> None:
        self.unit = unit
        self.matched = 0

    def advance(self, moment: Moment, matches: bool) -> int:
        """The position of the next published event.

        If matching events are counted, an event that does not match has the position of the last match.
        """
        self.matched += matches
        match self.unit:
            case Unit.EVENTS:
                return moment.seq
            case Unit.MATCHED:
                return self.matched
            case Unit.TIME:
                return microseconds(moment.time)


class Window:
    """Candidates, oldest first. A candidate leaves when the stream has advanced by `length` since its publication.

    The window covers the last w events, the last w matching events, or the time (now - w, now].
    """

    def __init__(self, length: Length) -> None:
        self._span = span(length)
        self._positions = Positions(length.unit)
        self._now = 0
        self._entries: list[tuple[int, Candidate]] = []

    @property
    def candidates(self) -> tuple[Candidate, ...]:
        """The candidates in the window, in order of `seq`."""
        return tuple(candidate for _, candidate in self._entries)

    def advance(self, moment: Moment, matches: bool) -> list[Candidate]:
        """Move to the next published event; return the candidates that leave the window."""
        self._now = self._positions.advance(moment, matches)
        oldest = self._now - self._span
        left = [candidate for position, candidate in self._entries if position <= oldest]
        self._entries = [entry for entry in self._entries if entry[0] > oldest]
        return left

    def add(self, candidate: Candidate) -> None:
        """Add the candidate of the event to which the window has just moved."""
        self._entries.append((self._now, candidate))

    def remove(self, candidate: Candidate) -> None:
        """Remove a candidate before it leaves the window."""
        self._entries = [entry for entry in self._entries if entry[1].seq != candidate.seq]

    def state(self) -> State:
        """The state as plain data, for `restore`."""
        return {
            "matched": self._positions.matched,
            "entries": [[position, candidate.state()] for position, candidate in self._entries],
        }

    def restore(self, state: State) -> None:
        """Continue from a saved `state`."""
        self._positions.matched = state["matched"]
        self._entries = [(position, Candidate.of_state(entry)) for position, entry in state["entries"]]

"""The position of one user's stream in the unit of a length: events, matching events or time.

See semantics: Delivery modes.
"""

from datetime import UTC, datetime, timedelta

from rankcast.choose.candidates import Moment
from rankcast.model import EPOCH, Length, Unit

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

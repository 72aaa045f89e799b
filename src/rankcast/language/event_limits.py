"""Limits for events before they are published: their size, and how far ahead of the clock their time may be."""

from dataclasses import dataclass
from datetime import datetime, timedelta

from rankcast.errors import ModelError
from rankcast.language.events import MAX_EVENT_BYTES, check_event_size, encode_event
from rankcast.language.json_text import dumps
from rankcast.language.times import show_duration, show_time
from rankcast.model import Event


@dataclass(frozen=True, slots=True)
class EventLimits:
    """The limits: `size` in bytes of JSON, and `ahead`, how far an event's time may be ahead of the receiver's clock.

    Without the second limit, one event from the year 9999 would end all periods of time for all users and make all
    later events late.

    >>> from datetime import UTC
    >>> event = Event("e1", datetime(2004, 1, 1, 13, 30, tzinfo=UTC), {})
    >>> EventLimits().check_time(event, datetime(2004, 1, 1, 12, 0, tzinfo=UTC))
    Traceback (most recent call last):
        ...
    rankcast.errors.ModelError: time 2004-01-01T13:30:00Z is 1h30m ahead of the clock here (2004-01-01T12:00:00Z); at most 1h is allowed (--max-ahead)
    """

    size: int = MAX_EVENT_BYTES
    ahead: timedelta = timedelta(hours=1)

    def __post_init__(self) -> None:
        if self.size < 1:
            raise ModelError(
                f"the limit of an event's size is {self.size}; it must be at least 1 byte (--max-event-size)"
            )
        if self.ahead < timedelta(0):
            raise ModelError(f"an event's time may be {self.ahead} ahead; that must not be negative (--max-ahead)")

    def check_size(self, text: bytes) -> None:
        """Raise ModelError if the JSON of an event is too large."""
        check_event_size(text, self.size)

    def check(self, event: Event, now: datetime) -> None:
        """Raise ModelError if the JSON form of an event is too large, or its time is too far ahead of the clock."""
        self.check_size(dumps(encode_event(event)).encode())
        self.check_time(event, now)

    def check_time(self, event: Event, now: datetime) -> None:
        """Raise ModelError if the time of an event is too far ahead of the clock."""
        ahead = event.time - now
        if ahead > self.ahead:
            whole = ahead - timedelta(microseconds=ahead.microseconds)
            raise ModelError(
                f"time {show_time(event.time)} is {show_duration(whole)} ahead of the clock here ({show_time(now)}); "
                f"at most {show_duration(self.ahead)} is allowed (--max-ahead)"
            )

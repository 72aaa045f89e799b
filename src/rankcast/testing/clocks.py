"""A clock that tests set."""

from datetime import UTC, datetime, timedelta


class SettableClock:
    """A clock that shows the time it was set to and moves only when told. Use it wherever a clock is a parameter.

    >>> clock = SettableClock(datetime(2026, 11, 1, 12, tzinfo=UTC))
    >>> clock.go_on(timedelta(minutes=5))
    >>> clock().isoformat()
    '2026-11-01T12:05:00+00:00'
    """

    def __init__(self, time: datetime = datetime(2026, 11, 1, tzinfo=UTC)) -> None:
        self.time = time

    def __call__(self) -> datetime:
        """The current time of this clock."""
        return self.time

    def go_on(self, by: timedelta) -> None:
        """Move the clock forward."""
        self.time += by

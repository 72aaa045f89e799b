"""A clock that tests set."""

from datetime import UTC, datetime, timedelta

__all__ = ["SettableClock"]


class SettableClock:
    """Says the time that it was set to; it only goes on when told to. For `Store.create(…, clock=…)` and whoever takes a clock.

    >>> clock = SettableClock(datetime(2026, 11, 1, 12, tzinfo=UTC))
    >>> clock.go_on(timedelta(minutes=5))
    >>> clock().isoformat()
    '2026-11-01T12:05:00+00:00'
    """

    def __init__(self, time: datetime = datetime(2026, 11, 1, tzinfo=UTC)) -> None:
        self.time = time

    def __call__(self) -> datetime:
        """The time."""
        return self.time

    def go_on(self, by: timedelta) -> None:
        """Let time pass."""
        self.time += by

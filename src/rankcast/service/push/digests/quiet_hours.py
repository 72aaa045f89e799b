"""Quiet hours, for example every night, in the user's time zone."""

from dataclasses import dataclass
from datetime import UTC, datetime, time, timedelta
from typing import NamedTuple

from rankcast.errors import ModelError
from rankcast.plain import JsonObject
from rankcast.service.push.digests.clocks import instant, parse_clock, show_clock, zone_of


class QuietStretch(NamedTuple):
    """One stretch of quiet hours: its first instant, and the first instant after it."""

    began: datetime
    until: datetime


@dataclass(frozen=True, slots=True)
class QuietHours:
    """Daily quiet hours from one time of day to another, which is on the next day unless it is later.

    A stretch is never interrupted when the clocks change. It begins and ends when a clock first shows the time (see
    `instant`), so it is an hour shorter or longer in those nights.

    >>> night = QuietHours(time(22), time(7), "Europe/Berlin")
    >>> night.at(datetime(2026, 3, 28, 23, tzinfo=UTC)).until.isoformat()
    '2026-03-29T05:00:00+00:00'
    >>> night.at(datetime(2026, 3, 29, 5, tzinfo=UTC)) is None
    True
    """

    begins: time
    ends: time
    zone: str

    def __post_init__(self) -> None:
        zone_of(self.zone)
        if self.begins == self.ends:
            raise ModelError(
                "quiet hours that end when they begin: nothing would ever be pushed, or all; say two times"
            )

    def at(self, now: datetime) -> QuietStretch | None:
        """The current stretch of quiet hours, or None."""
        zone = zone_of(self.zone)
        overnight = timedelta(days=0 if self.begins < self.ends else 1)
        today = now.astimezone(zone).date()
        for day in (today - timedelta(days=1), today):
            quiet = QuietStretch(instant(day, self.begins, zone), instant(day + overnight, self.ends, zone))
            if quiet.began <= now.astimezone(UTC) < quiet.until:
                return quiet
        return None

    def to_json(self) -> JsonObject:
        """The JSON form, which `of_json` reads."""
        return {"from": show_clock(self.begins), "to": show_clock(self.ends), "zone": self.zone}

    @classmethod
    def of_json(cls, data: JsonObject) -> "QuietHours":
        """The quiet hours of a JSON form made by `to_json`."""
        return cls(parse_clock(data["from"]), parse_clock(data["to"]), data["zone"])

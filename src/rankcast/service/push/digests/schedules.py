"""When digests are made and when nothing is pushed: times of day in a time zone."""

import re
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta
from difflib import get_close_matches
from functools import cache
from typing import NamedTuple
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError, available_timezones

from rankcast.errors import ModelError, did_you_mean
from rankcast.plain import JsonObject

_CLOCK = re.compile(r"([01][0-9]|2[0-3]):([0-5][0-9])")


@cache
def zone_of(name: str) -> ZoneInfo:
    """The time zone of that name in the IANA database; ModelError if there is none."""
    try:
        return ZoneInfo(name)
    except (ZoneInfoNotFoundError, ValueError, OSError):
        near = _near(name)
        hint = f"did you mean {near!r}?" if near else "say one such as 'Europe/Berlin'"
        raise ModelError(f"there is no time zone {name[:80]!r}; {hint}") from None


def _near(name: str) -> str | None:
    """The zone with the most similar name or city."""
    if len(name) > 64:
        return None
    zones = sorted(available_timezones())
    cities = {zone.rpartition("/")[2].lower(): zone for zone in zones}
    found = cities | {zone.lower(): zone for zone in zones}
    near = get_close_matches(name.lower().replace(" ", "_"), found, n=1, cutoff=0.7)
    return found[near[0]] if near else None


def parse_clock(text: str) -> time:
    """Parse a time of day such as `08:00`."""
    found = _CLOCK.fullmatch(text)
    if found is None:
        raise ModelError(f"{text[:80]!r} is not a time of day such as 08:00 or 23:59")
    return time(int(found[1]), int(found[2]))


def show_clock(clock: time) -> str:
    """Format a time of day so that `parse_clock` can read it."""
    return clock.strftime("%H:%M")


def instant(day: date, clock: time, zone: ZoneInfo) -> datetime:
    """The instant, in UTC, at which a clock in the zone first shows this time or a later one on that day.

    When clocks are set back and a time occurs twice, this is the first occurrence. When clocks are set forward and
    the time does not occur, it is the moment of the change.

    >>> berlin = ZoneInfo("Europe/Berlin")
    >>> instant(date(2026, 10, 25), time(2, 30), berlin).isoformat()  # twice: at 0:30 and at 1:30 UTC
    '2026-10-25T00:30:00+00:00'
    >>> instant(date(2026, 3, 29), time(2, 30), berlin).isoformat()  # clocks go from 2:00 to 3:00
    '2026-03-29T01:00:00+00:00'
    """
    wanted = datetime.combine(day, clock)
    early, late = (wanted.replace(tzinfo=zone, fold=fold).astimezone(UTC) for fold in (0, 1))
    if early.astimezone(zone).replace(tzinfo=None) == wanted:
        return early
    # In a gap, the offset before it gives the later instant and the offset after it the earlier one. The change lies
    # between them.
    early, late = sorted((early, late))
    while late - early > timedelta(seconds=1):
        middle = early + (late - early) / 2
        middle = middle.replace(microsecond=0)
        if middle.astimezone(zone).replace(tzinfo=None) < wanted:
            early = middle
        else:
            late = middle
    return late


DAYS = ("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday")
_NAMED = {"daily": DAYS, "weekdays": DAYS[:5], "weekends": DAYS[5:]}


@dataclass(frozen=True, slots=True)
class Schedule:
    """A digest on some days of the week, when a local clock first shows the time (see `instant`).

    >>> mornings = Schedule(DAYS[:5], time(8), "Europe/Berlin")
    >>> mornings.after(datetime(2026, 3, 27, 12, tzinfo=UTC)).isoformat()  # from a Friday to Monday, in summer time
    '2026-03-30T06:00:00+00:00'
    """

    days: tuple[str, ...]
    at: time
    zone: str

    def __post_init__(self) -> None:
        zone_of(self.zone)
        for day in self.days:
            if day not in DAYS:
                raise ModelError(f"{day[:80]!r} is not a day of the week{did_you_mean(day, DAYS)}")
        if not self.days:
            raise ModelError("a schedule needs at least one day")
        object.__setattr__(self, "days", tuple(day for day in DAYS if day in self.days))

    def after(self, now: datetime) -> datetime:
        """The first time after `now` at which a digest is due."""
        zone = zone_of(self.zone)
        today = now.astimezone(zone).date()
        # Start a day early, because a time may come late. Try a fortnight, because a day may not exist in a zone.
        for ahead in range(-1, 15):
            day = today + timedelta(days=ahead)
            if DAYS[day.weekday()] in self.days:
                due = instant(day, self.at, zone)
                if due > now.astimezone(UTC) and due.astimezone(zone).date() == day:
                    return due
        raise ModelError(f"no digest is ever due by {self.to_json()}")

    def to_json(self) -> JsonObject:
        """The JSON form, which `of_json` reads."""
        days = next((name for name, days in _NAMED.items() if days == self.days), list(self.days))
        return {"days": days, "at": show_clock(self.at), "zone": self.zone}

    @classmethod
    def of_json(cls, data: JsonObject) -> "Schedule":
        """The schedule of a JSON form. `days` is `daily`, `weekdays`, `weekends`, or names of days."""
        days = data["days"]
        if isinstance(days, str):
            if days not in _NAMED and days not in DAYS:
                near = did_you_mean(days, [*_NAMED, *DAYS])
                raise ModelError(
                    f"{days[:80]!r} is neither 'daily', 'weekdays', 'weekends' nor a day of the week{near}"
                )
            days = _NAMED.get(days, (days,))
        return cls(tuple(days), parse_clock(data["at"]), data["zone"])


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

"""When digests are made: days of the week, time of day, and the user's time zone."""

from dataclasses import dataclass
from datetime import UTC, datetime, time, timedelta

from rankcast.errors import ModelError, did_you_mean
from rankcast.plain import JsonObject
from rankcast.service.push.digests.clocks import instant, parse_clock, show_clock, zone_of

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

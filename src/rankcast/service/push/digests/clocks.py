"""Times of day in a time zone, and the instants at which a local clock shows them."""

import re
from datetime import UTC, date, datetime, time, timedelta
from difflib import get_close_matches
from functools import cache
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError, available_timezones

from rankcast.errors import ModelError

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

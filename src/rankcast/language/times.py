"""The text form of times and durations."""

import re
from datetime import UTC, datetime, timedelta

from rankcast.errors import ModelError
from rankcast.language.fields import cut

LONGEST_DURATION = timedelta(days=36_500)
"""The longest age, validity or waiting time that an operator can set. Later times may lie beyond the year 9999."""

LONGEST_DISTANCE = datetime.max - datetime.min
"""How far two times can be apart."""

_TIME = re.compile(
    r"[0-9]{4}-[0-9]{2}-[0-9]{2}"
    r"(?:[T ](?:[01][0-9]|2[0-3]):[0-9]{2}(?::[0-9]{2}(?:\.[0-9]{1,9})?)?(?:Z|[+-][0-9]{2}:[0-9]{2})?)?"
)

_UNITS = {
    "w": timedelta(weeks=1),
    "d": timedelta(days=1),
    "h": timedelta(hours=1),
    "m": timedelta(minutes=1),
    "s": timedelta(seconds=1),
    "ms": timedelta(milliseconds=1),
    "us": timedelta(microseconds=1),
}
_DURATION = re.compile("".join(f"(?:([0-9]{{1,18}}){unit})?" for unit in _UNITS))


def parse_time(text: str) -> datetime:
    """Parse an ISO 8601 date or time into UTC; without a zone it is taken as UTC.

    >>> parse_time("2004-02-13T21:05:00+01:00")
    datetime.datetime(2004, 2, 13, 20, 5, tzinfo=datetime.timezone.utc)
    >>> parse_time("2004-02-13T20:05:00.123456789Z").microsecond  # nanoseconds are cut off
    123456
    >>> parse_time("2004-02-13")
    datetime.datetime(2004, 2, 13, 0, 0, tzinfo=datetime.timezone.utc)
    """
    if not _TIME.fullmatch(text):
        raise ModelError(
            f"{cut(text)} is not a time; write it like '2004-02-13T20:05:00Z', or '2004-02-13' for its midnight"
        )
    try:
        time = datetime.fromisoformat(text)
        if time.tzinfo is UTC:
            return time
        return time.replace(tzinfo=UTC) if time.tzinfo is None else time.astimezone(UTC)
    except (ValueError, OverflowError) as error:
        reason = "it lies outside the years 1 to 9999" if isinstance(error, OverflowError) else str(error)
        raise ModelError(f"{cut(text)} is not a time: {reason}") from None


def show_time(time: datetime) -> str:
    """The time in UTC, to the second, or to the microsecond if it has a fraction.

    >>> show_time(parse_time("2004-02-13T20:05:00.25Z"))
    '2004-02-13T20:05:00.250000Z'
    """
    return time.astimezone(UTC).replace(tzinfo=None).isoformat() + "Z"


def parse_duration(text: str) -> timedelta:
    """Parse a duration such as ``1h30m``: whole numbers of w, d, h, m, s, ms, us, larger units first.

    >>> parse_duration("1h30m")
    datetime.timedelta(seconds=5400)
    """
    found = _DURATION.fullmatch(text)
    if not text or found is None:
        raise ModelError(f"{cut(text)} is not a duration; write it like '30m', '1h30m', '500ms', '1d' or '1w'")
    try:
        return sum(
            (int(count) * unit for count, unit in zip(found.groups(), _UNITS.values(), strict=True) if count),
            timedelta(0),
        )
    except OverflowError:
        raise ModelError(f"{cut(text)} is too long a duration") from None


def show_duration(duration: timedelta) -> str:
    """The duration in the fewest units that express it exactly, without weeks.

    >>> show_duration(timedelta(minutes=90)), show_duration(timedelta(0))
    ('1h30m', '0s')
    """
    if duration < timedelta(0):
        raise ModelError(f"a duration of {duration} cannot be written; it must not be negative")
    parts = []
    for unit, size in _UNITS.items():
        if unit == "w" and duration % size:
            continue
        count, duration = divmod(duration, size)
        if count:
            parts.append(f"{count}{unit}")
    return "".join(parts) or "0s"

"""Times of day on the days on which clocks change, and on all others."""

from datetime import UTC, date, datetime, time, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rankcast.errors import ModelError
from rankcast.service.push.digests.schedules import instant, parse_clock, show_clock, zone_of

ZONES = ["UTC", "Europe/Berlin", "America/New_York", "Australia/Lord_Howe", "America/Sao_Paulo", "Asia/Kathmandu"]
DAYS = st.dates(date(1970, 1, 2), date(2037, 12, 30))
CLOCKS = st.builds(time, st.integers(0, 23), st.integers(0, 59))


def shown(moment: datetime, zone: str) -> datetime:
    return moment.astimezone(zone_of(zone)).replace(tzinfo=None)


@given(DAYS, CLOCKS, st.sampled_from(ZONES))
def test_it_is_the_first_instant_at_which_a_clock_shows_the_time_or_a_later_one(day, clock, zone):
    wanted = datetime.combine(day, clock)
    found = instant(day, clock, zone_of(zone))
    assert shown(found, zone) >= wanted
    assert shown(found - timedelta(seconds=1), zone) < wanted
    # No earlier instant will do, not even before clocks were put back.
    assert all(shown(found - timedelta(minutes=10 * step), zone) < wanted for step in range(1, 20))


@pytest.mark.parametrize(
    ("zone", "day", "clock", "expected"),
    [
        ("Europe/Berlin", date(2026, 3, 29), time(1, 59), "2026-03-29T00:59:00+00:00"),
        ("Europe/Berlin", date(2026, 3, 29), time(2, 0), "2026-03-29T01:00:00+00:00"),
        ("Europe/Berlin", date(2026, 3, 29), time(2, 59), "2026-03-29T01:00:00+00:00"),
        ("Europe/Berlin", date(2026, 3, 29), time(3, 0), "2026-03-29T01:00:00+00:00"),
        ("Europe/Berlin", date(2026, 10, 25), time(2, 30), "2026-10-25T00:30:00+00:00"),
        ("Europe/Berlin", date(2026, 10, 25), time(3, 0), "2026-10-25T02:00:00+00:00"),
        ("America/New_York", date(2026, 11, 1), time(1, 30), "2026-11-01T05:30:00+00:00"),
        ("Australia/Lord_Howe", date(2026, 10, 4), time(2, 15), "2026-10-03T15:30:00+00:00"),  # by half an hour
        ("America/Sao_Paulo", date(2018, 11, 4), time(0, 0), "2018-11-04T03:00:00+00:00"),  # midnight did not exist
        ("Asia/Kathmandu", date(2026, 1, 1), time(8, 0), "2026-01-01T02:15:00+00:00"),
    ],
)
def test_on_days_that_people_know(zone, day, clock, expected):
    assert instant(day, clock, zone_of(zone)).isoformat() == expected


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("Europe/Berlim", "did you mean 'Europe/Berlin'"),
        ("Berlin", "did you mean 'Europe/Berlin'"),
        ("new york", "did you mean 'America/New_York'"),
        ("", "no time zone"),
        ("../../etc/passwd", "no time zone"),
        ("/etc/localtime", "no time zone"),
        ("Europe", "no time zone"),
        ("x" * 5000, "no time zone"),
        ("a\0b", "no time zone"),
    ],
)
def test_a_zone_that_is_not_there(name, said):
    with pytest.raises(ModelError, match=said):
        zone_of(name)


@given(CLOCKS)
def test_a_time_of_day_survives_its_text(clock):
    assert parse_clock(show_clock(clock)) == clock


@pytest.mark.parametrize("text", ["", "8:00", "24:00", "08:60", "08:00:00", "eight", "08-00", "٠٨:٠٠", "08:00\n"])
def test_text_that_is_no_time_of_day(text):
    with pytest.raises(ModelError, match="not a time of day"):
        parse_clock(text)


def test_instants_are_in_utc():
    assert instant(date(2026, 5, 4), time(8), zone_of("Europe/Berlin")).tzinfo is UTC

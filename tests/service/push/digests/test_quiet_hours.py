from datetime import UTC, datetime, time, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rankcast.errors import ModelError
from rankcast.service.push.digests import QuietHours

ZONES = st.sampled_from(["UTC", "Europe/Berlin", "America/New_York", "Australia/Lord_Howe", "Asia/Kathmandu"])
CLOCKS = st.builds(time, st.integers(0, 23), st.integers(0, 59))
MOMENTS = st.datetimes(datetime(1990, 1, 1), datetime(2037, 1, 1), timezones=st.just(UTC))
HOURS = (
    st.tuples(CLOCKS, CLOCKS, ZONES).filter(lambda parts: parts[0] != parts[1]).map(lambda parts: QuietHours(*parts))
)

NIGHT = QuietHours(time(22), time(7), "Europe/Berlin")


def at(text: str) -> datetime:
    return datetime.fromisoformat(text).astimezone(UTC)


@pytest.mark.parametrize(
    ("moment", "quiet"),
    [
        ("2026-05-04T21:59:59+02:00", False),
        ("2026-05-04T22:00:00+02:00", True),
        ("2026-05-05T00:00:00+02:00", True),
        ("2026-05-05T06:59:59+02:00", True),
        ("2026-05-05T07:00:00+02:00", False),
    ],
)
def test_over_midnight(moment, quiet):
    assert (NIGHT.at(at(moment)) is not None) is quiet


@pytest.mark.parametrize(("moment", "quiet"), [("11:59", False), ("12:00", True), ("12:59", True), ("13:00", False)])
def test_within_a_day(moment, quiet):
    lunch = QuietHours(time(12), time(13), "UTC")
    assert (lunch.at(at(f"2026-05-04T{moment}:00+00:00")) is not None) is quiet


def test_the_night_in_which_clocks_are_put_forward_is_an_hour_shorter():
    quiet = NIGHT.at(at("2026-03-29T01:30:00+01:00"))
    assert quiet.until - quiet.began == timedelta(hours=8)


def test_the_night_in_which_clocks_are_put_back_is_an_hour_longer():
    quiet = NIGHT.at(at("2026-10-25T02:30:00+01:00"))
    assert quiet.until - quiet.began == timedelta(hours=10)


def test_hours_that_end_at_a_time_that_exists_twice_end_at_the_first():
    hours = QuietHours(time(23), time(2, 30), "Europe/Berlin")
    assert hours.at(at("2026-10-25T02:29:59+02:00")).until == at("2026-10-25T02:30:00+02:00")
    assert hours.at(at("2026-10-25T02:30:00+02:00")) is None
    assert hours.at(at("2026-10-25T02:15:00+01:00")) is None  # the clock shows 2:15 once more, but they are over


def test_hours_that_begin_at_a_time_that_does_not_exist_begin_when_clocks_are_put_forward():
    hours = QuietHours(time(2, 30), time(6), "Europe/Berlin")
    assert hours.at(at("2026-03-29T01:59:59+01:00")) is None
    assert hours.at(at("2026-03-29T03:00:00+02:00")).began == at("2026-03-29T03:00:00+02:00")


def test_hours_within_a_gap_are_no_hours_that_night():
    hours = QuietHours(time(2, 10), time(2, 50), "Europe/Berlin")
    day = at("2026-03-28T12:00:00+00:00")
    assert all(hours.at(day + timedelta(minutes=step)) is None for step in range(0, 24 * 60, 5))
    assert hours.at(at("2026-03-28T02:30:00+01:00")) is not None


@given(HOURS, MOMENTS)
def test_a_moment_is_quiet_from_the_beginning_to_the_end_and_not_after(hours, moment):
    quiet = hours.at(moment)
    if quiet is None:
        return
    assert quiet.began <= moment < quiet.until
    assert hours.at(quiet.began) == quiet
    assert hours.at(quiet.until - timedelta(microseconds=1)) == quiet
    assert hours.at(quiet.until) != quiet
    assert quiet.until - quiet.began < timedelta(hours=26)


def test_hours_of_no_length_are_refused():
    with pytest.raises(ModelError, match="end when they begin"):
        QuietHours(time(8), time(8), "UTC")
    with pytest.raises(ModelError, match="no time zone"):
        QuietHours(time(8), time(9), "Nowhere/Else")


@given(HOURS)
def test_hours_survive_their_plain_form(hours):
    assert QuietHours.of_json(hours.to_json()) == hours

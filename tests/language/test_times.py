from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rankcast.errors import ModelError
from rankcast.language import parse_duration, parse_time, show_duration, show_time


@pytest.mark.parametrize(
    ("text", "time"),
    [
        ("2004-02-13", datetime(2004, 2, 13)),
        ("2004-02-13T20:05", datetime(2004, 2, 13, 20, 5)),
        ("2004-02-13T20:05:01", datetime(2004, 2, 13, 20, 5, 1)),
        ("2004-02-13 20:05:01Z", datetime(2004, 2, 13, 20, 5, 1)),
        ("2004-02-13T20:05:01.5Z", datetime(2004, 2, 13, 20, 5, 1, 500000)),
        ("2004-02-13T20:05:01+05:30", datetime(2004, 2, 13, 14, 35, 1)),
        ("2004-02-13T20:05:01-01:00", datetime(2004, 2, 13, 21, 5, 1)),
    ],
)
def test_times_are_utc(text, time):
    assert parse_time(text) == time.replace(tzinfo=UTC)
    assert parse_time(text).tzinfo is UTC


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("", "'' is not a time; write it like '2004-02-13T20:05:00Z', or '2004-02-13' for its midnight"),
        ("tomorrow", "'tomorrow' is not a time; write it like"),
        ("2004-2-13", "'2004-2-13' is not a time; write it like"),
        ("20040213", "is not a time; write it like"),
        ("2004-W07-5", "is not a time; write it like"),
        ("2004-02-13T24:00:00Z", "is not a time; write it like"),
        ("2004-02-13T20:05:00.1234567890Z", "is not a time; write it like"),
        ("٢٠٠٤-02-13", "is not a time; write it like"),
        ("2004-02-30", "'2004-02-30' is not a time: day "),
        ("2004-02-13t20:05:00z", "is not a time; write it like"),
        ("2004-02-13T20:61:00Z", "is not a time: minute must be in 0..59"),
        ("0001-01-01T00:00:00+05:00", "is not a time: it lies outside the years 1 to 9999"),
        ("x" * 1000, "x…' is not a time"),
    ],
)
def test_bad_times_say_what_would_be_right(text, reason):
    with pytest.raises(ModelError) as caught:
        parse_time(text)
    assert reason in str(caught.value)
    assert len(str(caught.value)) < 200


@given(st.datetimes(timezones=st.just(UTC)))
def test_time_round_trip(time):
    assert parse_time(show_time(time)) == time


def test_a_fraction_is_shown_only_if_there_is_one():
    assert show_time(datetime(2004, 2, 13, 20, 5, tzinfo=UTC)) == "2004-02-13T20:05:00Z"
    assert show_time(datetime(2004, 2, 13, 20, 5, 0, 10, tzinfo=UTC)) == "2004-02-13T20:05:00.000010Z"


@pytest.mark.parametrize(
    ("text", "duration"),
    [
        ("30m", timedelta(minutes=30)),
        ("1h30m", timedelta(minutes=90)),
        ("500ms", timedelta(milliseconds=500)),
        ("1d", timedelta(days=1)),
        ("1w", timedelta(weeks=1)),
        ("90s", timedelta(seconds=90)),
        ("1w2d3h4m5s6ms7us", timedelta(9, 3 * 3600 + 4 * 60 + 5, 6007)),
        ("0s", timedelta(0)),
    ],
)
def test_durations(text, duration):
    assert parse_duration(text) == duration
    assert parse_duration(show_duration(duration)) == duration


@pytest.mark.parametrize("text", ["", "30", "m", "-1m", "1.5h", "30m1h", "1m1m", "30 m", "30M", "1y", "٣m", "1m\n"])
def test_bad_durations_say_what_would_be_right(text):
    with pytest.raises(ModelError, match=r"is not a duration; write it like '30m', '1h30m'"):
        parse_duration(text)


def test_a_duration_can_be_too_long():
    with pytest.raises(ModelError, match="'999999999999999999w' is too long a duration"):
        parse_duration("999999999999999999w")


@given(st.timedeltas(min_value=timedelta(0)))
def test_duration_round_trip(duration):
    assert parse_duration(show_duration(duration)) == duration


def test_a_negative_duration_cannot_be_shown():
    with pytest.raises(ModelError, match="must not be negative"):
        show_duration(timedelta(seconds=-1))

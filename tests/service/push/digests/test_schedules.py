from datetime import UTC, datetime, time, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rankcast.errors import ModelError
from rankcast.service.push.digests import DAYS, Schedule
from rankcast.service.push.digests.schedules import zone_of

SCHEDULES = st.builds(
    Schedule,
    st.lists(st.sampled_from(DAYS), min_size=1, unique=True).map(tuple),
    st.builds(time, st.integers(0, 23), st.integers(0, 59)),
    st.sampled_from(["UTC", "Europe/Berlin", "America/New_York", "Australia/Lord_Howe", "America/Sao_Paulo"]),
)
MOMENTS = st.datetimes(datetime(1990, 1, 1), datetime(2037, 1, 1), timezones=st.just(UTC))


def due(schedule: Schedule, after: str, times: int) -> list[str]:
    found, moment = [], datetime.fromisoformat(after).astimezone(UTC)
    for _ in range(times):
        moment = schedule.after(moment)
        found.append(moment.astimezone(zone_of(schedule.zone)).isoformat())
    return found


def test_daily_at_eight_stays_at_eight_when_clocks_change():
    assert due(Schedule(DAYS, time(8), "Europe/Berlin"), "2026-03-28T00:00:00+00:00", 3) == [
        "2026-03-28T08:00:00+01:00",
        "2026-03-29T08:00:00+02:00",
        "2026-03-30T08:00:00+02:00",
    ]


def test_on_weekdays_and_once_a_week():
    weekdays = Schedule.of_json({"days": "weekdays", "at": "08:00", "zone": "UTC"})
    assert [day[:10] for day in due(weekdays, "2026-05-07T09:00:00+00:00", 3)] == [
        "2026-05-08",
        "2026-05-11",
        "2026-05-12",
    ]
    weekly = Schedule.of_json({"days": "sunday", "at": "18:30", "zone": "UTC"})
    assert [day[:10] for day in due(weekly, "2026-05-07T09:00:00+00:00", 2)] == ["2026-05-10", "2026-05-17"]


def test_a_time_that_exists_twice_is_due_once():
    assert due(Schedule(DAYS, time(2, 30), "Europe/Berlin"), "2026-10-24T12:00:00+00:00", 2) == [
        "2026-10-25T02:30:00+02:00",
        "2026-10-26T02:30:00+01:00",
    ]


def test_a_time_that_does_not_exist_is_due_when_clocks_are_put_forward():
    assert due(Schedule(DAYS, time(2, 30), "Europe/Berlin"), "2026-03-28T12:00:00+00:00", 2) == [
        "2026-03-29T03:00:00+02:00",
        "2026-03-30T02:30:00+02:00",
    ]


def test_a_day_that_does_not_exist_has_no_digest():
    """Samoa went from the 29th to the 31st of December 2011, a Friday."""
    assert due(Schedule(("friday",), time(8), "Pacific/Apia"), "2011-12-29T12:00:00+00:00", 1)[0][:10] == "2012-01-06"
    daily = due(Schedule(DAYS, time(8), "Pacific/Apia"), "2011-12-29T00:00:00+00:00", 2)
    assert [day[:10] for day in daily] == ["2011-12-29", "2011-12-31"]


@given(SCHEDULES, MOMENTS)
def test_the_next_is_after_now_and_there_is_none_between(schedule, moment):
    following = schedule.after(moment)
    assert following > moment
    assert DAYS[following.astimezone(zone_of(schedule.zone)).weekday()] in schedule.days
    between = moment + (following - moment) / 2
    assert schedule.after(between) == following
    assert schedule.after(following - timedelta(microseconds=1)) == following
    assert following - moment < timedelta(days=9)


@given(SCHEDULES)
def test_a_schedule_survives_its_plain_form(schedule):
    assert Schedule.of_json(schedule.to_json()) == schedule


@pytest.mark.parametrize(
    ("days", "said"), [([], "at least one day"), (["mon"], "not a day"), ("weekly", "neither"), ("frieday", "'friday'")]
)
def test_days_that_are_none(days, said):
    with pytest.raises(ModelError, match=said):
        Schedule.of_json({"days": days, "at": "08:00", "zone": "UTC"})


def test_days_are_in_the_order_of_the_week():
    assert Schedule(("sunday", "monday"), time(8), "UTC") == Schedule(("monday", "sunday"), time(8), "UTC")
    assert Schedule.of_json({"days": "weekends", "at": "08:00", "zone": "UTC"}).to_json()["days"] == "weekends"

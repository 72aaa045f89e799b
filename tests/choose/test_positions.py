"""semantics: Delivery modes: the three units in which lengths are counted."""

from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rankcast.choose import Moment
from rankcast.choose.positions import Positions, instant, microseconds, span
from rankcast.model import EPOCH, Length, Unit


@pytest.mark.parametrize(
    ("unit", "expected"),
    [(Unit.EVENTS, [7, 8, 10]), (Unit.MATCHED, [1, 1, 2]), (Unit.TIME, [1_000_000, 1_500_000, 3_000_000])],
)
def test_each_unit_has_its_positions(unit, expected):
    positions = Positions(unit)
    stream = [(7, 1, True), (8, 1.5, False), (10, 3, True)]
    found = [positions.advance(Moment(seq, EPOCH + timedelta(seconds=s)), matches) for seq, s, matches in stream]
    assert found == expected


def test_a_length_of_time_is_counted_in_microseconds():
    assert span(Length(timedelta(minutes=30), Unit.TIME)) == 1_800_000_000
    assert span(Length(30, Unit.MATCHED)) == 30


@given(st.datetimes(timezones=st.just(UTC)))
def test_times_go_there_and_back_exactly(time):
    assert instant(microseconds(time)) == time


def test_an_instant_beyond_all_times_is_the_last():
    assert instant(10**30) == datetime.max.replace(tzinfo=UTC)

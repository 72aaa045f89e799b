from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st
from sqlalchemy.dialects import postgresql, sqlite
from sqlalchemy.schema import CreateTable

from rankcast.errors import StoreError
from rankcast.store.schema import datetime_of, metadata, microseconds


@given(st.datetimes(timezones=st.just(UTC)))
def test_a_time_survives_its_column(time):
    assert datetime_of(microseconds(time)) == time


@pytest.mark.parametrize("value", [2**62, -(2**62), "noon", None])
def test_what_is_no_time_is_damage(value):
    with pytest.raises(StoreError, match=f"damaged: {value!r} is no time"):
        datetime_of(value)


def test_columns_of_times_sort_as_times_do():
    times = [datetime(1969, 12, 31, 23, 59, 59, 999_999, UTC) + timedelta(microseconds=step) for step in range(3)]
    assert [microseconds(time) for time in times] == [-1, 0, 1]


@pytest.mark.parametrize("table", metadata.sorted_tables, ids=lambda table: table.name)
def test_every_table_says_what_it_is_for_and_is_sql_of_both_dialects(table):
    assert table.comment
    for dialect in (sqlite.dialect(), postgresql.dialect()):
        assert f"CREATE TABLE {table.name}" in str(CreateTable(table).compile(dialect=dialect))


def test_numbers_of_rows_are_sqlite_s_own_and_64_bits_elsewhere():
    table = metadata.tables["events"]
    assert "event_offset INTEGER NOT NULL" in str(CreateTable(table).compile(dialect=sqlite.dialect()))
    assert "event_offset BIGINT NOT NULL" in str(CreateTable(table).compile(dialect=postgresql.dialect()))

"""Columns as attributes: null is absent, an array is multi-valued (README, docs/semantics.md 1)."""

from datetime import UTC, date, datetime
from decimal import Decimal

import pyarrow as pa
import pytest
from pyspark.sql import types as t

from rankcast.errors import ModelError
from rankcast.model import Event
from rankcast.spark.columns import check_columns, events_of_json, events_of_table

NOON = datetime(2026, 1, 1, 12, tzinfo=UTC)


def test_rows_become_events():
    table = pa.table(
        {
            "id": ["e1", "e2"],
            "time": pa.array([NOON, NOON], pa.timestamp("us", "UTC")),
            "source": ["imdb", None],
            "genre": pa.array([["drama", None, "comedy", "drama"], []], pa.list_(pa.string())),
            "year": [1999, None],
            "rating": [7.5, 8.0],
            "seen": [True, None],
            "released": [date(2004, 2, 13), None],
            "price": pa.array([Decimal("10.00"), Decimal("9.99")], pa.decimal128(6, 2)),
        }
    )
    assert list(events_of_table(table)) == [
        Event(
            "e1",
            NOON,
            {
                "genre": ("drama", "comedy"),
                "year": (1999,),
                "rating": (7.5,),
                "seen": (True,),
                "released": (datetime(2004, 2, 13, tzinfo=UTC),),
                "price": (10,),
            },
            source="imdb",
        ),
        Event("e2", NOON, {"rating": (8.0,), "price": (9.99,)}),
    ]


def test_a_row_that_cannot_be_an_event_is_a_reject_with_its_reason():
    table = pa.table(
        {"id": ["e1", None], "time": pa.array([NOON, NOON], pa.timestamp("us", "UTC")), "x": [float("nan"), 1.0]}
    )
    (raw, reason), (_, second) = events_of_table(table)
    assert reason == "attribute 'x': nan is not a number that can be compared"
    assert '"id":"e1"' in raw.replace(" ", "")
    assert second == "'id' is null"


def test_json_may_have_any_attributes():
    line = '{"id": "e1", "time": "2026-01-01T12:00:00Z", "attributes": {"x": 1, "y": ["a", "b"]}}'
    event, (raw, reason), (empty, _) = events_of_json(pa.array([line, '{"id": 1}', None]))
    assert event == Event("e1", NOON, {"x": (1,), "y": ("a", "b")})
    assert raw == '{"id": 1}'
    assert "id" in reason
    assert empty == ""


@pytest.mark.parametrize(
    ("fields", "says"),
    [
        ([("time", t.TimestampType())], "no column 'id'"),
        ([("id", t.StringType())], "no column 'time'"),
        (
            [("id", t.StringType()), ("time", t.TimestampType()), ("x", t.ArrayType(t.LongType()))],
            "'x' is an array<bigint>",
        ),
        ([("id", t.StringType()), ("time", t.TimestampType()), ("x", t.BinaryType())], "'x' is a binary"),
    ],
)
def test_columns_that_no_event_has_are_refused_at_once(fields, says):
    with pytest.raises(ModelError, match=says):
        check_columns(t.StructType([t.StructField(name, kind) for name, kind in fields]))

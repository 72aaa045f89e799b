"""Columns as attributes: null is absent, an array is multi-valued (README, docs/semantics.md 1)."""

import re
from datetime import UTC, date, datetime
from decimal import Decimal

import pyarrow as pa
import pytest
from pyspark.sql import types as t

from rankcast.errors import ModelError
from rankcast.language.tables import events_of_json, events_of_table
from rankcast.model import Event, Gaussian, Hedge, Interval, Piecewise, Table, Term, Trapezoid
from rankcast.pipeline.spark.columns import check_columns

NOON = datetime(2026, 1, 1, 12, tzinfo=UTC)


def struct(field: str) -> t.StructType:
    name, _, kind = field.partition(": ")
    kinds = {"array<double>": t.ArrayType(t.DoubleType()), "double": t.DoubleType(), "bigint": t.LongType()}
    return t.StructType([t.StructField(name, kinds[kind])])


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


def test_a_struct_is_an_imprecise_value():
    numbers = pa.list_(pa.float64())
    kind = pa.struct(
        [
            ("value", pa.int64()),
            ("between", numbers),
            ("trapezoid", numbers),
            ("gaussian", numbers),
            ("piecewise", pa.list_(numbers)),
            ("table", pa.map_(pa.string(), pa.float64())),
            ("is", pa.string()),
        ]
    )
    given = [
        {"value": 900},
        {"between": [50, 60]},
        {"trapezoid": [0, 0, 500, 900]},
        {"gaussian": [10, 2]},
        {"piecewise": [[0, 1], [5, 0.5]]},
        {"table": [("new", 1.0), ("used", 0.5)]},
        {"is": "not very cheap"},
        {},
        None,
    ]
    rows = {
        "id": [f"e{number}" for number in range(len(given))],
        "time": pa.array([NOON] * len(given), pa.timestamp("us", "UTC")),
        "price": pa.array(given, kind),
    }
    assert [event.attributes.get("price") for event in events_of_table(pa.table(rows))] == [
        (900,),
        Interval(50, 60),
        Trapezoid(0, 0, 500, 900),
        Gaussian(10, 2),
        Piecewise(((0, 1), (5, 0.5))),
        Table((("new", 1.0), ("used", 0.5))),
        Term("cheap", (Hedge.NOT, Hedge.VERY)),
        None,
        None,
    ]


@pytest.mark.parametrize(
    ("value", "says"),
    [
        ({"between": [60, 50]}, "attribute 'x': interval .60.0, 50.0. needs its numbers in ascending order"),
        ({"between": [60]}, "attribute 'x': 'between' must be a list of 2 numbers"),
        ({"between": [50, None]}, "between"),
        ({"between": [50, 60], "is": "cheap"}, "several values: between, is"),
        ({"is": "not"}, "not"),
    ],
)
def test_a_struct_that_is_no_imprecise_value_is_a_reject(value, says):
    kind = pa.struct([("between", pa.list_(pa.float64())), ("is", pa.string())])
    rows = {"id": ["e1"], "time": pa.array([NOON], pa.timestamp("us", "UTC")), "x": pa.array([value], kind)}
    ((_, reason),) = events_of_table(pa.table(rows))
    assert re.search(says, reason)


def test_a_row_that_cannot_be_an_event_is_a_reject_with_its_reason():
    table = pa.table(
        {"id": ["e1", None], "time": pa.array([NOON, NOON], pa.timestamp("us", "UTC")), "x": [float("nan"), 1.0]}
    )
    (raw, reason), (_, second) = events_of_table(table)
    assert reason == "attribute 'x': nan is not a number that can be compared"
    assert '"id":"e1"' in raw.replace(" ", "")
    assert second == "'id' is null"


def test_a_time_may_be_a_string():
    event, (_, reason) = events_of_table(pa.table({"id": ["e1", "e2"], "time": ["2026-01-01T12:00:00Z", "noon"]}))
    assert event.time == NOON
    assert "noon" in reason


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
            [("id", t.StringType()), ("time", t.TimestampType()), ("x", t.ArrayType(t.ArrayType(t.LongType())))],
            "'x' is an array<array<bigint>>",
        ),
        (
            [("id", t.StringType()), ("time", t.TimestampType()), ("x", t.ArrayType(struct("y: bigint")))],
            "'x' is an array<struct<y:bigint>>; an array must hold strings, booleans, numbers or times",
        ),
        (
            [
                ("id", t.StringType()),
                ("time", t.TimestampType()),
                ("x", t.StructType([t.StructField("y", t.StructType([t.StructField("z", t.BinaryType())]))])),
            ],
            "'x.y.z' is a binary",
        ),
        ([("id", t.StringType()), ("time", t.TimestampType()), ("x", t.BinaryType())], "'x' is a binary"),
        ([("id", t.DoubleType()), ("time", t.TimestampType())], "'id' is a double; it must be a string or an integer"),
        ([("id", t.LongType()), ("time", t.LongType())], "'time' is a bigint; it must be a timestamp, a date or"),
        ([("id", t.LongType()), ("time", t.StringType()), ("k", t.StringType())], "'k' is a string"),
        ([("id", t.StringType()), ("time", t.TimestampType()), ("x", struct("between: double"))], "field between"),
        ([("id", t.StringType()), ("time", t.TimestampType()), ("x", struct("is: bigint"))], "field is: bigint"),
    ],
)
def test_columns_that_no_event_has_are_refused_at_once(fields, says):
    with pytest.raises(ModelError, match=says):
        check_columns(t.StructType([t.StructField(name, kind) for name, kind in fields]))


def test_structs_of_all_forms_are_accepted():
    numbers = t.ArrayType(t.DoubleType())
    forms = t.StructType(
        [
            t.StructField("value", t.LongType()),
            t.StructField("is", t.StringType()),
            t.StructField("between", t.ArrayType(t.IntegerType())),
            t.StructField("left_shoulder", numbers),
            t.StructField("piecewise", t.ArrayType(numbers)),
            t.StructField("table", t.MapType(t.StringType(), t.DoubleType())),
        ]
    )
    kinds = [("id", t.StringType()), ("time", t.TimestampType()), ("price", forms)]
    check_columns(t.StructType([t.StructField(name, kind) for name, kind in kinds]))


def test_other_structs_are_nested():
    kind = pa.struct(
        [
            ("width", pa.int64()),
            ("prices", pa.list_(pa.float64())),
            ("inner", pa.struct([("name", pa.string()), ("near", pa.struct([("between", pa.list_(pa.float64()))]))])),
        ]
    )
    given = [
        {"width": 3, "prices": [1.5, 2, 2], "inner": {"name": "a", "near": {"between": [1, 2]}}},
        {"width": None, "inner": None},
        None,
    ]
    rows = {
        "id": ["e1", "e2", "e3"],
        "time": pa.array([NOON] * 3, pa.timestamp("us", "UTC")),
        "size": pa.array(given, kind),
    }
    for table in (pa.table(rows), pa.record_batch(rows)):
        assert [event.attributes for event in events_of_table(table)] == [
            {
                "size.width": (3,),
                "size.prices": (1.5, 2.0),
                "size.inner.name": ("a",),
                "size.inner.near": Interval(1, 2),
            },
            {},
            {},
        ]
    with pytest.raises(ModelError, match=r"'size\.width' is given twice"):
        list(events_of_table(pa.table({**rows, "size.width": [1, 2, 3]})))

"""Rows that pass the test by columns are events; no row that is none passes it."""

from datetime import UTC, datetime

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rankcast.language.plain_rows import plain_rows
from rankcast.language.tables import events_of_table
from rankcast.model import MAX_ATTRIBUTES, MAX_NAME, MAX_TEXT, MAX_VALUES, Event

NOW = datetime(2026, 1, 1, tzinfo=UTC)
TIMES = pa.timestamp("us", "UTC")
TEXTS = st.one_of(st.none(), st.sampled_from(["", "a", "\n", "\u00a0", "x" * MAX_NAME, "x" * (MAX_NAME + 1), "é"]))
SCHEMA = pa.schema(
    [
        ("id", pa.string()),
        ("time", TIMES),
        ("source", pa.string()),
        ("advertisement", pa.string()),
        ("k", pa.int32()),
        ("title", pa.string()),
        ("rating", pa.float64()),
        ("year", pa.int64()),
        ("seen", pa.bool_()),
        ("shown", pa.timestamp("us")),
        ("genre", pa.list_(pa.string())),
        ("prices", pa.list_(pa.float64())),
    ]
)
ROWS = st.fixed_dictionaries(
    {
        "id": TEXTS,
        "time": st.sampled_from([None, NOW, NOW, NOW]),
        "source": TEXTS,
        "advertisement": st.sampled_from([None, None, "a1"]),
        "k": st.sampled_from([None, None, 3, -1]),
        "title": st.one_of(TEXTS, st.just("y" * (MAX_TEXT + 1))),
        "rating": st.one_of(st.none(), st.floats()),
        "year": st.one_of(st.none(), st.integers(-(2**63), 2**63 - 1)),
        "seen": st.one_of(st.none(), st.booleans()),
        "shown": st.one_of(st.none(), st.datetimes()),
        "genre": st.one_of(st.none(), st.lists(st.sampled_from(["drama", "noir", "", "drama"]), max_size=4)),
        "prices": st.one_of(st.none(), st.lists(st.sampled_from([1.0, 2.5, 1.0, float("inf"), None]), max_size=3)),
    }
)


@given(st.lists(ROWS, max_size=6))
def test_what_passes_is_an_event(rows):
    batch = pa.RecordBatch.from_pylist(rows, schema=SCHEMA)
    plain = plain_rows(batch).to_pylist()
    assert len(plain) == len(rows)
    for is_plain, outcome in zip(plain, events_of_table(batch), strict=True):
        assert not is_plain or isinstance(outcome, Event)


@pytest.mark.parametrize(
    "column",
    [
        pa.array(["drama", None]),
        pa.array([1, None]),
        pa.array([1.5, None]),
        pa.array([True, None]),
        pa.array([["a", "b"], []], pa.list_(pa.string())),
        pa.array([NOW, None], TIMES),
    ],
)
def test_ordinary_rows_pass(column):
    batch = pa.record_batch({"id": ["e1", "e2"], "time": pa.array([NOW, NOW], TIMES), "x": column})
    assert plain_rows(batch).to_pylist() == [True, True]


@pytest.mark.parametrize(
    "columns",
    [
        {"x": ["y" * (MAX_TEXT + 1)]},
        {"x": pa.array([["y" * (MAX_TEXT + 1)]])},
        {"x": pa.array([[f"{number}" for number in range(MAX_VALUES + 1)]])},
        {f"n{number}": [1] for number in range(MAX_ATTRIBUTES + 1)},
    ],
    ids=["text", "text in a list", "values", "attributes"],
)
def test_a_row_beyond_a_bound_does_not_pass(columns):
    batch = pa.record_batch({"id": ["e1"], "time": pa.array([NOW], TIMES), **columns})
    assert plain_rows(batch).to_pylist() == [False]


def test_imprecise_values_need_the_slower_way():
    ranges = pa.array([{"between": [1.0, 2.0]}], pa.struct([("between", pa.list_(pa.float64()))]))
    assert plain_rows(pa.record_batch({"id": ["e1"], "time": pa.array([NOW], TIMES), "x": ranges})).to_pylist() == [
        False
    ]

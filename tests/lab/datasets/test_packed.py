"""Bundled files as typed records."""

from datetime import UTC, datetime

from rankcast.lab.datasets.packed import Field, events_of, read_rows, table_of, yes

NOON = datetime(2026, 1, 1, 12, tzinfo=UTC)
FIELDS = {"price": Field("p", int, "int64"), "kept": Field("k", yes, "bool"), "tags": Field("t", str.split, "strings")}
ROWS = [("a", NOON, {"p": "5", "k": "yes", "t": "x y"}), ("b", NOON, {"p": "", "k": "no", "t": ""})]


def test_missing_values_are_absent():
    first, second = events_of(iter(ROWS), FIELDS, None)
    assert first.attributes == {"price": (5,), "kept": (True,), "tags": ("x", "y")}
    assert (second.attributes, second.seq) == ({"kept": (False,)}, 2)


def test_a_limit_ends_the_reading():
    assert [event.id for event in events_of(iter(ROWS), FIELDS, 1)] == ["a"]
    assert list(events_of(iter(ROWS), FIELDS, 0)) == []


def test_tables_have_types_even_where_all_is_missing():
    table = table_of(ROWS[1:], FIELDS, None)
    assert [str(field.type) for field in table.schema] == [
        "string",
        "timestamp[us, tz=UTC]",
        "int64",
        "bool",
        "list<item: string>",
    ]
    assert table.to_pylist() == [{"id": "b", "time": NOON, "price": None, "kept": False, "tags": None}]


def test_a_bundled_file_is_read_by_column():
    assert next(read_rows("auctions.csv.gz"))["item"] == "Cartier wristwatch"

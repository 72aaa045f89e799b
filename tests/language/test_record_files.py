"""A catalog file on top of a catalog, such as that of a store."""

import json
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from pyarrow import ipc, parquet

from rankcast.language import decode_record, read_catalog, read_records
from rankcast.model import Catalog, Policy, Preference, Record, Subscription


@pytest.fixture
def lines(tmp_path: Path) -> Callable[[str, Iterable[Any]], Path]:
    def write(name: str, records: Iterable[Any]) -> Path:
        texts = [record if isinstance(record, str) else json.dumps(record) for record in records]
        (tmp_path / name).write_text("".join(text + "\n" for text in texts), encoding="utf-8")
        return tmp_path / name

    return write


@pytest.fixture
def base() -> Catalog:
    return Catalog([decode_record({"kind": "subscription", "id": "s1", "user": "ann", "where": "x = 1"})])


def test_a_record_may_name_what_the_store_has(base: Catalog, lines: Any) -> None:
    file = lines(
        "c.jsonl",
        [
            {"kind": "preference", "user": "ann", "prefer": "s2", "over": "s1"},
            {"kind": "subscription", "id": "s2", "user": "ann", "where": "x = 2"},
        ],
    )
    records, rejects = read_records(file, base)
    assert [type(record) for record in records] == [Subscription, Preference]
    assert rejects == []
    assert list(base.subscriptions) == ["s1", "s2"]


def test_a_record_may_replace_what_the_store_has_but_stands_once_in_the_file(base: Catalog, lines: Any) -> None:
    forms = [{"kind": "subscription", "id": "s1", "user": "ann", "where": f"x = {n}"} for n in (5, 6)]
    records, (reject,) = read_records(lines("c.jsonl", forms), base)
    assert [record.where for record in records] == [decode_record(forms[0]).where]
    assert (reject.line, reject.reason) == (2, "duplicate subscription 's1', first on line 1")


@pytest.mark.parametrize(
    ("form", "key"),
    [
        ({"kind": "policy", "user": "ann", "mode": "all"}, "policy of 'ann'"),
        ({"kind": "concept", "name": "big", "attribute": "x", "between": [1, 2]}, "concept 'big' on 'x'"),
        (
            {"kind": "concept", "name": "big", "attribute": "x", "between": [1, 2], "user": "ann"},
            "concept 'big' on 'x' of 'ann'",
        ),
        ({"kind": "advertisement", "id": "a", "publisher": "p", "where": "true", "k": 1}, "advertisement 'a'"),
    ],
)
def test_duplicates_of_every_kind(base: Catalog, lines: Any, form: dict[str, Any], key: str) -> None:
    records, (reject,) = read_records(lines("c.jsonl", [form, form]), base)
    assert len(records) == 1
    assert reject.reason == f"duplicate {key}, first on line 1"


def test_a_circle_is_broken_at_its_last_line(base: Catalog, lines: Any) -> None:
    file = lines(
        "c.jsonl",
        [
            {"kind": "subscription", "id": "s2", "user": "ann", "where": "x = 2"},
            {"kind": "preference", "user": "ann", "prefer": "s1", "over": "s2"},
            {"kind": "preference", "user": "ann", "prefer": "s2", "over": "s1"},
        ],
    )
    records, (reject,) = read_records(file, base)
    assert len(records) == 2
    assert reject.line == 3
    assert "s2 > s1 > s2" in reject.reason


def test_every_line_is_counted(base: Catalog, lines: Any) -> None:
    seen: list[int] = []
    read_records(lines("c.jsonl", ["x", "", "y"]), base, seen.append)
    assert seen == [1, 3]


def test_equal_expressions_are_one(base: Catalog, lines: Any) -> None:
    forms = [{"kind": "subscription", "id": f"n{n}", "user": "ann", "where": "x = 5"} for n in range(2)]
    one, other = read_records(lines("c.jsonl", forms), base)[0]
    assert isinstance(one, Subscription)
    assert isinstance(other, Subscription)
    assert one.where is other.where


TABLE = pa.table(
    {
        "kind": [None, "subscription", "policy", "subscription", "subscription"],
        "id": ["s1", "s2", None, "s3", "s1"],
        "user": ["ann", "bob", "ann", "bob", "ann"],
        "where": ["x = 1", "x > 2 or y exists", None, "x >", "x = 2"],
        "score": [0.5, None, None, None, None],
        "mode": [None, None, "sliding", None, None],
        "k": [None, None, 3, None, None],
        "length": [None, None, "2d", None, None],
    }
)


def write_parquet(path: Path) -> None:
    parquet.write_table(TABLE, path)


def write_arrow(path: Path) -> None:
    with ipc.new_file(path, TABLE.schema) as file:
        file.write_table(TABLE)


@pytest.mark.parametrize("write", [write_parquet, write_arrow])
def test_a_table_is_read_like_lines(write: Callable[[Path], None], tmp_path: Path, lines: Any) -> None:
    write(tmp_path / "table")
    rows = [{name: value for name, value in row.items() if value is not None} for row in TABLE.to_pylist()]
    forms = [{"kind": "subscription"} | row for row in rows]
    catalog, rejects = read_catalog(tmp_path / "table")
    expected, same = read_catalog(lines("c.jsonl", forms))
    records: list[Record] = list(catalog.records())
    assert records == list(expected.records())
    assert [type(record) for record in records] == [Subscription, Subscription, Policy]
    assert [(one.line, one.reason) for one in rejects] == [(one.line, one.reason) for one in same]
    assert [one.line for one in rejects] == [4, 5]
    assert json.loads(rejects[0].raw) == forms[3]

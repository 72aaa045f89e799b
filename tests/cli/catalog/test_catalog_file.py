"""A catalog file on top of what a store has."""

from pathlib import Path
from typing import Any

import pytest

from rankcast.cli.catalog.catalog_file import read
from rankcast.language import decode_record
from rankcast.model import Catalog, Preference, Subscription


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
    records, rejects = read(Path(file), base, lambda number: None)
    assert [type(record) for record in records] == [Subscription, Preference]
    assert rejects == []
    assert list(base.subscriptions) == ["s1"]


def test_a_record_may_replace_what_the_store_has_but_stands_once_in_the_file(base: Catalog, lines: Any) -> None:
    forms = [{"kind": "subscription", "id": "s1", "user": "ann", "where": f"x = {n}"} for n in (5, 6)]
    records, (reject,) = read(Path(lines("c.jsonl", forms)), base, lambda number: None)
    assert [record.where for record in records] == [decode_record(forms[0]).where]  # type: ignore[union-attr]
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
    records, (reject,) = read(Path(lines("c.jsonl", [form, form])), base, lambda number: None)
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
    records, (reject,) = read(Path(file), base, lambda number: None)
    assert len(records) == 2
    assert reject.line == 3
    assert "s2 > s1 > s2" in reject.reason


def test_every_line_is_counted(base: Catalog, lines: Any) -> None:
    seen: list[int] = []
    read(Path(lines("c.jsonl", ["x", "", "y"])), base, seen.append)
    assert seen == [1, 3]

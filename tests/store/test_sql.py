from datetime import UTC, datetime
from itertools import product

import pytest
from sqlalchemy import select

from rankcast.model import Event
from rankcast.store import sql
from rankcast.store.schema import events, log_marks
from rankcast.store.sql import append_new, chunks, last_number, paged, put_rows


@pytest.mark.parametrize("many", [1, 1000])
def test_only_new_rows_are_appended_counted_and_numbered(store, monkeypatch, many):
    monkeypatch.setattr(sql, "_MANY", many)

    def append(*ids: str) -> int:
        same = [0] * len(ids)
        columns = {"id": ids, "catalog_version": same, "content": ["{}"] * len(ids), "published": same, "logged": same}
        return append_new(connection, number, columns)

    number = events.c.event_offset
    with store._database.writing() as connection:
        assert append("a", "b") == 2
        assert append("b", "c", "c", "a", "d") == 2
        assert append() == 0
        assert append("d") == 0
        assert append("e") == 1
        log = connection.execute(select(number, events.c.id).order_by(number)).all()
    assert log == [(1, "a"), (2, "b"), (3, "c"), (4, "d"), (5, "e")]


def test_put_rows_replaces_in_order(store):
    with store._database.writing() as connection:
        put_rows(connection, log_marks, [{"name": "a", "number": 1}, {"name": "b", "number": 2}], ["number"])
        put_rows(connection, log_marks, [{"name": "b", "number": 3}, {"name": "b", "number": 4}], ["number"])
        put_rows(connection, log_marks, [], ["number"])
        assert connection.execute(select(log_marks).order_by(log_marks.c.name)).all() == [("a", 1), ("b", 4)]


def test_an_empty_log_has_given_no_number(store):
    with store._database.reading() as connection:
        assert last_number(connection, events.c.event_offset) == 0


def test_pages_join_into_the_whole(store, monkeypatch):
    monkeypatch.setattr(sql, "_PAGE", 4)
    time = datetime(2026, 5, 1, tzinfo=UTC)
    store.publish([Event(f"e{number}", time, {}) for number in range(1, 11)])
    for after, limit in product([0, 3, 9, 10, 99], [None, 0, 1, 4, 5, 99]):
        rows = paged(store._database, select(events.c.event_offset), events.c.event_offset, after, limit)
        assert [row[0] for row in rows] == list(range(after + 1, 11))[:limit], (after, limit)


def test_a_reader_between_two_pages_holds_no_transaction(store, monkeypatch):
    monkeypatch.setattr(sql, "_PAGE", 1)
    time = datetime(2026, 5, 1, tzinfo=UTC)
    store.publish([Event("e1", time, {}), Event("e2", time, {})])
    reader = store.events()
    assert next(reader).offset == 1
    store.publish([Event("e3", time, {})])
    assert [logged.offset for logged in reader] == [2, 3]


def test_chunks_of_nothing():
    assert list(chunks(iter([]), 3)) == []

"""A store of the release before goes on after its upgrade, with the deliveries that it would have made."""

from datetime import UTC, datetime

import before
import pytest

from rankcast.pipeline.local import LocalPipeline
from rankcast.store import AccessLog, AuditLog, Store
from rankcast.store.upgrading import upgrade_store

START = datetime(2026, 1, 1, tzinfo=UTC)
ORACLE, ARRAYS = 0, 10**6
"""How many events are expected, by which the kind of shard is chosen."""


def go_on(place: str, expected: int) -> None:
    upgrade_store(place, is_backed_up=True)
    # By the clock of the fixtures, for which the stream is live: by today's, the rest of a live stream would be late.
    with Store.open(place, clock=lambda: START) as store:
        store.publish(before.remaining())
        for _ in LocalPipeline(store, before.SHARDS, batch=25, expected=expected).serve(close=True):
            pass
        assert before.delivered(store) == before.deliveries()
        assert store.progress().offset == store.last_offset() == 210


@pytest.mark.parametrize(("name", "expected"), [("oracle.db", ARRAYS), ("arrays.db", ORACLE)])
def test_a_file_goes_on(tmp_path, name, expected):
    go_on(str(before.put_file(name, tmp_path)), expected)


def test_postgresql_goes_on(postgresql):
    with postgresql.place() as url:
        before.put_postgresql(url)
        go_on(url, ORACLE)


def test_a_store_of_schema_version_4_keeps_what_came_with_it(tmp_path):
    place = str(before.put_file("store.db", tmp_path, before.NEXT))
    upgrade_store(place, is_backed_up=True)
    with Store.open(place, clock=lambda: START) as store:
        assert [(row.user, row.event) for row in store.set_aside()] == [("user05", "e007"), (None, "e011")]
        assert [token.expires is not None for token in AccessLog(store.database).tokens()][-1]
        assert AuditLog(store.database).entries() == []
        store.publish(before.remaining())
        for _ in LocalPipeline(store, before.SHARDS, batch=25, expected=ORACLE).serve(close=True):
            pass
        assert before.delivered(store) == before.deliveries()

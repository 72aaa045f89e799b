from datetime import UTC, datetime

from rankcast.language import decode_event
from rankcast.model import Reject
from rankcast.store import BatchCounts, StateChanges, Store
from rankcast.store.status import status

NOON = datetime(2026, 5, 1, 12, tzinfo=UTC)


def events(count):
    return [decode_event({"id": f"e{n}", "time": "2026-05-01", "attributes": {}}) for n in range(count)]


def test_a_new_store_has_nothing_and_nobody(store):
    assert status(store.database) == (0, 0, 0, 0, None, 0, 0, 0, None, 0)


def test_what_is_published_and_not_served_waits(place):
    with Store.create(place, clock=lambda: NOON) as store:
        store.publish(events(5))
        found = status(store.database)
        assert (found.published, found.served, found.lag, found.waiting_since) == (5, 0, 5, NOON)
        store.commit([], offset=5, catalog_version=0, state=StateChanges(size=4), expected_offset=0)
        found = status(store.database)
        assert (found.served, found.lag, found.waiting_since) == (5, 0, None)
        assert (found.pipeline.engine, found.pipeline.state_bytes) == ("process", 4)


def test_who_serves_and_what_was_rejected(store):
    store.claim("p1", "here", shards=2)
    rejects = [("k1", Reject("topic", 7, "no JSON", "x"))]
    store.commit_batch("p1", {}, rejects, BatchCounts(0, events=3, late=1, rejected=1), 0, 0, 0)
    found = status(store.database)
    assert found.rejects == 1
    assert (found.pipeline.place, found.pipeline.shards, found.pipeline.late) == ("here", 2, 1)

from datetime import UTC, datetime

from catalog_records import likes

from rankcast.language import decode_record
from rankcast.model import Delivery, Event, Reject
from rankcast.store import StateChanges, Stats

TIME = datetime(2026, 5, 1, tzinfo=UTC)


def test_an_empty_store_holds_nothing(store):
    assert store.stats() == Stats(0, 0, 0, 0, 0, 0, 0)


def test_everything_is_counted(store):
    store.change(put=[likes("s1", "ann"), likes("s2", "ann"), likes("s3", "bob"), likes("s4", "carl")])
    store.change(put=[decode_record({"kind": "policy", "user": "dora"})], remove=[likes("s4", "carl")])
    store.publish([Event(f"e{number}", TIME, {}) for number in range(1, 6)])
    store.commit([Delivery("ann", "e1", 1, 1.0, (), TIME, TIME, 1)], 3, 2, StateChanges(), expected_offset=0)
    store.reject([Reject("f", 1, "r", "")] * 2)
    assert store.stats() == Stats(users=2, subscriptions=3, versions=2, events=5, processed=3, deliveries=1, rejects=2)

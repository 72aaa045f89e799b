"""What was set aside is kept once, with the batch, until it is served again."""

from datetime import UTC, datetime

from rankcast.language import decode_event
from rankcast.model import Delivery, SetAside
from rankcast.store import StateChanges, Store

T0 = datetime(2026, 11, 1, tzinfo=UTC)


def test_rows_are_kept_with_the_batch_and_once(store: Store) -> None:
    store.publish([decode_event({"id": name, "time": "2026-11-01", "attributes": {}}) for name in ("e1", "e2")])
    everybody = SetAside(None, "e1", 1, 0, "no")
    ann = SetAside("ann", "e1", 1, 0, "bad \ud800 \0 text")
    store.commit([], 1, 0, StateChanges(), 0, set_aside=[everybody, ann])
    store.commit([], 2, 0, StateChanges(), 1, set_aside=[ann, SetAside("ann", None, 2, 0, "gone"), ann])
    kept = store.set_aside()
    assert [(row.number, row.user, row.event, row.seq) for row in kept] == [
        (1, None, "e1", 1),
        (2, "ann", "e1", 1),
        (3, "ann", None, 2),
    ]
    assert kept[1].error == "bad \\ud800 \\x00 text"
    assert [row.number for row in store.set_aside(limit=1)] == [3]
    assert [row.number for row in store.set_aside("ann")] == [2, 3]


def test_what_is_served_again_waits_no_more(store: Store) -> None:
    store.publish([decode_event({"id": "e1", "time": "2026-11-01", "attributes": {}})])
    store.commit(
        [], 1, 0, StateChanges(), 0, set_aside=[SetAside("ann", "e1", 1, 0, "no"), SetAside("bob", "e1", 1, 0, "no")]
    )
    late = Delivery("ann", "e1", 1, 1.0, ("s1",), T0, T0, 1)
    assert store.serve_again([late], done=[1]) == 1
    assert [row.user for row in store.set_aside()] == ["bob"]
    assert [(row.user, row.served is None) for row in store.set_aside(pending=False)] == [("ann", False), ("bob", True)]
    assert [delivery for _, delivery in store.deliveries()] == [late]
    assert store.progress().offset == 1
    assert store.serve_again([late], done=[1]) == 0, "a delivery is in the log once"


def test_an_error_is_kept_at_a_bounded_length(store: Store) -> None:
    store.publish([decode_event({"id": "e1", "time": "2026-11-01", "attributes": {}})])
    store.commit([], 1, 0, StateChanges(), 0, set_aside=[SetAside("ann", "e1", 1, 0, "x" * 10_000_000)])
    assert len(store.set_aside()[0].error) == 2_000

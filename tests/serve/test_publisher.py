from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from rankcast.errors import CatalogError, StoreError
from rankcast.language import decode_event
from rankcast.model import Event
from rankcast.serve.publisher import Publisher
from rankcast.store import Published, Store


@pytest.fixture
def store(tmp_path: Path) -> Store:
    return Store.create(tmp_path / "store.db")


def event(name: str, x: int = 1) -> Event:
    return decode_event({"id": name, "time": "2004-01-01", "attributes": {"x": x}})


def test_many_at_once_each_get_their_own_answer(store: Store) -> None:
    publisher = Publisher(store)
    requests = [[event(f"e{place}-{number}") for number in range(place % 4)] for place in range(60)]
    with ThreadPoolExecutor(16) as threads:
        outcomes = list(threads.map(lambda events: publisher.publish(events).result(10), requests))
    for events, outcome in zip(requests, outcomes, strict=True):
        assert [one.id for one in outcome.results if isinstance(one, Published)] == [one.id for one in events]
    assert store.last_offset() == sum(map(len, requests))
    publisher.close()


def test_a_bad_event_is_no_neighbours_problem(store: Store) -> None:
    publisher = Publisher(store)
    publisher.publish([event("taken")]).result(10)
    futures = [
        publisher.publish(each) for each in ([event("a")], [event("b"), event("taken", 2), event("c")], [event("a")])
    ]
    first, second, third = (future.result(10).results for future in futures)
    assert [type(one) for one in second] == [Published, CatalogError, Published]
    assert [first, third] == [[Published("a", 2, False)], [Published("a", 2, True)]]
    publisher.close()


def test_a_store_that_fails_is_everybodys(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    publisher = Publisher(store)

    def fail(*given: object, **named: object) -> list[Published]:
        raise StoreError("no space is left")

    monkeypatch.setattr(store, "publish", fail)
    with pytest.raises(StoreError, match="no space"):
        publisher.publish([event("a")]).result(10)
    monkeypatch.undo()
    assert publisher.publish([event("a")]).result(10).results == [Published("a", 1, False)]
    publisher.close()


def test_what_was_handed_in_is_logged_before_the_end(store: Store) -> None:
    publisher = Publisher(store)
    futures = [publisher.publish([event(f"e{number}")]) for number in range(50)]
    publisher.close()
    assert all(future.done() for future in futures)
    assert store.last_offset() == 50
    with pytest.raises(StoreError, match="stopping"):
        publisher.publish([event("late")])


def test_one_who_gave_up_in_time_has_published_nothing(store: Store) -> None:
    publisher = Publisher(store)
    with store.database.writing():  # the publisher has to wait, so the second request stays in the queue
        first = publisher.publish([event("a")])
        while not first.running():
            pass
        second = publisher.publish([event("b")])
        assert second.cancel()
    assert first.result(10).results == [Published("a", 1, False)]
    publisher.close()
    assert store.event("b") is None

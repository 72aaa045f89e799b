import threading
from datetime import UTC, datetime

import pytest

from rankcast.errors import StoreError
from rankcast.model import Event
from rankcast.store import Store
from rankcast.store.engine import system_clock


def event(number: int) -> Event:
    return Event(f"e{number}", datetime(2026, 5, 1, tzinfo=UTC), {})


def test_the_clock_knows_its_zone():
    assert system_clock().tzinfo is UTC


def test_a_writing_block_that_fails_leaves_nothing(store):
    def fail() -> None:
        with store._database.writing() as connection:
            connection.exec_driver_sql("UPDATE progress SET event_offset = 7")
            raise KeyError

    with pytest.raises(KeyError):
        fail()
    assert store.progress().offset == 0


def test_a_reader_sees_one_state_throughout(store):
    with store._database.reading() as connection:
        before = connection.exec_driver_sql("SELECT count(*) FROM events").scalar()
        store.publish([event(1)])
        assert connection.exec_driver_sql("SELECT count(*) FROM events").scalar() == before == 0
    assert store.last_offset() == 1


def test_many_threads_write_one_after_the_other(store):
    def publish(start: int) -> None:
        for number in range(start, start + 10):
            store.publish([event(number)])

    threads = [threading.Thread(target=publish, args=(100 * start,)) for start in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    logged = list(store.events())
    assert [each.offset for each in logged] == list(range(1, 81))
    assert len({each.event.id for each in logged}) == 80


def test_a_closed_store_says_so(place):
    with Store.create(place) as store:
        pass
    with pytest.raises(StoreError, match=r"was closed; open it again"):
        store.version()
    store.close()


@pytest.mark.parametrize("use", [lambda store: store.event("\udc80"), lambda store: list(store.events(after=10**30))])
def test_values_that_no_database_holds_are_store_errors(store, use):
    with pytest.raises(StoreError):
        use(store)

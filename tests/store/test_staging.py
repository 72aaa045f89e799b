"""Deliveries that many processes copy into PostgreSQL, and that one statement publishes."""

import pytest

from rankcast.errors import EnvironmentProblem
from rankcast.store import BatchCounts, Store
from rankcast.store.staging import StagedDeliveries


@pytest.fixture
def store(postgresql):
    with postgresql.place() as url, Store.create(url) as store:
        store.claim("p1", "checkpoint", 2)
        store.prepare_staging()
        store.prepare_staging()
        yield store


def columns(*numbers):
    count = len(numbers)
    return {
        "user_id": [f"u{number % 3}" for number in numbers],
        "event_id": [f"e{number}" for number in numbers],
        "seq": list(numbers),
        "rank": [0.5] * count,
        "subscriptions": ['["s"]'] * count,
        "published": [5] * count,
        "forwarded": [5] * count,
        "window_number": list(numbers),
    }


def commit(store, batch, parts):
    return store.commit_batch("p1", StagedDeliveries(parts, 1, 2), [], BatchCounts(batch), None, None, 0)


def seqs(store):
    return sorted(one.seq for _, one in store.deliveries())


def numbers(store):
    return [number for number, _ in store.deliveries()]


def test_the_parts_of_a_batch_become_visible_together_and_once(store):
    first, second = store.stage(columns(1, 2, 3)), store.stage(columns(*range(4, 1_504)))
    store.stage(columns(1, 2, 3))  # of a task that was repeated
    assert seqs(store) == []
    assert commit(store, 0, {first: 3, second: 1_500}) == 1_503
    assert seqs(store) == list(range(1, 1_504))
    again = store.stage(columns(1, 2, 3, 4))
    assert commit(store, 0, {again: 4}) == 0
    longer = store.stage(columns(1_503, 1_504, 1_505))  # cut anew
    assert commit(store, 1, {longer: 3}) == 2
    assert numbers(store) == list(range(1, 1_506)), "numbered without gaps"
    assert commit(store, 2, {}) == 0


def test_what_was_copied_and_is_gone_is_noticed(store):
    part = store.stage(columns(1, 2))
    commit(store, 0, {store.stage(columns(5)): 1})  # removes it, as a crash of the database would
    with pytest.raises(EnvironmentProblem, match=r"0 of 2 copied deliveries are in the database, .* start again"):
        commit(store, 1, {part: 2})
    assert seqs(store) == [5]
    assert store.pipeline().last_batch == 0


def test_deliveries_that_went_elsewhere_are_counted_once(store):
    for batch in (0, 1, 1):
        store.commit_batch("p1", 7, [], BatchCounts(batch), None, None, 0)
    assert store.pipeline().delivered == 14
    assert seqs(store) == []

import threading
from datetime import UTC, datetime, timedelta

import pytest

from rankcast.errors import StoreError
from rankcast.language import decode_record
from rankcast.model import Delivery, Event
from rankcast.store import ClockAdvance, PageMark, Progress, StateChanges, StatePage, Store

TIME = datetime(2026, 5, 1, 20, 0, 0, 250_000, UTC)


def delivery(user: str, number: int, rank: float = 0.1 + 0.2) -> Delivery:
    forwarded = TIME + timedelta(microseconds=number)
    return Delivery(user, f"e{number}", number, rank, ("s1", "s,2", 's"3'), TIME, forwarded, window=number + 1)


def pages(offset: int, content: dict[int, bytes]) -> StateChanges:
    """One page of each of some shards."""
    return StateChanges(
        [StatePage(PageMark(shard, 0, 1, offset, 0, 0, offset + 1), of) for shard, of in content.items()]
    )


@pytest.fixture
def store(store) -> Store:
    store.publish([Event(f"e{number}", TIME, {}) for number in range(1, 11)])
    store.change(put=[decode_record({"kind": "subscription", "id": "s1", "user": "ann", "where": "true"})])
    return store


def state(store: Store) -> tuple:
    return store.progress(), list(store.deliveries())


def test_a_new_store_has_made_no_progress(store):
    assert store.progress() == Progress(0, 0, 0)
    assert store.last_delivery() == 0


def test_deliveries_progress_and_states_are_committed_together(store):
    sent = [delivery("ann", 1), delivery("bob", 1), delivery("ann", 2)]
    assert store.commit(sent, 2, 1, pages(2, {0: b"\0\xff", 1: b"one"}), expected_offset=0) == 3
    assert store.progress() == Progress(2, 1, 2)
    assert [page.content for page in store.saved_state().pages] == [b"\0\xff", b"one"]
    assert list(store.deliveries()) == [(1, sent[0]), (2, sent[1]), (3, sent[2])]
    assert store.last_delivery() == 3


def test_a_page_stays_until_it_is_written_again(store):
    store.commit([], 1, 0, pages(1, {0: b"a", 1: b"b"}), expected_offset=0)
    store.commit([], 2, 0, pages(2, {1: b"c"}), expected_offset=1)
    assert store.progress() == Progress(2, 0, 2)
    saved = store.saved_state()
    assert [(page.mark.offset, page.content) for page in saved.pages] == [(1, b"a"), (2, b"c")]
    assert (saved.lag, saved.is_settled) == (1, False)


def test_clock_advances_are_kept_as_long_as_a_page_needs_them(store):
    first, second = ClockAdvance(1, 1, TIME), ClockAdvance(2, 1, TIME + timedelta(hours=1))
    store.commit([], 1, 0, pages(1, {0: b"a"})._replace(advance=first), expected_offset=0)
    store.commit([], 1, 0, StateChanges(advance=second), expected_offset=1)
    assert store.saved_state().advances == [first, second]
    store.save_state(StateChanges(forgotten=1), expected_offset=1)
    assert store.saved_state().advances == [second]
    with pytest.raises(StoreError, match="another process"):
        store.save_state(StateChanges(forgotten=2), expected_offset=0)
    assert store.saved_state().advances == [second]


def test_the_same_batch_again_writes_nothing(store):
    sent = [delivery("ann", 1), delivery("bob", 1)]
    assert store.commit(sent, 1, 1, pages(1, {0: b"a"}), expected_offset=0) == 2
    before = state(store)
    assert store.commit(sent, 1, 1, pages(1, {0: b"a"}), expected_offset=1) == 0
    assert state(store) == before


def test_a_delivery_that_is_there_is_left_as_it_was(store):
    store.commit([delivery("ann", 1, rank=0.5)], 1, 0, StateChanges(), expected_offset=0)
    again = [delivery("ann", 1, rank=0.9), delivery("ann", 2), delivery("ann", 2)]
    assert store.commit(again, 2, 0, StateChanges(), expected_offset=1) == 1
    assert list(store.deliveries()) == [(1, delivery("ann", 1, rank=0.5)), (2, delivery("ann", 2))]
    store.commit([delivery("ann", 3)], 3, 0, StateChanges(), expected_offset=2)
    assert store.last_delivery() == 3


def test_the_progress_must_be_where_it_was_expected(store):
    store.commit([], 3, 0, StateChanges(), expected_offset=0)
    before = state(store)
    with pytest.raises(StoreError, match="progress is at offset 3, not 0: another process"):
        store.commit([delivery("ann", 4)], 4, 0, pages(4, {0: b"x"}), expected_offset=0)
    assert state(store) == before


@pytest.mark.parametrize(("offset", "version"), [(2, 1), (11, 1), (4, 0), (4, 2)])
def test_the_progress_goes_neither_backwards_nor_beyond_the_end(store, offset, version):
    store.commit([], 3, 1, StateChanges(), expected_offset=0)
    before = state(store)
    with pytest.raises(StoreError, match="the progress cannot go from"):
        store.commit([delivery("ann", 4)], offset, version, pages(offset, {0: b"x"}), expected_offset=3)
    assert state(store) == before


@pytest.mark.parametrize(
    "broken",
    [
        {"deliveries": [delivery("ann", 1), delivery("\udc80", 1)]},
        {"deliveries": [delivery("ann", 1)], "state": pages(1, {0: b"ok", 1: None})},
    ],
    ids=["delivery", "state"],
)
def test_a_commit_that_fails_midway_leaves_nothing(store, broken):
    before = state(store)
    with pytest.raises(StoreError):
        store.commit(
            **{"offset": 1, "catalog_version": 0, "state": pages(1, {0: b"x"}), "expected_offset": 0, **broken}
        )
    assert state(store) == before


def test_of_two_that_work_off_the_same_events_one_wins(store):
    outcomes = []

    def work(user: str) -> None:
        try:
            outcomes.append(store.commit([delivery(user, 1)], 1, 0, StateChanges(), expected_offset=0))
        except StoreError as error:
            outcomes.append(type(error))

    threads = [threading.Thread(target=work, args=(user,)) for user in ("ann", "bob")]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(outcomes, key=str) == [1, StoreError]
    assert len(list(store.deliveries())) == 1


def test_a_follower_resumes_after_the_number_it_saw(store):
    store.commit([delivery("ann", 1), delivery("bob", 1)], 1, 0, StateChanges(), expected_offset=0)
    seen = [number for number, _ in store.deliveries()]
    store.commit([delivery("bob", 1), delivery("bob", 2), delivery("ann", 2)], 2, 0, StateChanges(), expected_offset=1)
    assert [sent for _, sent in store.deliveries(after=seen[-1])] == [delivery("bob", 2), delivery("ann", 2)]


def test_one_user_s_deliveries(store):
    store.commit([delivery(user, number) for number in (1, 2, 3) for user in ("ann", "bob")], 3, 0, StateChanges(), 0)
    assert [sent.seq for _, sent in store.deliveries(user="bob")] == [1, 2, 3]
    (number, second), *_ = store.deliveries(user="bob", after=2, limit=1)
    assert second == delivery("bob", 2)
    assert [sent.seq for _, sent in store.deliveries(user="bob", after=number)] == [3]
    assert list(store.deliveries(user="carl")) == []

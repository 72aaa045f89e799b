"""Earlier forms of the pages of delivery state: how far apart, how many, and when they are deleted."""

from collections.abc import Sequence

import pytest

from rankcast.language import parse
from rankcast.model import Subscription
from rankcast.store import PageMark, StateChanges, StatePage, Store, state_pages
from rankcast.store.state_pages import forget_past_pages
from rankcast.store.users import delete_user


@pytest.fixture
def store(place):
    with Store.create(place) as made:
        yield made


def save(store: Store, offset: int, size: int = 100, needed: int | None = None) -> None:
    mark = PageMark(0, 0, 1, offset, 0, 0, offset + 1 if needed is None else needed)
    with store.database.writing() as connection:
        state_pages.write_changes(connection, StateChanges([StatePage(mark, str(offset).encode())], size=size))


def offsets(store: Store) -> list[int]:
    found: list[int] = []

    def note(marks: Sequence[PageMark]) -> None:
        found.extend(sorted(mark.offset for mark in marks))

    assert store.past_page(note) is None
    return found


def test_they_are_some_events_apart(store):
    for offset in range(0, 1_300, 100):
        save(store, offset)
    assert offsets(store) == [0, 300, 600, 900, 1_200]
    page = store.past_page(lambda marks: next(mark for mark in marks if mark.offset == 600))
    assert page.content == b"600"


def test_if_there_are_too_many_every_other_one_goes(store, monkeypatch):
    monkeypatch.setattr(state_pages, "_MOST_PAST", 4)
    for offset in range(0, 8_000, 1_000):
        save(store, offset)
    assert offsets(store) == [0, 4_000, 6_000, 7_000]


def test_a_large_state_has_fewer_or_none(store):
    for offset in range(0, 20_000, 1_000):
        save(store, offset, size=8 * 2**20)
    assert len(offsets(store)) <= 8
    save(store, 30_000, size=2**30)
    assert offsets(store) == []


def test_they_go_with_the_events_that_they_need(store):
    save(store, 1_000)
    save(store, 2_000, needed=1_500)
    save(store, 3_000, needed=2_900)
    with store.database.writing() as connection:
        forget_past_pages(connection, 1_500)
    assert offsets(store) == [3_000]


def test_they_go_when_a_user_is_deleted(store):
    store.change([Subscription("s", "ann", parse("true"))])
    save(store, 1_000)
    delete_user(store.database, "ann")
    assert offsets(store) == []

from datetime import UTC, datetime, timedelta

import pytest

from rankcast.store import Lease

NOW = datetime(2026, 5, 4, 12, tzinfo=UTC)
SPAN = timedelta(seconds=15)


@pytest.fixture
def one(store) -> Lease:
    return Lease(store.database, "sending", "one")


@pytest.fixture
def two(store) -> Lease:
    return Lease(store.database, "sending", "two")


def test_one_has_it_for_as_long_as_it_is_alive(one, two):
    assert one.hold(NOW, SPAN)
    assert not two.hold(NOW, SPAN)
    assert one.hold(NOW + SPAN / 2, SPAN)
    assert not two.hold(NOW + SPAN, SPAN)
    assert two.hold(NOW + SPAN * 1.5, SPAN)
    assert not one.hold(NOW + SPAN * 1.5, SPAN)


def test_one_that_lets_go_lets_the_other_have_it(one, two):
    one.hold(NOW, SPAN)
    two.release()
    assert not two.hold(NOW, SPAN)
    one.release()
    assert two.hold(NOW, SPAN)


def test_another_task_is_another_s(one, store):
    assert one.hold(NOW, SPAN)
    assert Lease(store.database, "something else", "two").hold(NOW, SPAN)

"""Samples of what a store does: kept, thinned, and read as few points."""

from datetime import UTC, datetime, timedelta

import pytest

from rankcast.store import ActivityLog, Store
from rankcast.store.samples import SAMPLE
from rankcast.store.status import Status
from rankcast.testing.clocks import SettableClock


@pytest.fixture
def clock() -> SettableClock:
    return SettableClock(datetime(2026, 1, 10, tzinfo=UTC))


@pytest.fixture
def log(place: str, clock: SettableClock):
    with Store.create(place, clock=clock) as store:
        yield ActivityLog(store.database)


def status(published: int, served: int, since: datetime | None = None) -> Status:
    return Status(1, published, served, 1, since, served // 2, 0, 0, None)


def test_samples_are_read_back_with_lag_and_wait(log: ActivityLog, clock: SettableClock) -> None:
    log.sample(status(10, 10))
    clock.go_on(timedelta(seconds=5))
    log.sample(status(30, 20, clock() - timedelta(seconds=3)))
    samples, every = log.over(timedelta(minutes=10))
    assert every == SAMPLE
    assert [(one.published, one.served, one.delivered, one.lag, one.waited) for one in samples] == [
        (10, 10, 5, 0, 0.0),
        (30, 20, 10, 10, 3.0),
    ]
    assert samples[1].time - samples[0].time == SAMPLE


def test_two_services_make_one_sample(log: ActivityLog) -> None:
    log.sample(status(1, 1))
    log.sample(status(2, 2))
    assert [one.published for one in log.over(timedelta(hours=1))[0]] == [2]


def test_a_long_range_has_few_points_and_the_largest_lag(log: ActivityLog, clock: SettableClock) -> None:
    for number in range(1, 121):
        log.sample(status(10 * number, 10 * number - (7 if number == 50 else 0)))
        clock.go_on(timedelta(seconds=5))
    samples, every = log.over(timedelta(days=1))
    assert every == SAMPLE * 72
    assert 2 <= len(samples) <= 3
    assert samples[-1].published == 1200
    assert max(one.lag for one in samples) == 7


def test_old_samples_are_thinned_and_very_old_ones_deleted(log: ActivityLog, clock: SettableClock) -> None:
    for _ in range(24):
        log.sample(status(1, 1))
        clock.go_on(timedelta(seconds=5))
    assert log.thin() == 0
    clock.go_on(timedelta(days=2))
    log.sample(status(2, 2))
    assert log.thin() == 22
    assert len(log.over(timedelta(days=7))[0]) == 2  # two of the same 42 minutes, and the last
    clock.go_on(timedelta(days=31))
    assert log.thin() == 3

from datetime import UTC, datetime, timedelta

from rankcast.service.page.monitor.activity import activity_of
from rankcast.store import ActivitySample

NOON = datetime(2026, 1, 1, 12, tzinfo=UTC)
EVERY = timedelta(seconds=5)


def sample(ago: float, published: int, delivered: int = 0, lag: int = 0) -> ActivitySample:
    return ActivitySample(NOON - timedelta(seconds=ago), published, published - lag, delivered, lag, float(lag))


def test_rates_are_per_second_between_samples() -> None:
    found = activity_of([sample(10, 0), sample(5, 50, 5, lag=4), sample(0, 60, 5)], EVERY, NOON)
    assert [(rate.ago, rate.published, rate.delivered, rate.waiting) for rate in found.rates] == [
        (5.0, 10.0, 1.0, 4),
        (0.0, 2.0, 0.0, 0),
    ]
    assert found.gaps == ()


def test_what_was_not_recorded_is_a_gap_and_no_line() -> None:
    found = activity_of([sample(100, 0), sample(95, 50), sample(20, 800), sample(15, 800)], EVERY, NOON)
    assert found.gaps == ((95.0, 20.0),)
    assert [(rate.ago, rate.published) for rate in found.rates] == [(95.0, 10.0), (15.0, 0.0)]


def test_one_sample_that_is_a_little_late_is_no_gap() -> None:
    assert activity_of([sample(12, 0), sample(0, 12)], EVERY, NOON).gaps == ()

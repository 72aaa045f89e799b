from datetime import timedelta

from hypothesis import given
from hypothesis import strategies as st

from rankcast.service.push.webhooks import RetrySchedule


def test_the_delays_grow_and_span_about_a_day():
    retrying = RetrySchedule()
    delays = [retrying.delay("w", "m", attempt) for attempt in range(1, retrying.attempts)]
    assert delays == sorted(delays)
    assert timedelta(hours=25) < sum(delays, timedelta(0)) < timedelta(hours=29)
    assert retrying.delay("w", "m", retrying.attempts) is None


@given(st.text(), st.text(), st.integers(1, 7))
def test_jitter_is_within_its_bounds_and_always_the_same(webhook, message, attempts):
    retrying = RetrySchedule()
    delay = retrying.delay(webhook, message, attempts)
    plain = retrying.delays[attempts - 1]
    assert plain <= delay < plain * 1.1 + timedelta(microseconds=1)
    assert delay == RetrySchedule().delay(webhook, message, attempts)


def test_jitter_spreads_messages_that_failed_together():
    delays = {RetrySchedule().delay("w", f"m{number}", 2) for number in range(100)}
    assert len(delays) == 100


def test_pauses_double_up_to_ten_minutes():
    pauses = [RetrySchedule(jitter=0).pause("w", failures).total_seconds() for failures in (1, 2, 3, 10, 11, 10_000)]
    assert pauses == [1, 2, 4, 512, 600, 600]


def test_what_a_receiver_asks_for_is_the_least_within_a_day():
    retrying = RetrySchedule()
    assert retrying.delay("w", "m", 1, asked=timedelta(hours=3)) == timedelta(hours=3)
    assert retrying.delay("w", "m", 1, asked=timedelta(days=30)) == timedelta(days=1)
    assert retrying.delay("w", "m", 7, asked=timedelta(seconds=1)) > timedelta(hours=9)
    assert retrying.pause("w", 1, asked=timedelta(hours=3)) == timedelta(hours=3)

"""A paced filter by interval, in which the subscriptions take turns (semantics: Paced filters)."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rankcast.choose.filters import Paced, Rotation, event_filter
from rankcast.engine.arrays.filters import array_filter
from rankcast.model import Filter, FilterKind, Scoring, Update


def settings(rate=0.2, period=1000, scoring=Scoring.INTERVAL, aging=1.0):
    return Filter(FilterKind.THRESHOLD, rate, period, scoring, Update.PACED, aging)


def test_only_a_paced_filter_by_interval_without_aging_takes_turns():
    assert isinstance(event_filter("u", settings()), Rotation)
    for other in (settings(aging=0.5), settings(scoring=Scoring.RATE), settings(scoring=Scoring.SCORE)):
        assert isinstance(event_filter("u", other), Paced)


def test_a_rare_subscription_finds_its_turn_open(candidate):
    """One in forty events is of the rare one; a threshold that stays would deliver it half as often as the others."""
    made, passed = event_filter("u", settings()), dict.fromkeys("abcdefgh", 0)
    for seq in range(1, 8001):
        name = "h" if seq % 40 == 0 else "abcdefg"[seq * seq % 7]
        passed[name] += made.admit(candidate(seq, name)).passed
    frequent = [count for name, count in passed.items() if name != "h" and count]
    assert sum(passed.values()) == pytest.approx(1600, abs=40)
    assert passed["h"] == 200, "every one of its events"
    assert min(frequent) > 200


def test_one_subscription_passes_at_even_distances(candidate):
    made = event_filter("u", settings())
    assert [seq for seq in range(1, 31) if made.admit(candidate(seq, "a")).passed] == [1, 10, 15, 20, 25, 30]


@given(
    st.integers(1, 60).flatmap(
        lambda period: st.tuples(
            st.floats(1 / period, 1), st.just(period), st.lists(st.sampled_from("abcde"), max_size=200)
        )
    )
)
def test_unspent_budget_is_bounded_and_the_threshold_is_that_of_the_arrays(candidate, stream):
    rate, period, names = stream
    how, passed, arrays = settings(rate, period), 0, None
    made = event_filter("u", how)
    for seq, name in enumerate(names, 1):
        lowest = made.threshold
        verdict = made.admit(candidate(seq, name))
        passed += verdict.passed
        assert -1 < rate * seq - passed < max(1, 0.2 * rate * period - 1)
        assert lowest >= 1
    if names:
        arrays = array_filter("u", how, list("abcde"))
        arrays.restore(made.state())
        assert arrays.threshold == made.threshold
        assert arrays.state() == made.state()


def test_says_why(candidate):
    made = event_filter("u", settings(0.5, 100))
    reasons = [made.admit(candidate(seq, name)).reason for seq, name in enumerate("aaab", 1)]
    assert reasons == [
        "passed the paced filter: interval 1 reaches the threshold 1 of this turn",
        "stopped by the paced filter: 1 of 2 events passed, which is the rate 0.5",
        "stopped by the paced filter: its turn is over, interval 2 below the threshold 3",
        "passed the paced filter: interval 4 reaches the threshold 1 of this turn",
    ]


def test_a_state_of_a_version_without_turns_goes_on(candidate):
    made = event_filter("u", settings())
    for seq in range(1, 51):
        made.admit(candidate(seq, "ab"[seq % 2]))
    old = {**made.state(), "bar": {"window": [1.0, 2.0]}}
    for after in (event_filter("u", settings()), array_filter("u", settings(), ["a", "b"])):
        after.restore(old)
        assert after.state()["bar"] == {"began": 51}

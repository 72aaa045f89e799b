"""A paced filter by interval, in which the subscriptions take turns (semantics: Paced filters)."""

import math
from collections import Counter
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rankcast.choose.filters import Paced, Rotation, event_filter
from rankcast.engine.arrays.filters import FilterBatch, array_filter
from rankcast.model import Credit, Filter, FilterKind, Scoring, Update


def settings(rate=0.2, period=1000, scoring=Scoring.INTERVAL, aging=1.0, credit=Credit.ALL):
    return Filter(FilterKind.THRESHOLD, rate, period, scoring, Update.PACED, aging, credit=credit)


def test_only_a_paced_filter_by_interval_without_aging_takes_turns():
    assert isinstance(event_filter("u", settings()), Rotation)
    for other in (settings(aging=0.5), settings(scoring=Scoring.RATE), settings(scoring=Scoring.SCORE)):
        assert isinstance(event_filter("u", other), Paced)


def test_a_rare_subscription_makes_up_for_the_turns_that_it_missed(candidate):
    """It matches three times within 60 events, which are more than two turns; a filter that forgets gave it 167 of 416."""
    made, passed = event_filter("u", settings()), Counter()
    for seq in range(1, 10_001):
        name = "r" if seq % 60 < 3 else "abcd"[seq % 4]
        passed[name] += made.admit(candidate(seq, name)).passed
    assert sum(passed.values()) == pytest.approx(2000, abs=40)
    assert max(passed.values()) - min(passed.values()) < 20, passed


def test_a_subscription_that_returns_is_owed_at_most_the_budget_of_a_period(candidate):
    """b matches once and returns after 20 periods. It gets half of a period's budget more than a, and then as much."""
    made, passed = event_filter("u", settings(0.2, 100)), []
    for seq in range(1, 4_001):
        name = "b" if seq == 3 or (seq > 2000 and seq % 2) else "a"
        passed += [(seq, name)] * made.admit(candidate(seq, name)).passed
    after = Counter(name for seq, name in passed if seq > 2000)
    assert after["b"] - after["a"] == pytest.approx(10, abs=2)
    late = Counter(name for seq, name in passed if seq > 3000)
    assert abs(late["b"] - late["a"]) <= 2


def test_a_subscription_that_joins_is_owed_nothing_of_the_past(candidate):
    made, passed = event_filter("u", settings(0.2, 100)), []
    for seq in range(1, 3_001):
        name = "b" if seq > 2000 and seq % 2 else "a"
        passed += [(seq, name)] * made.admit(candidate(seq, name)).passed
    after = Counter(name for seq, name in passed if seq > 2000)
    assert abs(after["b"] - after["a"]) <= 2, after


def test_what_was_owed_to_a_subscription_that_left_is_not_remembered(candidate):
    made = event_filter("u", settings(0.2, 100))
    for seq in range(1, 301):
        made.admit(candidate(seq, "b" if seq % 20 == 0 else "a"))
    made.keep({"a"})
    passed = [seq for seq in range(301, 401) if made.admit(candidate(seq, "a")).passed]
    assert len(passed) == pytest.approx(20, abs=1)
    assert all(after - before == 5 for before, after in pairwise(passed[3:])), passed
    assert set(made.state()["turns"]["served"]) == {"a"}


def test_one_subscription_passes_at_even_distances(candidate):
    made = event_filter("u", settings())
    assert [seq for seq in range(1, 31) if made.admit(candidate(seq, "a")).passed] == [1, 10, 15, 20, 25, 30]


streams = st.integers(1, 60).flatmap(
    lambda period: st.tuples(
        st.floats(1 / period, 1),
        st.just(period),
        st.lists(st.sets(st.sampled_from("abcde"), min_size=1).map(sorted), max_size=200),
    )
)


@given(streams, st.sampled_from(Credit))
def test_unspent_budget_and_what_is_owed_are_bounded(candidate, stream, credit):
    rate, period, events = stream
    passed, made = 0, event_filter("u", settings(rate, period, credit=credit))
    for seq, names in enumerate(events, 1):
        passed += made.admit(candidate(seq, names)).passed
        assert -1 < rate * seq - passed < max(1, 0.2 * rate * period - 1)
        turns = made.state()["turns"]
        assert all(served <= turns["turn"] for served in turns["served"].values())


@given(streams, st.integers(0, 200), st.sets(st.sampled_from("abcde")))
def test_arrays_pass_the_same_and_go_on_from_the_same_state_when_subscriptions_leave(candidate, stream, cut, left):
    rate, period, events = stream
    made, kept = event_filter("u", settings(rate, period)), sorted(set("abcde") - left)
    for seq, names in enumerate(events[:cut], 1):
        made.admit(candidate(seq, names))
    arrays = array_filter("u", settings(rate, period), kept)
    arrays.restore(made.state())
    made.keep(kept)
    assert arrays.state() == made.state()
    rest = [tuple(name for name in names if name in kept) for names in events[cut:]]
    rest = [names for names in rest if names]
    if rest:
        borders = np.cumsum([0, *map(len, rest)])
        places = np.array([kept.index(name) for names in rest for name in names])
        found = arrays.admit(FilterBatch(np.arange(len(rest)), borders, places))
        assert found.tolist() == [made.admit(candidate(cut + at, names)).passed for at, names in enumerate(rest, 1)]
        assert arrays.state() == made.state()


def test_credit_to_the_most_novel_goes_to_the_one_owed_for_the_longest(candidate):
    """b matches always with a. Credit to the most novel serves both in turn; credit to all serves them at once."""
    last = {}
    for credit in Credit:
        made = event_filter("u", settings(0.5, 100, credit=credit))
        for seq in range(1, 101):
            made.admit(candidate(seq, ("a", "b") if seq % 2 else ("a",)))
        last[credit] = made.state()["turns"]
    assert last[Credit.ALL]["served"]["a"] == last[Credit.ALL]["turn"]
    assert math.isclose(last[Credit.MOST_NOVEL]["turn"], 25, abs_tol=2), "50 events, for two subscriptions"


def test_says_why(candidate):
    made = event_filter("u", settings(0.5, 100))
    reasons = [made.admit(candidate(seq, name)).reason for seq, name in enumerate("aaab", 1)]
    assert reasons == [
        "passed the paced filter: 1 event is owed to its subscription in turn 0",
        "stopped by the paced filter: 1 of 2 events passed, which is the rate 0.5",
        "stopped by the paced filter: nothing is owed to its subscriptions in turn 0",
        "passed the paced filter: 1 event is owed to its subscription in turn 1",
    ]


@pytest.mark.parametrize(
    ("bar", "served"), [({"began": 40}, {"a": 1, "b": 0}), ({"window": [1.0, 2.0]}, {"a": 0, "b": 0})]
)
def test_a_state_of_an_earlier_version_goes_on(candidate, bar, served):
    """b was delivered before the turn that began at 40, so it is owed its event; a was delivered in it."""
    score = {"t": 50, "delivered": {"a": 5, "b": 5}, "last": {"a": 45, "b": 31}, "previous": {}}
    old = {"score": score, "budget": {"t": 50, "passed": 10}, "bar": bar}
    for after in (event_filter("u", settings()), array_filter("u", settings(), ["a", "b"])):
        after.restore(old)
        assert after.state() == {"budget": {"t": 50, "passed": 10}, "turns": {"turn": 1, "served": served}}

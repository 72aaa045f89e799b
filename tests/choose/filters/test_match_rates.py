import itertools

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rankcast.choose.filters.match_rates import MatchesSince, MatchesWithin

streams = st.lists(st.sets(st.sampled_from("abc")).map(sorted), max_size=40)


def plain(stream, subscription):
    """Rate and mean distance, by counting."""
    at = [position for position, matching in enumerate(stream) if subscription in matching]
    gaps = [later - earlier for earlier, later in itertools.pairwise(at)]
    return len(at) / len(stream) if stream else 0, sum(gaps) / len(gaps) if gaps else None


def figures(matches):
    return {subscription: (matches.rate(subscription), matches.mean_distance(subscription)) for subscription in "abc"}


@given(streams)
def test_since_the_start(stream):
    matches = MatchesSince()
    for matching in stream:
        matches.add(matching)
    assert figures(matches) == {s: pytest.approx(plain(stream, s)) for s in "abc"}


@given(streams, streams)
def test_since_the_last_reset(before, after):
    matches = MatchesSince()
    for matching in before:
        matches.add(matching)
    matches.reset()
    for matching in after:
        matches.add(matching)
    assert figures(matches) == {s: pytest.approx(plain(after, s)) for s in "abc"}


@given(streams, st.integers(1, 10))
def test_within_a_window(stream, length):
    matches = MatchesWithin(length)
    for end, matching in enumerate(stream, 1):
        matches.add(matching)
        assert figures(matches) == {s: pytest.approx(plain(stream[max(0, end - length) : end], s)) for s in "abc"}


@pytest.mark.parametrize("make", [MatchesSince, lambda: MatchesWithin(10)])
def test_forgotten_subscription_starts_afresh(make):
    matches = make()
    for matching in ("a", "ab", "a", "b"):
        matches.add(matching)
    matches.keep({"b"})
    assert matches.rate("a") == 0
    assert matches.rate("b") == 1
    matches.add("a")
    assert matches.rate("a") == pytest.approx(1 / 3)
    assert matches.mean_distance("a") is None


@pytest.mark.parametrize("make", [MatchesSince, lambda: MatchesWithin(40)])
@given(st.lists(st.sampled_from("abc"), max_size=40), st.sets(st.sampled_from("abc")))
def test_events_of_subscriptions_that_left_no_longer_count(make, stream, kept):
    matches = make()
    for matching in stream:
        matches.add(matching)
    matches.keep(kept)
    remaining = [matching for matching in stream if matching in kept]
    assert {s: matches.rate(s) for s in "abc"} == {s: pytest.approx(plain(remaining, s)[0]) for s in "abc"}


@given(streams, st.sets(st.sampled_from("abc")))
def test_within_a_window_it_is_exact_for_overlapping_subscriptions(stream, kept):
    matches = MatchesWithin(40)
    for matching in filter(None, stream):
        matches.add(matching)
    matches.keep(kept)
    remaining = [both for matching in stream if (both := [s for s in matching if s in kept])]
    assert figures(matches) == {s: pytest.approx(plain(remaining, s)) for s in "abc"}


@given(streams, st.sets(st.sampled_from("abc")))
def test_estimate_for_overlapping_subscriptions_is_possible(stream, kept):
    matches = MatchesSince()
    for matching in filter(None, stream):
        matches.add(matching)
    matches.keep(kept)
    for s in kept:
        distance = matches.mean_distance(s)
        assert 0 <= matches.rate(s) <= 1
        assert distance is None or distance >= 1


def test_distances_shrink_with_the_events_that_no_longer_count():
    matches = MatchesSince()
    for number in range(1000):
        matches.add("abcd"[number % 4])
    assert matches.mean_distance("a") == 4
    matches.keep({"a", "b"})
    assert matches.mean_distance("a") == pytest.approx(2, abs=0.01)
    assert matches.rate("a") == 0.5


@pytest.mark.parametrize("make", [MatchesSince, lambda: MatchesWithin(4)])
@given(stream=streams, cut=st.integers(0, 40))
def test_goes_on_from_its_state(make, stream, cut):
    whole, before, after = make(), make(), make()
    for matching in stream:
        whole.add(matching)
    for matching in stream[:cut]:
        before.add(matching)
    after.restore(before.state())
    for matching in stream[cut:]:
        after.add(matching)
    assert figures(after) == figures(whole)

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
    assert matches.rate("b") == 0.5
    matches.add("a")
    assert matches.rate("a") == 0.2
    assert matches.mean_distance("a") is None


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

"""What every filter keeps, whichever its kind and settings."""

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rankcast.choose.filters import Budget, event_filter
from rankcast.model import Filter, FilterKind, Rates, Scoring, Update

subscriptions = st.sets(st.sampled_from("abcd"), min_size=1).map(sorted)
streams = st.lists(subscriptions, max_size=80)
settings = st.integers(1, 15).flatmap(
    lambda period: st.builds(
        Filter,
        st.sampled_from(FilterKind),
        st.floats(1 / period, 1),
        st.just(period),
        st.sampled_from(Scoring),
        st.sampled_from(Update),
        st.sampled_from([0.0, 0.1, 0.5, 1.0]),
        st.sampled_from(Rates),
        st.integers(0, 3),
        st.sampled_from([0.3, 0.9]),
    )
)


def admit(made, candidate, stream, start=1):
    return [made.admit(candidate(seq, matching, rank=len(matching) / 4)) for seq, matching in enumerate(stream, start)]


@given(settings, streams)
def test_never_more_than_the_budget(candidate, how, stream):
    if how.novelty is FilterKind.RANDOM:
        return
    passed = [one.passed for one in admit(event_filter("u", how), candidate, stream)]
    starts = range(0, len(passed), how.period if how.update is Update.LAZY else 1)
    k = Budget(how.rate, how.period, how.update).k
    assert all(sum(passed[start : start + how.period]) <= k for start in starts)


@given(settings, streams, st.integers(0, 80))
def test_goes_on_from_its_state(candidate, how, stream, cut):
    whole, before, after = (event_filter("u", how) for _ in range(3))
    admit(before, candidate, stream[:cut])
    after.restore(msgspec.msgpack.decode(msgspec.msgpack.encode(before.state())))
    assert admit(whole, candidate, stream)[cut:] == admit(after, candidate, stream[cut:], start=cut + 1)


@given(settings, streams, st.sets(st.sampled_from("abcd")), st.integers(0, 80))
def test_takes_subscriptions_that_come_and_go(candidate, how, stream, kept, cut):
    made, known = event_filter("u", how), event_filter("u", how)
    admit(made, candidate, stream[:cut])
    made.keep(kept)
    admit(known, candidate, stream[:cut])
    known.keep(kept | {"never heard of"})
    rest = admit(made, candidate, stream[cut:], start=cut + 1)
    assert rest == admit(known, candidate, stream[cut:], start=cut + 1)
    assert all(one.reason for one in rest)


@pytest.mark.parametrize("kind", FilterKind)
@pytest.mark.parametrize("update", Update)
def test_rate_of_one_passes_the_first_period(candidate, kind, update):
    made = event_filter("u", Filter(kind, 1.0, 10, update=update, minimum=0.0))
    assert all(one.passed for one in admit(made, candidate, ["a", "b"] * 5))

"""What every filter keeps, whichever its kind and settings, the plain one and that over arrays."""

from dataclasses import replace
from datetime import timedelta

import msgspec
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rankcast.choose.filters import Budget, event_filter
from rankcast.engine.arrays.filters import FilterBatch, array_filter, event_keys
from rankcast.model import EPOCH, Credit, Decay, Decaying, Filter, FilterKind, Length, RateSpan, Scoring, Unit, Update

IDS = "abcd"
subscriptions = st.sets(st.sampled_from(IDS), min_size=1).map(sorted)
streams = st.lists(subscriptions, max_size=80)
KINDS = [(kind, update) for kind in FilterKind for update in Update]
settings = st.integers(1, 15).flatmap(
    lambda period: st.builds(
        lambda kind, rate, scoring, *more: Filter(kind[0], rate, period, scoring, kind[1], *more),
        st.sampled_from(KINDS),
        st.floats(1 / period, 1),
        st.sampled_from(Scoring),
        st.sampled_from([0.0, 0.1, 0.5, 1.0]),
        st.sampled_from(RateSpan),
        st.integers(0, 3),
        st.sampled_from([0.3, 0.9, 2.0]),
        st.sampled_from(Credit),
        st.none() | st.integers(1, 9),
        st.booleans(),
    )
)
lengths = st.one_of(
    st.builds(Length, st.integers(1, 12), st.sampled_from([Unit.EVENTS, Unit.MATCHED])),
    st.builds(Length, st.integers(1, 12).map(lambda n: timedelta(seconds=n)), st.just(Unit.TIME)),
)
decays = st.one_of(
    st.none(),
    st.builds(Decaying, st.just(Decay.LINEAR), st.sampled_from([1.0, 3.0]), st.sampled_from([0.1, 0.4])),
    st.builds(Decaying, st.just(Decay.EXPONENTIAL), st.just(1.0), st.sampled_from([0.3, 0.9]), lengths),
    st.builds(Decaying, st.sampled_from(Decay), st.just(0.7), st.just(0.2), st.none(), lengths),
)
ranked_streams = st.lists(st.tuples(subscriptions, st.integers(0, 5)), max_size=120)
ORIGIN = EPOCH + timedelta(seconds=37)


def admit(made, candidate, stream, start=1):
    return [made.admit(candidate(seq, matching, rank=len(matching) / 4)) for seq, matching in enumerate(stream, start)]


@given(settings, streams)
def test_never_more_than_the_budget(candidate, how, stream):
    if how.novelty is FilterKind.RANDOM:
        return
    passed = [one.passed for one in admit(event_filter("u", how), candidate, stream)]
    if how.update is Update.PACED and how.novelty is FilterKind.THRESHOLD:
        assert all(sum(passed[:end]) < how.rate * end + 1 for end in range(1, len(passed) + 1))
        return
    starts = range(0, len(passed), how.period if how.update is Update.LAZY else 1)
    k = Budget(how.rate, how.period, how.update).k
    assert all(sum(passed[start : start + how.period]) <= k for start in starts)


@given(settings, streams, st.integers(0, 80))
def test_goes_on_from_its_state(candidate, how, stream, cut):
    whole, before, after = (event_filter("u", how) for _ in range(3))
    admit(before, candidate, stream[:cut])
    after.restore(msgspec.msgpack.decode(msgspec.msgpack.encode(before.state())))
    assert admit(whole, candidate, stream)[cut:] == admit(after, candidate, stream[cut:], start=cut + 1)


@given(settings, streams, st.sets(st.sampled_from(IDS)), st.integers(0, 80))
def test_takes_subscriptions_that_come_and_go(candidate, how, stream, kept, cut):
    made, known = event_filter("u", how), event_filter("u", how)
    admit(made, candidate, stream[:cut])
    made.keep(kept)
    admit(known, candidate, stream[:cut])
    known.keep(kept | {"never heard of"})
    rest = admit(made, candidate, stream[cut:], start=cut + 1)
    assert rest == admit(known, candidate, stream[cut:], start=cut + 1)
    assert all(one.reason for one in rest)


def batch(stream, start, ids=IDS):
    return FilterBatch(
        np.arange(len(stream)),
        np.cumsum([0, *(len(matching) for matching, _ in stream)]),
        np.array([ids.index(name) for matching, _ in stream for name in matching], np.int64),
        np.array([rank / 5 for _, rank in stream]),
        event_keys(f"e{seq}" for seq in range(start, start + len(stream))),
        np.arange(len(stream) + 1),
        np.array([ids.index(matching[-1]) for matching, _ in stream], np.int64),
        np.arange(start, start + len(stream)),
        np.arange(start, start + len(stream)) * 10**6,
    )


def plain(made, candidate, stream, start):
    made_of = ((candidate(seq, matching, rank / 5), matching) for seq, (matching, rank) in enumerate(stream, start))
    return [made.admit(replace(one, specific=(matching[-1],))).passed for one, matching in made_of]


@given(settings, decays, ranked_streams, st.integers(0, 120), st.booleans())
def test_decides_as_the_plain_filter_and_each_goes_on_from_the_others_state(candidate, how, decay, stream, cut, swap):
    oracle, fast = event_filter("u", how, decay, ORIGIN), array_filter("u", how, IDS, decay, ORIGIN)
    if fast is None:
        return
    before, after = stream[:cut], stream[cut:]
    assert fast.admit(batch(before, 1)).tolist() == plain(oracle, candidate, before, 1)
    kept = [msgspec.msgpack.decode(msgspec.msgpack.encode(made.state())) for made in (oracle, fast)]
    kept = [normal(state) for state in kept]
    assert kept[0] == kept[1]
    oracle, fast = event_filter("u", how, decay, ORIGIN), array_filter("u", how, IDS, decay, ORIGIN)
    oracle.restore(kept[swap])
    fast.restore(kept[not swap])
    assert fast.admit(batch(after, cut + 1)).tolist() == plain(oracle, candidate, after, cut + 1)


@given(settings, ranked_streams, st.sets(st.sampled_from(IDS), min_size=1).map(sorted), st.integers(0, 120))
def test_decides_as_the_plain_filter_after_subscriptions_left(candidate, how, stream, kept, cut):
    oracle, whole = event_filter("u", how), array_filter("u", how, IDS)
    if whole is None:
        return
    plain(oracle, candidate, stream[:cut], 1)
    whole.admit(batch(stream[:cut], 1))
    oracle.keep(kept)
    fast = array_filter("u", how, kept)
    fast.restore(whole.state())
    after = [([s for s in matching if s in kept], rank) for matching, rank in stream[cut:]]
    after = [(matching, rank) for matching, rank in after if matching]
    assert fast.admit(batch(after, cut + 1, kept)).tolist() == plain(oracle, candidate, after, cut + 1)


def normal(state):
    """The state with the one list in order whose order means nothing."""
    if "highest" in state.get("bar", {}):
        state["bar"]["highest"].sort()
    return state


@pytest.mark.parametrize(("kind", "update"), KINDS)
def test_rate_of_one_passes_the_first_period(candidate, kind, update):
    made = event_filter("u", Filter(kind, 1.0, 10, update=update, minimum=0.0))
    assert all(one.passed for one in admit(made, candidate, ["a", "b"] * 5))

"""The filters over arrays decide as the plain ones do, from any state of either."""

from dataclasses import replace
from datetime import timedelta

import msgspec
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rankcast.choose.filters import chance, event_filter
from rankcast.choose.filters.chance import user_key
from rankcast.choose.filters.fast import Batch, array_filter, draws, event_keys
from rankcast.model import EPOCH, Decay, Decaying, Filter, FilterKind, Length, Rates, Scoring, Unit, Update

IDS = "abcd"
streams = st.lists(st.tuples(st.sets(st.sampled_from(IDS), min_size=1).map(sorted), st.integers(0, 5)), max_size=120)
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
        st.sampled_from([0.3, 0.9, 2.0]),
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
ORIGIN = EPOCH + timedelta(seconds=37)


def batch(stream, start):
    return Batch(
        np.arange(len(stream)),
        np.cumsum([0, *(len(matching) for matching, _ in stream)]),
        np.array([IDS.index(name) for matching, _ in stream for name in matching], np.int64),
        np.array([rank / 5 for _, rank in stream]),
        event_keys(f"e{seq}" for seq in range(start, start + len(stream))),
        np.arange(len(stream) + 1),
        np.array([IDS.index(matching[-1]) for matching, _ in stream], np.int64),
        np.arange(start, start + len(stream)),
        np.arange(start, start + len(stream)) * 10**6,
    )


def plain(made, candidate, stream, start):
    made_of = ((candidate(seq, matching, rank / 5), matching) for seq, (matching, rank) in enumerate(stream, start))
    return [made.admit(replace(one, specific=(matching[-1],))).passed for one, matching in made_of]


@given(settings, decays, streams, st.integers(0, 120), st.booleans())
def test_decides_as_the_plain_filter_and_each_goes_on_from_the_others_state(candidate, how, decay, stream, cut, swap):
    oracle, fast = event_filter("u", how, decay, ORIGIN), array_filter("u", how, IDS, decay, ORIGIN)
    before, after = stream[:cut], stream[cut:]
    assert fast.admit(batch(before, 1)).tolist() == plain(oracle, candidate, before, 1)
    kept = [msgspec.msgpack.decode(msgspec.msgpack.encode(made.state())) for made in (oracle, fast)]
    kept = [normal(state) for state in kept]
    assert kept[0] == kept[1]
    oracle, fast = event_filter("u", how, decay, ORIGIN), array_filter("u", how, IDS, decay, ORIGIN)
    oracle.restore(kept[swap])
    fast.restore(kept[not swap])
    assert fast.admit(batch(after, cut + 1)).tolist() == plain(oracle, candidate, after, cut + 1)


def normal(state):
    """The state with the one list in order whose order means nothing."""
    if "highest" in state.get("bar", {}):
        state["bar"]["highest"].sort()
    return state


@pytest.mark.parametrize("scoring", [Scoring.RATE, Scoring.INTERVAL])
@pytest.mark.parametrize("update", Update)
@pytest.mark.parametrize("kind", FilterKind)
def test_a_long_stream_in_batches(zipf, kind, update, scoring):
    how = Filter(kind, 0.2, 100, scoring, update, 0.5, minimum=0.97)
    ids = [f"s{number}" for number in range(10)]
    stream = zipf(3000, 1.25)
    made, oracle = array_filter("u", how, ids), event_filter("u", how)
    numbers = np.array([int(one.matching[0][1:]) for one in stream])
    keys = event_keys(one.event.id for one in stream)
    passed = [
        made.admit(Batch(numbers[cut : cut + 700], np.arange(11), np.arange(10), keys=keys[cut : cut + 700]))
        for cut in range(0, 3000, 700)
    ]
    assert np.concatenate(passed).tolist() == [oracle.admit(one).passed for one in stream]


def test_draws_are_those_of_chance():
    drawn = draws(event_keys(["e1", "e2", "ö"]), user_key(3, "addison"))
    assert drawn.tolist() == [chance(3, "addison", event) for event in ("e1", "e2", "ö")]


def test_leaves_to_the_plain_filter_scores_whose_sum_does_not_fit():
    how = Filter(FilterKind.SAMPLING, 0.2, 1000, scoring=Scoring.DECAY)
    assert array_filter("u", how, IDS, Decaying(beta=1e5)) is None
    assert array_filter("u", how, IDS, Decaying(beta=1e3)) is not None


@pytest.mark.parametrize("scoring", Scoring)
def test_eager_sampling_by_what_is_recent_on_a_long_stream(zipf, scoring):
    how = Filter(FilterKind.SAMPLING, 0.2, 50, scoring, Update.EAGER, 0.5, Rates.PERIOD)
    decay = Decaying(Decay.EXPONENTIAL, alpha=0.9, window=Length(40, Unit.EVENTS))
    ids = [f"s{number}" for number in range(10)]
    stream = zipf(2000, 1.25)
    made, oracle = array_filter("u", how, ids, decay), event_filter("u", how, decay)
    passed = []
    for cut in range(0, 2000, 300):
        part = stream[cut : cut + 300]
        numbers = np.array([int(one.matching[0][1:]) for one in part])
        one_each, places = np.arange(11), np.arange(10)
        keys, seqs = event_keys(one.event.id for one in part), np.array([one.seq for one in part])
        ranks = np.array([one.rank for one in part])
        passed += made.admit(Batch(numbers, one_each, places, ranks, keys, one_each, places, seqs)).tolist()
    assert passed == [oracle.admit(one).passed for one in stream]

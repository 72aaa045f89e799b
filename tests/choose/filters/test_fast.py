"""The filters over arrays decide as the plain ones do, from any state of either."""

import msgspec
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rankcast.choose.filters import chance, event_filter
from rankcast.choose.filters.chance import user_key
from rankcast.choose.filters.fast import Batch, array_filter, draws, event_keys
from rankcast.model import Filter, FilterKind, Rates, Scoring, Update

IDS = "abcd"
streams = st.lists(st.tuples(st.sets(st.sampled_from(IDS), min_size=1).map(sorted), st.integers(0, 5)), max_size=120)
settings = (
    st.integers(1, 15)
    .flatmap(
        lambda period: st.builds(
            Filter,
            st.sampled_from(FilterKind),
            st.floats(1 / period, 1),
            st.just(period),
            st.sampled_from([Scoring.RATE, Scoring.INTERVAL, Scoring.SCORE]),
            st.sampled_from(Update),
            st.sampled_from([0.0, 0.1, 0.5, 1.0]),
            st.sampled_from(Rates),
            st.integers(0, 3),
            st.sampled_from([0.3, 0.9, 2.0]),
        )
    )
    .filter(lambda how: array_filter("u", how, IDS) is not None)
)


def batch(stream, start):
    return Batch(
        np.arange(len(stream)),
        np.cumsum([0, *(len(matching) for matching, _ in stream)]),
        np.array([IDS.index(name) for matching, _ in stream for name in matching], np.int64),
        np.array([rank / 5 for _, rank in stream]),
        event_keys(f"e{seq}" for seq in range(start, start + len(stream))),
    )


def plain(made, candidate, stream, start):
    return [made.admit(candidate(seq, matching, rank / 5)).passed for seq, (matching, rank) in enumerate(stream, start)]


@given(settings, streams, st.integers(0, 120), st.booleans())
def test_decides_as_the_plain_filter_and_each_goes_on_from_the_others_state(candidate, how, stream, cut, swap):
    oracle, fast = event_filter("u", how), array_filter("u", how, IDS)
    before, after = stream[:cut], stream[cut:]
    assert fast.admit(batch(before, 1)).tolist() == plain(oracle, candidate, before, 1)
    kept = [msgspec.msgpack.decode(msgspec.msgpack.encode(made.state())) for made in (oracle, fast)]
    kept = [normal(state) for state in kept]
    assert kept[0] == kept[1]
    oracle, fast = event_filter("u", how), array_filter("u", how, IDS)
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


@pytest.mark.parametrize(
    "how",
    [
        Filter(FilterKind.THRESHOLD, 0.2, scoring=Scoring.DECAY),
        Filter(FilterKind.SAMPLING, 0.2, scoring=Scoring.SCORE),
        Filter(FilterKind.SAMPLING, 0.2, update=Update.EAGER, rates=Rates.PERIOD),
    ],
)
def test_leaves_to_the_plain_filter_what_only_that_can_do(how):
    assert array_filter("u", how, IDS) is None

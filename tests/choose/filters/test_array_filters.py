"""The filters over arrays decide as the plain ones do on long streams; the contract has short ones of every kind."""

import numpy as np
import pytest

from rankcast.choose.filters import chance, event_filter
from rankcast.choose.filters.chance import user_key
from rankcast.engine.arrays.filters import FilterBatch, array_filter, draws, event_keys
from rankcast.model import Decay, Decaying, Filter, FilterKind, Length, RateSpan, Scoring, Unit, Update


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
        made.admit(FilterBatch(numbers[cut : cut + 700], np.arange(11), np.arange(10), keys=keys[cut : cut + 700]))
        for cut in range(0, 3000, 700)
    ]
    assert np.concatenate(passed).tolist() == [oracle.admit(one).passed for one in stream]


def test_draws_are_those_of_chance():
    drawn = draws(event_keys(["e1", "e2", "ö"]), user_key(3, "addison"))
    assert drawn.tolist() == [chance(3, "addison", event) for event in ("e1", "e2", "ö")]


def test_leaves_to_the_plain_filter_scores_whose_sum_does_not_fit():
    how = Filter(FilterKind.SAMPLING, 0.2, 1000, scoring=Scoring.DECAY)
    assert array_filter("u", how, "abcd", Decaying(beta=1e5)) is None
    assert array_filter("u", how, "abcd", Decaying(beta=1e3)) is not None


@pytest.mark.parametrize("scoring", Scoring)
def test_eager_sampling_by_what_is_recent_on_a_long_stream(zipf, scoring):
    how = Filter(FilterKind.SAMPLING, 0.2, 50, scoring, Update.EAGER, 0.5, RateSpan.PERIOD)
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
        passed += made.admit(FilterBatch(numbers, one_each, places, ranks, keys, one_each, places, seqs)).tolist()
    assert passed == [oracle.admit(one).passed for one in stream]


@pytest.mark.parametrize("kind", [FilterKind.THRESHOLD, FilterKind.MINIMUM, FilterKind.SAMPLING])
@pytest.mark.parametrize("update", Update)
@pytest.mark.parametrize(("scoring", "period"), [(Scoring.RATE, 1_000_000), (Scoring.DECAY, 1_000_000)])
def test_memory_follows_what_is_held_not_the_declared_period(zipf, kind, update, scoring, period):
    how = Filter(kind, 1.0, period, scoring, update, minimum=0.1)
    ids, stream, decay = [f"s{number}" for number in range(10)], zipf(600, 1.25), Decaying(beta=0.5, alpha=0.0001)
    made, oracle = array_filter("u", how, ids, decay), event_filter("u", how, decay)
    keys = event_keys(one.event.id for one in stream)
    numbers = np.array([int(one.matching[0][1:]) for one in stream])
    one_each, places = np.arange(11), np.arange(10)
    passed = []
    for start, end in ((0, 1), (1, 20), (20, 200), (200, 600)):
        batch = FilterBatch(
            numbers[start:end], one_each, places, keys=keys[start:end], specific_starts=one_each, specific=places
        )
        passed += made.admit(batch).tolist()
        state = made.state()
        made = array_filter("u", how, ids, decay)
        made.restore(state)
    assert passed == [oracle.admit(one).passed for one in stream]
    assert sum(value.nbytes for value in vars(made).values() if isinstance(value, np.ndarray)) < 100_000

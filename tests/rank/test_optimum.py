import itertools
import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rankcast.errors import ModelError
from rankcast.rank import entropy, optimal_counts, optimum
from rankcast.rank.measures import count_at
from rankcast.rank.optimum import _improved, entropy_bound

available = st.lists(st.integers(0, 5), min_size=1, max_size=4)


def best_by_trying(events, k):
    places = sorted({place for event in events for place in event})
    chosen = itertools.combinations(events, min(k, len(events)))
    return max(entropy(count_at(some, places)) for some in chosen)


@given(available, st.integers(0, 20))
def test_water_filling_is_the_best_of_all_choices(counts, k):
    taken = optimal_counts(counts, k)
    assert sum(taken) == min(k, sum(counts))
    assert all(0 <= some <= count for some, count in zip(taken, counts, strict=True))
    choices = itertools.product(*(range(count + 1) for count in counts))
    best = max(entropy(choice) for choice in choices if sum(choice) == sum(taken))
    assert entropy(taken) == pytest.approx(best, abs=1e-12)


def test_enough_of_each_gives_the_highest_entropy_there_is():
    assert entropy(optimal_counts([2000] * 9 + [90_000], 20_000)) == pytest.approx(math.log2(10))


overlapping = st.lists(st.sets(st.sampled_from("abc"), min_size=1).map(lambda s: "".join(sorted(s))), max_size=9)


@given(overlapping, st.integers(1, 9))
def test_overlapping_subscriptions_on_small_streams(events, k):
    found = optimum(events, k)
    assert found.exact
    best = best_by_trying(events, k) if events else 0
    assert found.entropy == pytest.approx(best, abs=1e-12)
    counts = count_at(events, sorted(set("".join(events))))
    assert best <= entropy_bound(counts, k) + 1e-9


@given(overlapping.filter(len), st.integers(1, 9))
def test_the_heuristic_is_between_nothing_and_the_best(events, k):
    from collections import Counter

    k = min(k, len(events))
    found = _improved(Counter(tuple(event) for event in events), k)
    assert found <= best_by_trying(events, k) + 1e-9


def test_a_large_overlapping_stream_has_a_close_bound():
    events = ["a"] * 5000 + ["ab"] * 3000 + ["bc"] * 900 + ["c"] * 400 + ["abc"] * 2000 + ["d"] * 100 + ["ad"] * 10
    found = optimum(events, 2000)
    assert not found.exact
    assert found.bound - 0.2 < found.entropy <= found.bound


def test_nothing_to_take_and_nothing_to_take_from():
    assert optimum([], 5).entropy == 0
    with pytest.raises(ModelError, match="negative"):
        optimal_counts([3], -1)

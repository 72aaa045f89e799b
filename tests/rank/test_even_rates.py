"""Between which rates all topics can be served evenly (semantics: Even shares)."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rankcast.rank import Place, entropy, even_rates, optimal_counts

A, B, C = Place("a"), Place("b"), Place("c")


@pytest.mark.parametrize(
    ("rate", "told"),
    [
        (0.1, "with 0.1 you can have all 2 topics evenly (1 more never matched); the limits are 0.04 to 0.2"),
        (
            0.01,
            "with 0.01 a period delivers fewer events than topics; with 0.04 to 0.2 you can have all 2 topics evenly",
        ),
        (0.3, "with 0.3 you cannot have all 2 topics evenly, because b has only 10.0% of your matches"),
    ],
)
def test_advice(rate, told):
    assert even_rates({A: 90, B: 10, C: 0}, 100, 50).advice(rate).startswith(told)


def test_a_period_may_be_too_short_for_any_rate():
    assert even_rates({A: 990, B: 10}, 1000, 10).advice(0.1).startswith("no rate gives all 2 topics evenly: a period")


def test_nothing_matched():
    assert even_rates({A: 0}, 0, 10) is None


@given(st.lists(st.integers(1, 200), min_size=2, max_size=8), st.floats(0.001, 1))
def test_up_to_the_highest_rate_and_no_further_all_places_can_have_the_same(counts, rate):
    total = sum(counts)
    even = even_rates({Place(str(n)): count for n, count in enumerate(counts)}, total, total)
    k = int(rate * total)
    k -= k % len(counts)  # an equal share needs a multiple
    taken = optimal_counts(counts, k)
    assert (len(set(taken)) == 1) == (k <= even.most * total + 1e-9 or len(set(counts)) == 1)
    if 0 < k <= even.most * total:
        assert k / total >= even.least - 1e-9
        assert entropy(taken) == pytest.approx(entropy([1] * len(counts)))

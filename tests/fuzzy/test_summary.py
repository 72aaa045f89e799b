"""Summaries: nothing is lost, parts add up to the whole, missing values are counted."""

import math
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rankcast.errors import ModelError
from rankcast.fuzzy import NumberSummary, digits_for

numbers = st.floats(-1e9, 1e9).map(lambda x: 0.0 if abs(x) < 1e-200 else x)


@given(st.lists(numbers, min_size=1))
def test_counts_and_sums_are_kept(given_numbers):
    summary = NumberSummary.of("x", given_numbers)
    assert summary.count == len(given_numbers)
    assert sum(bucket.total for bucket in summary.buckets.values()) == pytest.approx(math.fsum(given_numbers), abs=1e-3)
    assert all(min(given_numbers) - 1e-6 <= mean <= max(given_numbers) + 1e-6 for mean, _ in summary.points())


def test_what_is_no_number_is_missing():
    summary = NumberSummary.of("x", [1, None, math.nan, math.inf, -math.inf, 2])
    assert (summary.count, summary.missing) == (2, 4)


def test_buckets_are_finer_than_a_thousandth_of_the_range():
    random = Random(1)
    given_numbers = sorted(random.lognormvariate(13, 0.5) for _ in range(5_000))
    summary = NumberSummary.of("price", given_numbers)
    assert len(summary.buckets) < 5_000
    width = given_numbers[-1] - given_numbers[0]
    for share in (0.01, 0.25, 0.5, 0.75, 0.99):
        assert summary.quantile(share) == pytest.approx(given_numbers[int(share * 5_000)], abs=width / 500)


def test_parts_add_up_to_the_whole_in_any_order():
    random = Random(2)
    parts = [[random.gauss(100, 20) for _ in range(300)] + [50, 150] for _ in range(3)]
    # With one range, all have the same digits; the sums may differ in the last bits.
    parts = [[min(max(x, 50), 150) for x in part] for part in parts]
    a, b, c = (NumberSummary.of("x", part) for part in parts)
    whole = NumberSummary.of("x", [x for part in parts for x in part])
    for merged in (a.merged(b).merged(c), c.merged(a.merged(b))):
        assert merged.buckets.keys() == whole.buckets.keys()
        for key, (count, total) in whole.buckets.items():
            assert merged.buckets[key].numbers == count
            assert merged.buckets[key].total == pytest.approx(total)


def test_a_finer_summary_becomes_as_coarse_as_the_other():
    fine, coarse = NumberSummary.of("x", [1000.0, 1000.5, 1001.0]), NumberSummary.of("x", [-1.0, 9_000.0])
    assert fine.digits > coarse.digits
    merged = fine.merged(coarse)
    assert (merged.digits, merged.count) == (coarse.digits, 5)
    negative = NumberSummary.of("x", [-1234.5, -1233.0]).merged(NumberSummary.of("x", [0.0, 9_000.0]))
    assert negative.points()[0] == pytest.approx((-1234.5, 1)) or negative.points()[0][1] == 2


def test_nothing_does_not_make_coarser():
    known = NumberSummary.of("x", [1000.0, 1000.5])
    assert known.merged(NumberSummary.of("x", [None])).digits == known.digits
    assert NumberSummary.of("x", []).merged(known).buckets == known.buckets


def test_a_single_number_does_not_make_coarser():
    known = NumberSummary.of("x", [100, 105, 400, 405, 900.0])
    added = known.merged(NumberSummary.of("x", [1500]))
    assert added == NumberSummary.of("x", [100, 105, 400, 405, 900.0, 1500])


def test_only_what_is_of_one_attribute_is_added():
    with pytest.raises(ModelError, match="'size' is none of 'price'"):
        NumberSummary.of("price", [1]).merged(NumberSummary.of("size", [1]))


def test_json_and_back():
    summary = NumberSummary.of("price", [-5, 0, 0.001, 1e12, None])
    assert NumberSummary.of_json(summary.to_json()) == summary
    with pytest.raises(ModelError, match="no summary"):
        NumberSummary.of_json({"attribute": "price"})


def test_extreme_numbers():
    summary = NumberSummary.of("x", [5e-324, 1.7e308, -1.7e308, 0.0])
    assert summary.count == 4
    assert digits_for(-1.7e308, 1.7e308) == 4
    with pytest.raises(ModelError, match="no numbers of 'x'"):
        NumberSummary.of("x", []).quantile(0.5)

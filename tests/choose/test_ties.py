"""semantics: Diversity: equal values, and the more recent of two sets."""

from rankcast.choose.ties import on_grid, recency


def test_noise_of_additions_is_no_difference():
    assert on_grid(0.1 + 0.2) == on_grid(0.3)
    assert on_grid(0.3 + 1e-11) > on_grid(0.3)


def test_the_larger_sum_is_more_recent(candidate):
    assert recency([candidate(1), candidate(6)]) > recency([candidate(5), candidate(1)])


def test_of_equal_sums_the_one_with_the_latest_is_more_recent(candidate):
    assert recency([candidate(1), candidate(4)]) > recency([candidate(3), candidate(2)])


def test_the_order_of_the_candidates_does_not_matter(candidate):
    assert recency([candidate(1), candidate(4)]) == recency([candidate(4), candidate(1)]) == (5, (4, 1))

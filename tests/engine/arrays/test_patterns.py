"""UserPatterns: asked once for each set of subscriptions, numbered, with rank and degree."""

import numpy as np
import pytest

from rankcast.engine.arrays.patterns import Pattern, UserPatterns


@pytest.mark.parametrize("count", [5, 100])
def test_each_set_is_ranked_once(count):
    asked = []

    def rank(places):
        asked.append(places)
        names = tuple(f"s{place}" for place in places)
        return Pattern(names, names[-1:], places[-1] / 10)

    patterns = UserPatterns(count, rank)
    at, places = np.array([3, 3, 4, 6, 6, 9]), np.array([0, 2, 1, 0, 2, 2])
    starts, numbers = patterns.number(at, places)
    assert starts.tolist() == [0, 2, 3, 5]
    assert [patterns.all[number].matching for number in numbers] == [("s0", "s2"), ("s1",), ("s0", "s2"), ("s2",)]
    ranks, grid = patterns.rank(numbers)
    assert ranks.tolist() == [0.2, 0.1, 0.2, 0.2]
    assert grid.tolist() == [2 * 10**11, 10**11, 2 * 10**11, 2 * 10**11]
    assert (patterns.number(at, places)[1] == numbers).all()
    assert sorted(asked) == [[0, 2], [1], [2]]
    degrees = np.array([1.0, 0.5, 0.7, 0.2, 0.9, 0.3])
    assert patterns.degrees(numbers, places, starts, degrees).tolist() == [0.5, 0.7, 0.9, 0.3]
    assert patterns.degrees(numbers, places, starts, None).tolist() == [1.0] * 4


def test_masks_of_all_subscriptions_are_told_apart():
    patterns = UserPatterns(62, lambda places: Pattern(tuple(map(str, places)), (), 0.0))
    at = np.repeat(np.arange(62 * 61), 2)
    pairs = np.array([pair for one in range(62) for other in range(62) if other != one for pair in (one, other)])
    for _ in range(2):
        _, numbers = patterns.number(at, pairs)
        assert [set(patterns.all[number].matching) for number in numbers.tolist()] == [
            {str(one), str(other)} for one in range(62) for other in range(62) if other != one
        ]
    assert len(patterns.all) == 62 * 61 // 2

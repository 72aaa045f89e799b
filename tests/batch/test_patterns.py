"""Patterns: asked once for each set of subscriptions, numbered, with rank and degree."""

import numpy as np
import pytest

from rankcast.batch.patterns import Pattern, Patterns


@pytest.mark.parametrize("count", [5, 100])
def test_each_set_is_ranked_once(count):
    asked = []

    def rank(places):
        asked.append(places)
        names = tuple(f"s{place}" for place in places)
        return Pattern(names, names[-1:], places[-1] / 10)

    patterns = Patterns(count, rank)
    places, starts = np.array([0, 2, 1, 0, 2, 2]), np.array([0, 2, 3, 5])
    numbers = patterns.number(places, starts)
    assert [patterns.all[number].matching for number in numbers] == [("s0", "s2"), ("s1",), ("s0", "s2"), ("s2",)]
    ranks, grid = patterns.rank(numbers)
    assert ranks.tolist() == [0.2, 0.1, 0.2, 0.2]
    assert grid.tolist() == [2 * 10**11, 10**11, 2 * 10**11, 2 * 10**11]
    assert (patterns.number(places, starts) == numbers).all()
    assert sorted(asked) == [[0, 2], [1], [2]]
    degrees = np.array([1.0, 0.5, 0.7, 0.2, 0.9, 0.3])
    assert patterns.degrees(numbers, places, starts, degrees).tolist() == [0.5, 0.7, 0.9, 0.3]
    assert patterns.degrees(numbers, places, starts, None).tolist() == [1.0] * 4

"""Filing: which literal is the key, into which blocks an interval goes, what is written for it."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rankcast.engine.index.filing import choose_keys, count_blocks, fill_blocks, write_literals


def chosen(literals, key, cost, is_point):
    start = np.array([0, len(literals)], np.int64)
    row = np.array(literals, np.int32)
    first, second = np.empty(1, np.int64), np.empty(1, np.int64)
    choose_keys(start, row, np.array(key, np.int32), np.array(cost, float), np.array(is_point), first, second)
    return row.tolist(), int(first[0]), int(second[0])


def test_the_rarest_literal_that_can_be_a_key_is_it_and_another_point_the_second():
    cost, points = [0.5, 0.1, 0.3, 0.2], [True, True, True, False]
    assert chosen([0, 1, 2, 3], [0, -1, 2, 3], cost, points) == ([1, 3, 2, 0], 1, 2)


def test_no_key_at_all():
    assert chosen([0, 1], [-1, -1], [0.5, 0.1], [True, True]) == ([1, 0], -1, -1)


def blocks(low, high, most=2):
    arrays = np.zeros(1, np.int64), np.array([0, 1], np.int64), np.array([low], np.int32), np.array([high], np.int32)
    attribute, is_used = np.zeros(1, np.int32), np.zeros((1, 32), np.bool_)
    count = count_blocks(*arrays, attribute, most, is_used)
    (level,) = np.flatnonzero(is_used[0]).tolist()
    lists, entries = np.empty(int(count[0]), np.int64), np.empty(int(count[0]), np.int64)
    fill_blocks(*arrays, attribute, most, np.zeros((1, 32), np.int64), lists, entries)
    assert set(entries.tolist()) == {0}
    return level, lists.tolist()


@given(st.integers(0, 10**6), st.integers(0, 10**6))
def test_an_interval_lies_in_at_most_two_blocks_that_are_not_much_wider(low, width):
    level, found = blocks(low, low + width)
    assert 1 <= len(found) <= 2
    assert found[0] << level <= low
    assert ((found[-1] + 1) << level) - 1 >= low + width
    assert (1 << level) <= max(1, 2 * width)


@pytest.mark.parametrize(("low", "high", "expected"), [(5, 5, (0, [5])), (4, 5, (0, [4, 5])), (4, 7, (1, [2, 3]))])
def test_small_intervals(low, high, expected):
    assert blocks(low, high) == expected


def test_an_entry_without_a_key_is_in_the_list_for_all():
    arrays = np.array([-1]), np.zeros(1, np.int64), np.zeros(0, np.int32), np.zeros(0, np.int32)
    assert count_blocks(*arrays, np.zeros(0, np.int32), 2, np.zeros((1, 32), np.bool_)).tolist() == [1]
    lists, entries = np.full(1, 9), np.full(1, 9)
    fill_blocks(*arrays, np.zeros(0, np.int32), 2, np.zeros((1, 32), np.int64), lists, entries)
    assert (lists.tolist(), entries.tolist()) == ([0], [0])


def test_literals_are_written_one_after_the_other():
    start, low, high = np.array([0, 1, 3], np.int64), np.array([4, 1, 7], np.int32), np.array([5, 2, 9], np.int32)
    out, at = np.zeros(12, np.int32), np.zeros(2, np.int64)
    write_literals(np.array([1, 0]), np.array([3, 6], np.int32), np.array([0, 4], np.int32), start, low, high, out, at)
    assert at.tolist() == [0, 6]
    assert out.tolist()[:10] == [6 << 4 | 4, 2, 1, 2, 7, 9, 3 << 4, 1, 4, 5]

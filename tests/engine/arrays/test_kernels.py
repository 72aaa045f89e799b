"""The kernels compute the oracle's distances, to the last bit."""

import random

import numpy as np
import pytest

from rankcast.choose import distance
from rankcast.choose.kernels.distances import columns_of, measure, measure_range
from rankcast.engine.arrays.event_lines import EventSpaces
from rankcast.engine.arrays.table import EventTable


@pytest.mark.parametrize("seed", range(40))
def test_distances_are_the_oracles(worlds, seed):
    chance = random.Random(seed)
    events = worlds.events(chance, 30)
    policy = worlds.policy(chance, "ann")
    table = EventTable()
    rows = table.extend(events) + np.arange(len(events))
    spaces = EventSpaces(table)
    lines = spaces[spaces.number(policy)]
    lines.add(rows)
    space = lines.space()
    everything, found = np.arange(len(events)), np.empty(len(events))
    columns = columns_of(everything, space[1])
    for place, event in enumerate(events):
        expected = [distance(event, other, policy.weights, policy.attributes, policy.distance) for other in events]
        measure(place, everything, space, found)
        assert found.tolist() == expected
        if len(columns):
            measure_range(place, 3, 28, columns, found[3:28])
            assert found[3:28].tolist() == expected[3:28]


def test_columns_are_for_single_values_of_equal_weight():
    lines = np.array([[0, 4], [2, -1], [-1, -1]])
    assert columns_of(np.array([2, 0]), lines)[:2].tolist() == [[-1, 0], [-1, 4]]
    assert len(columns_of(np.arange(3), np.array([[0, 4], [3, -1], [-1, -1]]))) == 0, "3 is a set of several values"
    assert len(columns_of(np.array([0, 2]), np.array([[0, 4], [3, -1], [-1, -1]]))) == 4
    assert len(columns_of(np.arange(3), np.array([[0, 4], [2**31, -1], [-1, -1]]))) == 0, "too large for a column"
    assert len(columns_of(np.arange(3), np.empty((3, 0), np.int64))) == 0, "no matrix, as with weights"

"""The kernels compute the oracle's distances, to the last bit."""

import random

import numpy as np
import pytest

from rankcast.batch.kernels.distances import distances
from rankcast.batch.table import EventTable
from rankcast.choose import distance


@pytest.mark.parametrize("seed", range(20))
def test_distances_are_the_oracles(worlds, seed):
    chance = random.Random(seed)
    events = worlds.events(chance, 30)
    policy = worlds.policy(chance, "ann")
    table = EventTable()
    rows = table.extend(events) + np.arange(len(events))
    places, codes, weights, room = table.encoded(rows, policy.weights, policy.attributes)
    one, other = np.repeat(places, len(events)), np.tile(places, len(events))
    expected = [distance(a, b, policy.weights, policy.attributes) for a in events for b in events]
    assert distances(one, other, codes, weights, room).tolist() == expected

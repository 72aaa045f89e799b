"""The kernels compute the oracle's distances, to the last bit."""

import random

import numpy as np
import pytest

from rankcast.choose import distance
from rankcast.choose.kernels.distances import measure
from rankcast.engine.arrays.event_lines import EventSpaces
from rankcast.engine.arrays.table import EventTable


@pytest.mark.parametrize("seed", range(20))
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
    for place, event in enumerate(events):
        measure(place, everything, space, found)
        assert found.tolist() == [
            distance(event, other, policy.weights, policy.attributes, policy.distance) for other in events
        ]

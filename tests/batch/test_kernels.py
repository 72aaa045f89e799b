"""The kernels compute the oracle's floats, to the last bit, and round as Python does."""

import math
import random

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rankcast.batch.kernels import distances, exact_sum, on_grid
from rankcast.batch.patterns import grid_of
from rankcast.batch.table import EventTable
from rankcast.choose import distance

UNIT = st.floats(0, 1)


@given(st.one_of(UNIT, st.integers(0, 2**20).map(lambda n: n / 2**20), st.integers(0, 10**13).map(lambda n: n / 1e13)))
def test_the_grid_rounds_as_python_rounds(value):
    assert on_grid(value) == grid_of(value)


@pytest.mark.parametrize("bits", range(1, 45))
def test_halves_of_a_step_go_to_the_even_one(bits):
    for odd in (1, 3, 5, 2**bits - 1):
        for value in (odd / 2**bits, math.nextafter(odd / 2**bits, 0), math.nextafter(odd / 2**bits, 2)):
            assert on_grid(value) == grid_of(value)


@given(st.lists(st.one_of(UNIT, st.sampled_from([1e-17, 1 / 3, 0.1, 2**-53, 1.0, 1e16, 2**-60])), max_size=30))
def test_sums_are_rounded_once(values):
    assert exact_sum(np.array(values), len(values), np.empty(len(values) + 1)) == math.fsum(values)


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

"""The kernels compute the oracle's distances, to the last bit."""

import json
import random
import subprocess
import sys

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


COUNTED = """
import json, random, sys
from collections import Counter

import rankcast.compiling as compiling

compiling.kernel = compiling.kernel_part = lambda function: function  # as plain Python, whose calls can be counted

from rankcast.engine.arrays.kernels.crowds import lending

lending.lent = lambda arrays: arrays

from rankcast.engine.arrays import BatchShard
from rankcast.engine.arrays.kernels.crowds import diverse
from rankcast.engine.reference.shard import Shard
from rankcast.engine.reference.subscriber import Subscriber
from rankcast.language import decode_record
from rankcast.model import EPOCH, Catalog, Event

counts = Counter()


def count(name):
    plainly = getattr(diverse, name)

    def run(*given):
        counts[name] += 1
        return plainly(*given)

    setattr(diverse, name, run)


for name in ("best_pair", "choose_greedily"):
    count(name)
chance = random.Random(5)
records = [{"kind": "subscription", "id": f"s{n}", "user": "ann", "where": f"x >= {n}", "score": n / 9} for n in range(10)]
records.append({"kind": "policy", "user": "ann", "mode": "sliding", "k": 4, "length": 40, "sigma": 0.5})
catalog = Catalog(map(decode_record, records))
events = [
    Event(f"e{seq}", EPOCH, {"x": (chance.randrange(10),), "g": (f"g{chance.randrange(6)}",)}, seq=seq)
    for seq in range(1, 301)
]
expected = Shard(catalog).publish(events)
Subscriber.publish = None  # arrays serve, or nobody
shard, made = BatchShard(catalog), []
for begin in range(0, 300, 50):
    made += shard.publish(events[begin : begin + 50])
assert made == expected
assert not shard.take_set_aside()
print(json.dumps(counts))
"""


def test_a_diverse_window_does_not_start_over_at_each_event():
    """Only if a member has left, or the new event belongs to the choice; the best pair is searched for even less."""
    run = [sys.executable, "-W", "ignore", "-c", COUNTED]
    done = subprocess.run(run, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    counts = json.loads(done.stdout)
    assert counts["choose_greedily"] <= 150, "it would be 296"
    assert counts["best_pair"] <= 30, "it would be 296"

"""Calm windows over arrays are those of the reference engine, under cuts, restarts and changes of the policy."""

import random
from dataclasses import replace

import msgspec
import pytest

from rankcast.engine.arrays import BatchShard
from rankcast.engine.arrays.crowd_member import Member
from rankcast.engine.reference.shard import Shard
from rankcast.model import Mode


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("late", [0.0, 0.05])
def test_calm_windows_are_the_reference_engines(worlds, seed, late):
    chance = random.Random(seed)
    catalog = worlds.catalog(chance, 8, mode=Mode.SLIDING)
    for user in catalog.users():
        catalog.put(replace(catalog.policy_of(user), calm=chance.choice([0.001, 0.02, 0.1, 1.0])))
    events = worlds.events(chance, 150, late)
    oracle, shard, at = Shard(catalog), BatchShard(catalog), 0
    assert all(isinstance(user, Member) for user in shard._served.users.values())
    while at < len(events):
        cut = at + chance.choice([1, 3, 30])
        assert shard.publish(events[at:cut]) == oracle.publish(events[at:cut])
        at = cut
        if chance.random() < 0.3:
            state = shard.state()
            assert msgspec.msgpack.decode(state) == msgspec.msgpack.decode(oracle.state())
            shard, oracle = BatchShard(catalog), Shard(catalog)
            shard.restore(state)
            oracle.restore(state)
        if chance.random() < 0.3:
            user = chance.choice(list(catalog.users()))
            before = catalog.policy_of(user)
            calm, k, sigma = chance.choice([0.0, 0.05]), chance.choice([1, 2, 5]), chance.choice([0.4, 1.0])
            catalog = catalog.copy()
            catalog.put(replace(before, calm=calm, k=k, sigma=sigma))
            assert shard.update(catalog) == oracle.update(catalog)

"""Users who are served together get what the oracle gives each of them, however the crowd moves and is saved."""

import random

import msgspec
import pytest

from rankcast.engine.arrays import BatchShard
from rankcast.engine.arrays.crowd import Member
from rankcast.engine.arrays.crowd_state import folded_of_columns
from rankcast.engine.arrays.folded import unfold
from rankcast.engine.reference.shard import Shard
from rankcast.model import Catalog, Mode, ScorePart, Select


def plain(state):
    return msgspec.msgpack.decode(msgspec.msgpack.encode(state))


def crowd(worlds, chance, users=30):
    return worlds.catalog(
        chance, users=users, mode=Mode.SLIDING, sigma=1.0, select=Select.GREEDY, score={ScorePart.PREFERENCE: 1.0}
    )


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("late", [0.0, 0.05])
def test_members_come_and_go(worlds, monkeypatch, seed, late):
    monkeypatch.setattr("rankcast.engine.arrays.crowd._SPARE", 3)
    chance = random.Random(seed)
    everybody = list(crowd(worlds, chance).records())
    users = sorted({record.user for record in everybody if record.user})
    oracle, fast = Shard(Catalog()), BatchShard(Catalog())
    events = worlds.events(chance, 200, late)
    for start in range(0, 200, 10):
        here = {user for user in users if chance.random() < 0.6}
        catalog = Catalog([record for record in everybody if record.user is None or record.user in here])
        assert fast.update(catalog) == oracle.update(catalog)
        assert all(isinstance(served, Member) for served in fast._users.values())
        assert fast.publish(events[start : start + 10]) == oracle.publish(events[start : start + 10])
        assert fast.states(fast.users) == oracle.states(oracle.users)
    assert fast._crowd._gone <= len(fast._crowd) + 3


@pytest.mark.parametrize("seed", range(4))
def test_columns_are_the_states(worlds, seed):
    chance = random.Random(seed)
    catalog, events = crowd(worlds, chance), worlds.events(chance, 150)
    expected, served = Shard(catalog), BatchShard(catalog)
    for start in range(0, 150, 15):
        assert served.publish(events[start : start + 15]) == expected.publish(events[start : start + 15])
        some = chance.sample(sorted(served.users), 12)
        parts = [some, [user for user in served.users if user not in some]]
        named = {}
        folded = [served.folded(part, named, 10**9) for part in parts]
        assert plain(unfold(folded_of_columns(folded[0]["columns"]), named)) == plain(expected.states(some))
        served = BatchShard(catalog)
        for part in folded:
            served.restore_folded(part, named)
        assert served.states(served.users) == expected.states(expected.users)


def test_columns_are_taken_by_users_who_are_in_no_crowd(worlds):
    chance = random.Random(9)
    catalog, events = crowd(worlds, chance, users=6), worlds.events(chance, 40)
    served = BatchShard(catalog)
    served.publish(events)
    named = {}
    folded = served.folded(served.users, named, 10**9)
    fewer = BatchShard(catalog, lambda user: user in ("user1", "user4"))
    fewer.restore_folded(folded, named)
    assert fewer.states(fewer.users) == served.states(["user1", "user4"])


def test_what_outgrows_its_room_moves_and_gaps_are_closed(worlds):
    chance = random.Random(4)
    catalog = crowd(worlds, chance, users=40)
    oracle, fast = Shard(catalog), BatchShard(catalog)
    events = worlds.events(chance, 1_500)
    for start in range(0, 1_500, 50):
        assert fast.publish(events[start : start + 50]) == oracle.publish(events[start : start + 50])
    assert fast.states(fast.users) == oracle.states(oracle.users)
    assert fast._crowd._used <= len(fast._crowd.held.row)


def test_events_that_are_kept_elsewhere_are_left_out_but_for_the_first(worlds):
    chance = random.Random(5)
    catalog, events = crowd(worlds, chance), worlds.events(chance, 60)
    served = BatchShard(catalog)
    served.publish(events)
    everything, older = {}, {}
    served.folded(served.users, everything, 10**9)
    since = sorted(everything)[len(everything) // 2]
    served.folded(served.users, older, since)
    assert older == {seq: event for seq, event in everything.items() if seq <= since}

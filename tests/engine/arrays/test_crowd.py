"""Users who are served together get what the oracle gives each of them, however the crowd moves and is saved."""

import random
from dataclasses import replace
from datetime import timedelta

import msgspec
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rankcast.engine.arrays import BatchShard
from rankcast.engine.arrays.crowd_columns import CrowdColumns
from rankcast.engine.arrays.crowd_member import Member
from rankcast.engine.arrays.crowd_state import folded_of_columns
from rankcast.engine.arrays.folded import unfold
from rankcast.engine.named_events import NamedEvents
from rankcast.engine.reference.shard import Shard
from rankcast.language import decode_event
from rankcast.model import Catalog, DistanceName, Filter, FilterKind, Mode, ScorePart, Select


def plain(state):
    return msgspec.msgpack.decode(msgspec.msgpack.encode(state))


def crowd(worlds, chance, users=30):
    """Users of all delivery modes by rank alone, and some with plainly diverse windows."""
    plain = {"calm": 0.0, "select": Select.GREEDY, "score": {ScorePart.PREFERENCE: 1.0}}
    plain |= {"weights": {}, "attributes": None, "distance": DistanceName.JACCARD}
    made = worlds.catalog(chance, users=users, sigma=1.0, **plain)
    for number in range(0, users, 4):
        sigma = chance.choice([0.0, 0.5, 0.3, 1 / 3])
        made.put(worlds.policy(chance, f"user{number}", mode=Mode.SLIDING, sigma=sigma, **plain))
    return made


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
        assert all(isinstance(served, Member) for served in fast._served.users.values())
        assert fast.publish(events[start : start + 10]) == oracle.publish(events[start : start + 10])
        assert fast.states(fast.users) == oracle.states(oracle.users)
    assert fast._served.crowd._gone <= len(fast._served.crowd) + 3


@pytest.mark.parametrize("seed", range(4))
def test_columns_are_the_states(worlds, seed):
    chance = random.Random(seed)
    catalog, events = crowd(worlds, chance), worlds.events(chance, 150)
    expected, served = Shard(catalog), BatchShard(catalog)
    for start in range(0, 150, 15):
        assert served.publish(events[start : start + 15]) == expected.publish(events[start : start + 15])
        some = chance.sample(sorted(served.users), 12)
        parts = [some, [user for user in served.users if user not in some]]
        named = NamedEvents(10**9)
        folded = [served.folded(part, named) for part in parts]
        assert plain(unfold(folded_of_columns(folded[0]["columns"]), named.kept)) == plain(expected.states(some))
        served = BatchShard(catalog)
        for part in folded:
            served.restore_folded(part, named.kept)
        assert served.states(served.users) == expected.states(expected.users)


def test_columns_are_taken_by_users_who_are_in_no_crowd(worlds):
    chance = random.Random(9)
    catalog, events = crowd(worlds, chance, users=6), worlds.events(chance, 40)
    served = BatchShard(catalog)
    served.publish(events)
    named = NamedEvents(10**9)
    folded = served.folded(served.users, named)
    fewer = BatchShard(catalog, lambda user: user in ("user1", "user4"))
    fewer.restore_folded(folded, named.kept)
    assert fewer.states(fewer.users) == served.states(["user1", "user4"])


def test_what_outgrows_its_room_moves_and_gaps_are_closed(worlds):
    chance = random.Random(4)
    catalog = crowd(worlds, chance, users=40)
    oracle, fast = Shard(catalog), BatchShard(catalog)
    events = worlds.events(chance, 1_500)
    for start in range(0, 1_500, 50):
        assert fast.publish(events[start : start + 50]) == oracle.publish(events[start : start + 50])
    assert fast.states(fast.users) == oracle.states(oracle.users)
    assert fast._served.crowd.columns.used <= len(fast._served.crowd.held.row)


@given(st.lists(st.tuples(st.integers(0, 4), st.integers(1, 900)), max_size=12))
def test_entries_stay_what_they_are_while_columns_grow(steps):
    columns = CrowdColumns()
    columns.put(0, {}, 5)
    expected = {number: list[int]() for number in range(5)}
    for step, (number, more) in enumerate(steps):
        one = np.array([number])
        columns.make_room(one, np.array([more]))
        first = columns.members.begin[number] + columns.members.count[number]
        columns.held.seq[first : first + more] = step
        columns.members.count[number] += more
        expected[number] += [step] * more
        for each, seqs in expected.items():
            assert columns.held.seq[columns.entries(np.array([each]))].tolist() == seqs


def test_of_the_events_that_are_kept_elsewhere_only_the_first_is_noted(worlds):
    chance = random.Random(5)
    catalog, events = crowd(worlds, chance), worlds.events(chance, 60)
    served = BatchShard(catalog)
    served.publish(events)
    everything = NamedEvents(10**9)
    served.folded(served.users, everything)
    since = sorted(everything.kept)[len(everything.kept) // 2]
    older = NamedEvents(since)
    served.folded(served.users, older)
    assert older.kept == {seq: event for seq, event in everything.kept.items() if seq < since}
    assert (older.first, everything.first) == (since, None)


@pytest.mark.parametrize("seed", range(4))
def test_periods_end_by_the_clock(worlds, seed):
    """The receiver's clock is ahead or behind, stands still, or is not known for a while."""
    chance = random.Random(seed)
    by_rank = {"sigma": 1.0, "mode": Mode.PERIODIC, "score": {ScorePart.PREFERENCE: 1.0}}
    catalog = worlds.catalog(chance, users=12, **by_rank)
    events = worlds.events(chance, 160, late=0.05)
    oracle, fast = Shard(catalog), BatchShard(catalog)
    start = 0
    while start < len(events):
        part = events[start : start + chance.choice([1, 2, 5, 20])]
        ahead = timedelta(minutes=chance.choice([-5, 0, 0, 3, 200 if seed == 3 else 20]))
        clocks = None if chance.random() < 0.2 else [event.time + ahead for event in part]
        assert fast.publish(part, None, clocks) == oracle.publish(part, None, clocks)
        assert fast.due == oracle.due
        if chance.random() < 0.4:
            later = part[-1].time + timedelta(minutes=chance.choice([0, 10, 60]))
            assert fast.advance(later) == oracle.advance(later)
        assert fast.states(fast.users) == oracle.states(oracle.users)
        start += len(part)
        if chance.random() < 0.3:
            saved, named = fast, NamedEvents(10**9)
            folded, fast = saved.folded(saved.users, named), BatchShard(catalog)
            fast.restore_folded(plain(folded), named.kept)
    assert fast.close() == oracle.close()
    assert all(isinstance(served, Member) for served in fast._served.users.values())


@pytest.mark.parametrize("seed", range(3))
def test_distances_are_those_of_the_events_that_are_there(worlds, monkeypatch, seed):
    """New names of attributes appear, old events are forgotten and encoded anew, and policies change."""
    monkeypatch.setattr("rankcast.engine.arrays.table._FEW", 60)
    chance = random.Random(seed)
    catalog = crowd(worlds, chance, users=12)
    oracle, fast = Shard(catalog), BatchShard(catalog)
    events = worlds.events(chance, 300)
    for start in range(0, 300, 10):
        part = [
            replace(event, attributes={**event.attributes, f"name{start // 60}": (1,)})
            for event in events[start : start + 10]
        ]
        assert fast.publish(part) == oracle.publish(part)
        assert fast.states(fast.users) == oracle.states(oracle.users)
        catalog = Catalog(list(catalog.records()))
        for number in range(0, 12, 4):
            given = catalog.policy_of(f"user{number}")
            catalog.put(replace(given, calm=chance.choice([0.0, 0.0, 0.02]), sigma=chance.choice([0.5, 0.3, 1.0])))
        assert fast.update(catalog) == oracle.update(catalog)
    assert all(isinstance(served, Member) for served in fast._served.users.values())


def test_only_users_who_match_need_the_reference_engine(worlds):
    chance = random.Random(1)
    catalog, events = crowd(worlds, chance), worlds.events(chance, 20)
    plain_users = [user for user in catalog.users() if not catalog.preferences_of(user)]
    served = BatchShard(catalog)
    members = served._served.users
    assert all(members[user]._oracle is None for user in plain_users)
    assert served.publish(events) == Shard(catalog).publish(events)
    matched = {match.user for event in events for match in served.match(event)}
    assert {user for user in plain_users if members[user]._oracle is not None} == matched & {*plain_users}


@pytest.mark.parametrize("seed", range(3))
def test_users_with_more_subscriptions_than_bits(worlds, seed):
    """Crisp and vague subscriptions, with and without a filter, in all modes, under cuts and restores."""
    chance = random.Random(seed)
    catalog = worlds.catalog(chance, users=6, score={ScorePart.PREFERENCE: 1.0})
    for number in range(6):
        user = f"user{number}"
        for copy in range(12 if number % 2 else 0):
            for one in worlds.subscriptions(chance, f"{user}+{copy}"):
                catalog.add(replace(one, user=user))
        if number > 3:
            catalog.put(replace(catalog.policy_of(user), filter=Filter(FilterKind.THRESHOLD, rate=0.5, period=6)))
    oracle, fast = Shard(catalog), BatchShard(catalog)
    assert max(len(catalog.subscriptions_of(user)) for user in catalog.users()) > 62
    assert all(isinstance(served, Member) for served in fast._served.users.values())
    events = worlds.events(chance, 120)
    for start in range(0, 120, 8):
        assert fast.publish(events[start : start + 8]) == oracle.publish(events[start : start + 8])
        assert fast.states(fast.users) == oracle.states(oracle.users)
        saved, named = fast, NamedEvents(10**9)
        folded, fast = saved.folded(saved.users, named), BatchShard(catalog)
        fast.restore_folded(plain(folded), {seq: decode_event(text, seq=seq) for seq, text in named.texts()})
    assert fast.close() == oracle.close()

"""What fails for one user or one event is set aside, the same way in both engines, and nobody else is affected
(semantics: What cannot be served)."""

import random
from datetime import timedelta
from hashlib import blake2b

import numpy as np
import pytest

from rankcast.choose.filters import Filtered
from rankcast.choose.periodic import Periodic
from rankcast.engine.arrays import BatchShard, served_users
from rankcast.engine.arrays.crowd import Crowd
from rankcast.engine.arrays.crowd_columns import CrowdColumns
from rankcast.engine.arrays.crowd_member import Member
from rankcast.engine.arrays.kernels.crowds import serving
from rankcast.engine.arrays.matching import MatchingBySize
from rankcast.engine.isolation import MOST_FAILURES
from rankcast.engine.reference.shard import Shard
from rankcast.engine.reference.subscriber import Subscriber
from rankcast.matching import OracleMatcher
from rankcast.model import Catalog, Filter, FilterKind, Mode, Policy, SetAside, Unit


class Faults:
    """Makes services fail for some pairs of user and event, always the same ones."""

    def __init__(self, share: float, users: tuple[str, ...] = ("user1", "user4", "user6")) -> None:
        self.share, self.users = share, users

    def hit(self, user: str, event: str, what: str) -> bool:
        drawn = int.from_bytes(blake2b(f"{user} {event} {what}".encode(), digest_size=4).digest())
        return user in self.users and drawn < self.share * 2**32

    def check(self, user: str, event: str, what: str) -> None:
        if self.hit(user, event, what):
            raise OverflowError(f"{what} fails on purpose")


@pytest.fixture
def faults(monkeypatch):
    """Ranking, the filter before it decides and after, and choosing after the state has changed fail for some pairs."""
    made = Faults(0.15)
    publish = Subscriber.publish

    def fails(self, moment, event, matched):
        if matched:
            made.check(self._user, event.id, "ranking")
        steps = publish(self, moment, event, matched)
        if matched:
            made.check(self._user, event.id, "choosing")  # after everything has changed
        return steps

    monkeypatch.setattr(Subscriber, "publish", fails)

    def refuses_all(self, stream, member_of, *others):
        return np.flatnonzero(member_of >= 0).tolist()

    monkeypatch.setattr(Crowd, "publish", refuses_all)
    return made


def of(deliveries, users):
    return [delivery for delivery in deliveries if delivery.user in users]


@pytest.mark.parametrize("seed", range(4))
def test_both_engines_set_the_same_aside_under_every_cut(worlds, faults, seed):
    chance = random.Random(seed)
    catalog = worlds.catalog(chance, users=9)
    events = worlds.events(chance, 80, late=0.05)
    whole = Shard(catalog)
    expected = whole.publish(events)
    rows = whole.take_set_aside()
    assert {row.user for row in rows} <= set(faults.users)
    assert {row.user for row in rows} & set(faults.users)
    served: Shard | BatchShard = BatchShard(catalog)
    made, found, start = [], [], 0
    while start < len(events):
        batch = events[start : start + chance.choice([1, 3, 10, 30])]
        made += served.publish(batch)
        found += served.take_set_aside()
        start += len(batch)
        state = served.state()
        served = chance.choice([BatchShard, BatchShard, Shard])(catalog)
        served.restore(state)
    assert made == expected
    assert found == rows
    assert served.close() == whole.close()


@pytest.mark.parametrize("mode", [Mode.SLIDING, Mode.PERIODIC, Mode.HISTORY, Mode.ALL])
def test_what_cannot_be_ranked_is_set_aside_in_a_crowd_too(worlds, monkeypatch, mode):
    made, candidate = Faults(0.2), Subscriber.candidate

    def fails(self, event, matched):
        made.check(self._user, ",".join(one.id for one, _ in matched), "ranking")
        return candidate(self, event, matched)

    monkeypatch.setattr(Subscriber, "candidate", fails)
    chance = random.Random(2)
    catalog, events = worlds.catalog(chance, users=9, mode=mode, sigma=1.0, calm=0.0), worlds.events(chance, 120)
    oracle, fast = Shard(catalog), BatchShard(catalog)
    for start in range(0, 120, 30):
        assert fast.publish(events[start : start + 30]) == oracle.publish(events[start : start + 30])
    rows = oracle.take_set_aside()
    assert {row.user for row in rows} == set(made.users)
    assert fast.take_set_aside() == rows


@pytest.mark.parametrize("engine", [Shard, BatchShard])
def test_nobody_else_notices(worlds, monkeypatch, engine):
    chance = random.Random(7)
    catalog, events = worlds.catalog(chance, users=9), worlds.events(chance, 60)
    untouched = engine(catalog).publish(events)
    monkeypatch.setattr(Subscriber, "candidate", _fails_for(Subscriber.candidate, "user1", "user4"))
    shard = engine(catalog)
    others = {f"user{number}" for number in range(9)} - {"user1", "user4"}
    assert shard.publish(events) == of(untouched, others)
    assert {row.user for row in shard.take_set_aside()} <= {"user1", "user4"}
    assert shard.take_set_aside() == []


def _fails_for(method, *users):
    def fails(self, *args):
        if self._user in users:
            raise MemoryError
        return method(self, *args)

    return fails


@pytest.mark.parametrize("engine", [Shard, BatchShard])
def test_the_event_counts_as_not_matching(worlds, monkeypatch, engine):
    """All events of user1 fail but those with an even number: what is left is what a catalog gives that these alone match."""
    chance = random.Random(3)
    catalog, events = worlds.catalog(chance, users=3), worlds.events(chance, 60)
    bad = {event.id for event in events if event.seq % 2}
    publish, match = Subscriber.publish, OracleMatcher.match

    def fails(self, moment, event, matched):
        steps = publish(self, moment, event, matched)
        if matched and self._user == "user1" and event.id in bad:
            raise RecursionError
        return steps

    monkeypatch.setattr(Subscriber, "publish", fails)
    monkeypatch.setattr(Crowd, "publish", lambda *args: 1 / 0)
    shard = engine(catalog)
    made = [*shard.publish(events[:30]), *shard.publish(events[30:]), *shard.close()]
    monkeypatch.undo()

    def without(self, event):
        return [pair for pair in match(self, event) if pair[0].user != "user1" or event.id not in bad]

    monkeypatch.setattr(OracleMatcher, "match", without)
    plain = Shard(catalog)
    assert made == [*plain.publish(events), *plain.close()]


@pytest.mark.parametrize("engine", [Shard, BatchShard])
def test_a_subscription_that_cannot_be_matched_is_its_users_alone(worlds, monkeypatch, engine):
    chance = random.Random(5)
    catalog, events = worlds.catalog(chance, users=4), worlds.events(chance, 150)
    untouched = engine(catalog).publish(events)
    answer = OracleMatcher._answer

    def fails(self, question, event, is_crisp):
        asked = zip(self._subscriptions, self._numbers, strict=True)
        if any(one.user == "user2" and number == self._questions.index(question) for one, number in asked):
            raise ValueError("no")
        return answer(self, question, event, is_crisp)

    monkeypatch.setattr(OracleMatcher, "_answer", fails)
    shard = engine(catalog)
    made = [delivery for start in range(0, 150, 50) for delivery in shard.publish(events[start : start + 50])]
    assert of(made, {"user0", "user1", "user3"}) == of(untouched, {"user0", "user1", "user3"})
    rows = shard.take_set_aside()
    own = [row for row in rows if row.user == "user2"]
    assert [row.event for row in own[:MOST_FAILURES]] == [event.id for event in events[:MOST_FAILURES]]
    assert [row.event for row in own[MOST_FAILURES:]] == [None], "then the user is out, and makes no more rows"


def test_an_index_that_cannot_take_a_subscription_harms_nobody(worlds, monkeypatch):
    chance = random.Random(13)
    catalog, events = worlds.catalog(chance, users=4), worlds.events(chance, 30)
    expected = Shard(catalog).publish(events)
    monkeypatch.setattr(MatchingBySize, "update", lambda *args: 1 / 0)
    shard = BatchShard(catalog)
    assert shard.publish(events) == expected
    assert shard.take_set_aside() == []


@pytest.mark.parametrize("engine", [Shard, BatchShard])
def test_an_event_that_cannot_be_admitted_matches_nobody(worlds, monkeypatch, engine):
    from rankcast.model import Advertisement, Always
    from rankcast.overlay import Admission

    chance = random.Random(6)
    catalog, events = worlds.catalog(chance, users=3), worlds.events(chance, 20)
    catalog.add(Advertisement("a1", "shop", Always(), k=2))
    from dataclasses import replace

    events[7] = replace(events[7], advertisement="a1")
    monkeypatch.setattr(Admission, "admitted", lambda self, event, matches: 1 / 0)
    shard = engine(catalog)
    shard.publish(events)
    assert shard.take_set_aside(4) == [SetAside(None, "e7", events[7].seq, 4, "ZeroDivisionError: division by zero")]


@pytest.mark.parametrize("engine", [Shard, BatchShard])
def test_a_user_whose_period_cannot_end_is_out_until_a_record_changes(worlds, monkeypatch, engine):
    chance = random.Random(8)
    catalog = worlds.catalog(chance, users=3, mode=Mode.PERIODIC, sigma=1.0)
    events = worlds.events(chance, 90)
    untouched = engine(catalog).publish(events)
    close = Periodic.close

    def fails(self):
        if self._k == broken.k and self._candidates:
            raise OverflowError("on purpose")
        return close(self)

    broken = Policy("user1", k=5, mode=Mode.PERIODIC, length=catalog.policy_of("user1").length)
    catalog = Catalog(list(catalog.records()))
    catalog.put(broken)
    monkeypatch.setattr(Periodic, "close", fails)
    for method in ("publish", "close"):
        monkeypatch.setattr(Crowd, method, lambda *args: 1 / 0)
    shard = engine(catalog)
    made = shard.publish(events[:60])
    state = shard.state()
    shard = engine(catalog)
    shard.restore(state)
    made += shard.publish(events[60:80])
    assert of(made, {"user0", "user2"}) == [one for one in of(untouched, {"user0", "user2"}) if one in made], (
        "others are served"
    )
    assert of(made, {"user0", "user2"})
    assert not of(made, {"user1"})
    mended = Catalog(list(catalog.records()))
    mended.put(Policy("user1"))
    shard.update(mended)
    monkeypatch.undo()
    assert of(shard.publish(events[80:]), {"user1"}), "and so is the user, once a record changed"


@pytest.mark.parametrize("engine", [Shard, BatchShard])
def test_a_state_that_cannot_be_read_harms_one_user(worlds, engine):
    from rankcast.engine.states import pack_states, unpack_states

    chance = random.Random(9)
    catalog, events = worlds.catalog(chance, users=4), worlds.events(chance, 40)
    shard = engine(catalog)
    shard.publish(events[:20])
    users = unpack_states(shard.state())
    expected = of(shard.publish(events[20:]), {"user0", "user2", "user3"})
    users["user1"] = {"mode": 7}
    again = engine(catalog)
    again.restore(pack_states(users))
    assert again.publish(events[20:]) == expected
    (row,) = again.take_set_aside()
    assert (row.user, row.event) == ("user1", None)


@pytest.mark.parametrize("engine", [Shard, BatchShard])
def test_a_user_who_cannot_begin_harms_nobody(worlds, monkeypatch, engine):
    chance = random.Random(10)
    catalog, events = worlds.catalog(chance, users=4), worlds.events(chance, 30)
    expected = of(engine(catalog).publish(events), {"user0", "user2", "user3"})
    read = Subscriber._read

    def fails(self, catalog):
        if self._user == "user1":
            raise RecursionError("too deep")
        read(self, catalog)

    monkeypatch.setattr(Subscriber, "_read", fails)
    shard = engine(catalog)
    assert shard.publish(events) == expected
    (row,) = shard.take_set_aside()
    assert (row.user, row.event) == ("user1", None)
    assert row.error.startswith("RecursionError: too deep; the user is set aside until")


def test_stopping_is_no_fault_of_a_user(worlds, monkeypatch):
    def stops(*args):
        raise KeyboardInterrupt

    chance = random.Random(11)
    shard = Shard(worlds.catalog(chance, users=2))
    monkeypatch.setattr(Subscriber, "publish", stops)
    with pytest.raises(KeyboardInterrupt):
        shard.publish(worlds.events(chance, 2))


def test_a_crowd_that_fails_before_it_changes_anything_is_served_one_by_one(worlds, monkeypatch):
    chance = random.Random(12)
    catalog = worlds.catalog(chance, users=9, sigma=1.0, calm=0.0)
    events = worlds.events(chance, 60)
    expected = Shard(catalog).publish(events)
    monkeypatch.setattr(CrowdColumns, "reserve", lambda *args: 1 / 0)
    shard = BatchShard(catalog)
    monkeypatch.setattr(CrowdColumns, "allot", lambda *args: 1 / 0)
    assert shard.publish(events[:30]) + shard.publish(events[30:]) == expected
    assert shard.take_set_aside() == []


def test_a_crowd_whose_kernel_fails_midway_is_served_one_by_one(worlds, monkeypatch):
    serve_all, failing = serving.serve_all, random.Random(5)

    def fails(*args):
        made = serve_all(*args)
        if failing.random() < 0.5:
            raise MemoryError  # after everything has changed
        return made

    chance = random.Random(11)
    catalog = worlds.catalog(chance, users=12, sigma=1.0, calm=0.0)
    events = worlds.events(chance, 200)
    oracle, fast = Shard(catalog), BatchShard(catalog)
    assert len(fast._served.crowd)
    monkeypatch.setattr(serving, "serve_all", fails)
    start = 0
    while start < len(events):
        batch = events[start : start + chance.choice([1, 3, 10, 30])]
        assert fast.publish(batch) == oracle.publish(batch)
        start += len(batch)
    assert len(fast._served.crowd)
    assert fast.take_set_aside() == []
    assert fast.close() == oracle.close()


@pytest.mark.parametrize("what", ["advance", "close"])
def test_a_crowd_that_cannot_end_periods_is_served_one_by_one(worlds, monkeypatch, what):
    chance = random.Random(14)
    catalog = worlds.catalog(chance, users=6, mode=Mode.PERIODIC, unit=Unit.TIME, sigma=1.0)
    events = worlds.events(chance, 60)
    clocks = [event.time for event in events]
    oracle, fast = Shard(catalog), BatchShard(catalog)

    def fails(*args):
        raise MemoryError  # after everything has changed

    for start in range(0, 60, 20):
        part = slice(start, start + 20)
        assert fast.publish(events[part], None, clocks[part]) == oracle.publish(events[part], None, clocks[part])
        later = clocks[part][-1] + timedelta(minutes=30)
        expected = oracle.advance(later) if what == "advance" else oracle.close()
        assert expected
        with monkeypatch.context() as patched:
            patched.setattr(Crowd, "_gather", fails)
            assert (fast.advance(later) if what == "advance" else fast.close()) == expected
        assert fast.states(fast.users) == oracle.states(oracle.users)
    assert len(fast._served.crowd) == 6


def test_filters_are_as_before(worlds, faults):
    chance = random.Random(13)
    catalog = worlds.catalog(chance, users=7, filter=Filter(FilterKind.THRESHOLD, rate=0.5, period=6), sigma=1.0)
    events = worlds.events(chance, 80)
    oracle, fast = Shard(catalog), BatchShard(catalog)
    assert any(isinstance(one, Member) and one.filter for one in fast._served.users.values())
    assert isinstance(oracle._subscribers["user1"].subscriber.mode, Filtered)
    for start in range(0, 80, 20):
        assert fast.publish(events[start : start + 20]) == oracle.publish(events[start : start + 20])
    assert fast.take_set_aside() == oracle.take_set_aside()


@pytest.mark.parametrize("kind", [FilterKind.THRESHOLD, FilterKind.SAMPLING])
def test_a_filter_that_fails_after_it_decided_is_its_users_alone(worlds, monkeypatch, kind):
    chance, failing = random.Random(17), random.Random(3)
    catalog = worlds.catalog(chance, users=8, filter=Filter(kind, rate=0.5, period=6), sigma=1.0)
    events = worlds.events(chance, 160)
    oracle, fast = Shard(catalog), BatchShard(catalog)
    members = [one for one in fast._served.users.values() if isinstance(one, Member) and one.filter is not None]
    assert len(members) > 3
    of_one = type(members[1].filter)
    admit, failures = of_one.admit, 0

    def fails(self, batch):
        nonlocal failures
        passed = admit(self, batch)
        if self is members[1].filter and failing.random() < 0.5:
            failures += 1
            raise OverflowError("after its state has changed")
        return passed

    monkeypatch.setattr(of_one, "admit", fails)
    for start in range(0, 160, 8):
        batch = events[start : start + 8]
        assert fast.publish(batch) == oracle.publish(batch)
        assert fast.states(fast.users) == oracle.states(oracle.users)
    assert failures > 3
    assert isinstance(fast._served.users[members[1].user], Member)  # the reference engine could serve it, so it is back
    assert fast.take_set_aside() == oracle.take_set_aside() == []


def test_arrays_that_fail_for_one_user_after_its_state_changed_leave_it_to_the_reference_engine(worlds, monkeypatch):
    chance = random.Random(18)
    catalog = worlds.catalog(chance, users=9, sigma=1.0, calm=0.0)
    events = worlds.events(chance, 120)
    oracle, fast = Shard(catalog), BatchShard(catalog)
    users = [one.user for one in fast._served.users.values() if isinstance(one, Member)]
    assert len(users) > 3
    unlucky, restore = users[1], served_users.restore_member

    def refuses_all(self, stream, member_of, *others):
        return np.flatnonzero(member_of >= 0).tolist()

    def fails(crowd, member, state, table):
        restore(crowd, member, state, table)
        if member.user == unlucky:
            raise MemoryError  # after everything has been written

    def in_crowd():
        return {one.user for one in fast._served.users.values() if isinstance(one, Member)}

    assert fast.publish(events[:40]) == oracle.publish(events[:40])
    with monkeypatch.context() as patched:
        patched.setattr(served_users, "restore_member", fails)
        patched.setattr(
            Crowd, "publish", refuses_all
        )  # so the reference engine serves a batch, and hands the states back
        assert fast.publish(events[40:60]) == oracle.publish(events[40:60])
    assert unlucky not in in_crowd()
    assert in_crowd() == {*users} - {unlucky}
    assert fast.publish(events[60:]) == oracle.publish(events[60:])
    assert fast.states(fast.users) == oracle.states(oracle.users)
    assert fast.take_set_aside() == oracle.take_set_aside() == []

"""Shards that get matches, and of other events only seq and time, deliver what shards that match deliver."""

import random
from datetime import timedelta

import msgspec
import numpy as np
import pytest

from rankcast.choose.positions import microseconds
from rankcast.engine.arrays import BatchShard
from rankcast.engine.arrays.matching import MatchesGiven
from rankcast.engine.isolation import FEW_USERS
from rankcast.engine.published import NamedMatches, PublishedEvents
from rankcast.engine.reference.shard import Shard
from rankcast.model import Event


def given(matching, events):
    """The events that match, and their matches in no order."""
    found = [(place, match.subscription, match.degree) for place, e in enumerate(events) for match in matching.match(e)]
    random.Random(len(found)).shuffle(found)
    names = sorted({name for _, name, _ in found})
    number = {name: place for place, name in enumerate(names)}
    matches = NamedMatches(
        np.array([event for event, _, _ in found], np.int64),
        np.array([number[name] for _, name, _ in found], np.int64),
        np.array([degree for *_, degree in found], np.float64),
        names,
    )
    seq, time = (
        np.array(column, np.int64) for column in zip(*((e.seq, microseconds(e.time)) for e in events), strict=True)
    )
    return PublishedEvents(seq, time, {place: events[place] for place in {event for event, _, _ in found}}), matches


def nobodys(event):
    return Event(event.id, event.time, {"nobody": ("asks",)}, seq=event.seq)


@pytest.mark.parametrize("seed", range(8))
@pytest.mark.parametrize("by_clock", [False, True])
def test_both_engines_serve_given_matches(worlds, seed, by_clock):
    chance = random.Random(seed)
    catalog = worlds.catalog(chance, users=15)
    oracle, plain = Shard(catalog), Shard(catalog)
    arrays, fast = BatchShard(catalog), BatchShard(catalog, matcher=MatchesGiven())
    events = [e if chance.random() < 0.6 else nobodys(e) for e in worlds.events(chance, 120, late=0.1 * (seed % 2))]
    absent = start = 0
    while start < len(events):
        batch = events[start : start + chance.choice([1, 2, 5, 30])]
        start += len(batch)
        published, matches = given(oracle, batch)
        absent += len(batch) - len(published.known)
        clocks = [event.time + timedelta(seconds=90) for event in batch] if by_clock else None
        expected = oracle.publish(batch, clocks=clocks)
        assert plain.deliver(published, matches, clocks) == expected
        ticks = np.array([microseconds(clock) for clock in clocks], np.int64) if clocks else None
        assert fast.deliver(published, matches, ticks).records() == expected
        arrays.publish(batch, clocks=clocks)
        states = [msgspec.msgpack.decode(shard.state()) for shard in (oracle, plain, arrays, fast)]
        assert (states[0], states[2]) == (states[1], states[3])
        assert oracle.matches == plain.matches == fast.matches
    assert absent > 10
    assert oracle.close() == plain.close() == fast.close()


@pytest.mark.parametrize("many", [False, True])
def test_events_that_could_not_be_matched_for_a_user_are_set_aside(worlds, many):
    catalog = worlds.catalog(random.Random(1), users=FEW_USERS + 5)
    users = catalog.users() if many else catalog.users()[:2]
    events = worlds.events(random.Random(1), 20)
    rows = []
    for shard in (Shard(catalog), BatchShard(catalog, matcher=MatchesGiven())):
        published, matches = given(Shard(catalog), events)
        published.known[3] = events[3]
        named = [catalog.subscriptions[name].user for name in matches.names]
        keep = np.array([e != 3 or named[n] not in users for e, n in zip(*matches[:2], strict=True)], bool)
        matches = NamedMatches(*(column[keep] for column in matches[:3]), matches.names)
        shard.deliver(published, matches, None, {3: dict.fromkeys(["stranger", *users], "OverflowError: too large")})
        rows.append(shard.take_set_aside(7))
    assert rows[0] == rows[1]
    assert {(row.event, row.seq, row.version) for row in rows[0]} == {(events[3].id, events[3].seq, 7)}
    assert len(rows[0]) == (1 if many else 2)


def test_no_events_deliver_nothing(worlds):
    catalog = worlds.catalog(random.Random(1))
    nothing = np.empty(0, np.int64)
    empty = PublishedEvents(nothing, nothing, {}), NamedMatches(nothing, nothing, np.empty(0), ())
    assert Shard(catalog).deliver(*empty) == []
    assert len(BatchShard(catalog, matcher=MatchesGiven()).deliver(*empty)) == 0

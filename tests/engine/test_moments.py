"""A shard needs only the events that concern it and the moments that end windows and periods (semantics: Delivery modes)."""

import random
from datetime import UTC, datetime, timedelta

import numpy as np
import pytest

from rankcast.choose.positions import microseconds
from rankcast.engine.arrays import BatchShard
from rankcast.engine.arrays.matching import OneByOneMatcher
from rankcast.engine.moments import MANY_LENGTHS, RelevantMoments
from rankcast.engine.published import NamedMatches
from rankcast.engine.reference.shard import Shard
from rankcast.matching import OracleMatcher
from rankcast.matching.batch import Matches
from rankcast.model import Event, Filter, FilterKind, Length, Mode, Policy, ScorePart, Unit, in_publication_order

START = datetime(2026, 1, 1, tzinfo=UTC)
THOUSAND = np.arange(1_000)

pytestmark = pytest.mark.slow  # loads the kernels


def stream(worlds, chance, count, sparse):
    """Events in publication order; most of them match nobody if `sparse`."""
    made = worlds.events(chance, count)
    rare = [Event(f"n{number}", event.time, {}) for number, event in enumerate(made) for _ in range(sparse)]
    return in_publication_order([event.at(0) for event in made] + rare)


def compact(shard, catalog, events, chance):
    """What a shard delivers that gets blocks of relevant moments; events that match nobody have no id or attributes."""
    subscriptions = list(catalog.subscriptions.values())
    found = OneByOneMatcher(subscriptions, OracleMatcher.of(catalog, subscriptions)).match_batch(events)
    moments, made, left, start = RelevantMoments(catalog.policies.values()), [], 0, 0
    while start < len(events):
        block = events[start : start + chance.choice([1, 7, 40, 300])]
        own = (found.event >= start) & (found.event < start + len(block))
        event = found.event[own] - start
        times = np.array([microseconds(one.time) for one in block])
        places = moments.select(np.array([one.seq for one in block]), times, np.unique(event))
        concerned = set(event.tolist())
        given = [
            block[place]
            if place in concerned
            else Event.kept("", block[place].time, {}, None, None, None, block[place].seq)
            for place in places.tolist()
        ]
        matches = Matches(np.searchsorted(places, event), found.subscription[own], found.degree[own])
        named = NamedMatches(*matches, names=[one.id for one in subscriptions])
        delivered = shard.deliver(given, named if isinstance(shard, Shard) else matches)
        made += delivered if isinstance(delivered, list) else delivered.records()
        start += len(block)
        left += len(block) - len(given)
    return sorted(made + shard.close(), key=lambda one: one.order), left


def wanted(catalog, events):
    shard = Shard(catalog)
    return sorted(shard.publish(events) + shard.close(), key=lambda one: one.order)


@pytest.mark.parametrize("engine", [Shard, BatchShard])
@pytest.mark.parametrize("seed", range(8))
def test_with_the_relevant_moments_a_shard_delivers_the_same(worlds, engine, seed):
    chance = random.Random(seed)
    catalog = worlds.catalog(chance, users=12)
    events = stream(worlds, chance, 60, sparse=seed % 4 * 3)
    made, left = compact(engine(catalog), catalog, events, chance)
    assert made == wanted(catalog, events)
    assert left or not seed % 4


@pytest.mark.parametrize("unit", list(Unit))
@pytest.mark.parametrize("mode", [Mode.PERIODIC, Mode.SLIDING, Mode.HISTORY])
def test_every_mode_and_unit(worlds, mode, unit):
    chance = random.Random(f"{mode} {unit}")
    more = [{}, {"filter": Filter(FilterKind.THRESHOLD, 0.5, 6)}, {"score": {ScorePart.NOVELTY: 0.5}}]
    for others in more:
        catalog = worlds.catalog(chance, users=4, mode=mode, unit=unit, **others)
        events = stream(worlds, chance, 25, sparse=8)
        made, left = compact(BatchShard(catalog), catalog, events, chance)
        assert made == wanted(catalog, events)
        assert left > len(events) / 3


def test_no_more_than_one_moment_per_length_and_event():
    policies = [
        Policy("a", mode=Mode.SLIDING, k=1, length=Length(100)),
        Policy("b", mode=Mode.PERIODIC, k=1, length=Length(timedelta(hours=1), Unit.TIME)),
        Policy("c", mode=Mode.HISTORY, k=1, length=Length(7)),
        Policy("d", mode=Mode.PERIODIC, k=1, length=Length(7, Unit.MATCHED)),
    ]
    moments = RelevantMoments(policies)
    minutes = microseconds(START) + np.arange(1_000) * 60_000_000
    # Event 10 (seq 11) leaves the window at seq 111; its hour ends with event 60; 999 may be the last.
    assert moments.select(1 + THOUSAND, minutes, np.array([10])).tolist() == [10, 60, 110, 999]
    # The window of event 990 ends in the next block, and so does its hour, which begins at 960.
    assert moments.select(1_001 + THOUSAND, minutes + 60_000_000_000, np.array([990])).tolist() == [990, 999]
    assert moments.select(2_001 + THOUSAND, minutes + 120_000_000_000, np.array([], np.int64)).tolist() == [40, 90, 999]


def test_with_many_lengths_every_event_is_relevant():
    policies = [Policy(f"u{number}", mode=Mode.SLIDING, k=1, length=Length(number + 2)) for number in range(40)]
    assert len(policies) > MANY_LENGTHS
    assert len(RelevantMoments(policies).select(np.arange(1, 51), np.arange(50), np.array([3]))) == 50


def live_stream(worlds, chance, count):
    """Events as a log has them: with gaps in `seq`, sometimes dated back, and with clocks that sometimes stand still or go
    back. Most match nobody."""
    made = worlds.events(chance, count, late=chance.choice([0.0, 0.0, 0.05]))
    events, clocks, clock = [], [], made[0].time + timedelta(minutes=chance.choice([-90, 0, 0, 30]))
    for number, event in enumerate(made):
        events += [Event(f"n{number}-{each}", event.time, {}) for each in range(chance.choice([0, 3, 10]))]
        events.append(event)
    seq = 0
    for place, event in enumerate(events):
        seq += 1 + (chance.random() < 0.1)
        events[place] = event.at(seq)
        clock += timedelta(minutes=chance.choice([0, 0, 1, 3]))
        clocks.append(clock - timedelta(minutes=5 if chance.random() < 0.01 else 0))
    return events, clocks


class Compact:
    """A shard that gets only the relevant moments of each block; sometimes it starts again from its saved state."""

    def __init__(self, engine, catalog):
        self._engine, self._catalog = engine, catalog
        self._shard = engine(catalog)
        self.moments = RelevantMoments(catalog.policies.values())
        self.left = 0

    def update(self, catalog):
        self._catalog = catalog
        self.moments.update(catalog.policies.values())
        return self._shard.update(catalog)

    def restart(self):
        state, time, clock = self._shard.state(), self.moments.time, self.moments.clock
        self._shard = self._engine(self._catalog)
        self._shard.restore(state)
        self.moments = RelevantMoments([])
        self.moments.update(self._catalog.policies.values())
        self.moments.go_on(time, clock)

    def advance(self, clock):
        self.moments.advance(microseconds(clock))
        return self._shard.advance(clock)

    def publish(self, events, clocks):
        subscriptions = list(self._catalog.subscriptions.values())
        found = OneByOneMatcher(subscriptions, OracleMatcher.of(self._catalog, subscriptions)).match_batch(events)
        received = None if clocks is None else np.array([microseconds(clock) for clock in clocks])
        times = np.array([microseconds(one.time) for one in events])
        places = self.moments.select(np.array([one.seq for one in events]), times, np.unique(found.event), received)
        self.left += len(events) - len(places)
        matches = Matches(np.searchsorted(places, found.event), found.subscription, found.degree)
        named = NamedMatches(*matches, names=[one.id for one in subscriptions])
        given = [events[place] for place in places.tolist()]
        heard = None if clocks is None else [clocks[place] for place in places.tolist()]
        made = self._shard.deliver(given, named, heard)
        return made if isinstance(made, list) else made.records()

    def close(self):
        return self._shard.close()


@pytest.mark.parametrize("engine", [Shard, BatchShard])
@pytest.mark.parametrize("seed", range(25))
def test_a_live_shard_delivers_the_same_whatever_happens(worlds, engine, seed):
    chance = random.Random(seed)
    fixed = {"unit": Unit.TIME, "mode": Mode.PERIODIC} if seed % 5 == 0 else {}
    catalog = worlds.catalog(chance, users=8, **fixed)
    events, clocks = live_stream(worlds, chance, 40)
    by_clock = seed % 3 > 0
    whole, compact = Shard(catalog), Compact(engine, catalog)
    expected, made, start = [], [], 0
    while start < len(events):
        end = start + chance.choice([1, 7, 40, 300])
        block, heard = events[start:end], clocks[start:end] if by_clock else None
        expected += whole.publish(block, clocks=heard)
        made += compact.publish(block, heard)
        start = end
        if chance.random() < 0.15:
            compact.restart()
        if chance.random() < 0.15:
            catalog = catalog.copy()
            catalog.put(worlds.policy(chance, f"user{chance.randrange(8)}"))
            expected += whole.update(catalog)
            made += compact.update(catalog)
        if by_clock and chance.random() < 0.1:
            tick = max(clocks[:end]) + timedelta(minutes=chance.choice([0, 2, 20]))
            expected += whole.advance(tick)
            made += compact.advance(tick)
    expected += whole.close()
    made += compact.close()
    assert sorted(made, key=lambda one: one.order) == sorted(expected, key=lambda one: one.order)


def test_of_a_live_stream_most_moments_are_left_out(worlds):
    left = total = 0
    for seed in range(12):
        chance = random.Random(seed)
        catalog = worlds.catalog(chance, users=3)
        events, clocks = live_stream(worlds, chance, 30)
        compact = Compact(Shard, catalog)
        for start in range(0, len(events), 50):
            compact.publish(events[start : start + 50], sorted(clocks)[start : start + 50])
        left, total = left + compact.left, total + len(events)
    assert left > total / 4

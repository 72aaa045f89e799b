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
        places = moments.select(block[0].seq, times, np.unique(event))
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
    assert moments.select(1, minutes, np.array([10])).tolist() == [10, 60, 110, 999]
    # The window of event 990 ends in the next block, and so does its hour, which begins at 960.
    assert moments.select(1_001, minutes + 60_000_000_000, np.array([990])).tolist() == [990, 999]
    assert moments.select(2_001, minutes + 120_000_000_000, np.array([], np.int64)).tolist() == [40, 90, 999]


def test_with_many_lengths_every_event_is_relevant():
    policies = [Policy(f"u{number}", mode=Mode.SLIDING, k=1, length=Length(number + 2)) for number in range(40)]
    assert len(policies) > MANY_LENGTHS
    assert len(RelevantMoments(policies).select(1, np.arange(50), np.array([3]))) == 50

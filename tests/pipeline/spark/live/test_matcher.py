"""Events are matched once, and each shard gets the matches of its users, whatever the ranges (architecture: The live pipeline)."""

import random
import shutil
import subprocess
import sys
from datetime import timedelta
from itertools import pairwise

import numpy as np
import pytest

from rankcast.choose.positions import microseconds
from rankcast.engine.index.draft import Draft
from rankcast.engine.isolation import MatcherByUser
from rankcast.engine.reference.shard import shard_of
from rankcast.language import parse
from rankcast.matching import OracleMatcher
from rankcast.matching.outcomes import NO_CONCEPTS
from rankcast.model import Subscription
from rankcast.overlay import Admission
from rankcast.pipeline.spark.live.catalogs import MovingCatalog
from rankcast.pipeline.spark.live.intake import GRACE, Intake
from rankcast.pipeline.spark.live.mapped import MappedSubscriptions, write
from rankcast.pipeline.spark.live.matched import (
    apart,
    decode_host_range,
    decode_range,
    encode_host_range,
    encode_range,
    joined,
    of_versions,
    range_of,
)
from rankcast.pipeline.spark.live.matcher import EventMatcher, LogMatcher
from rankcast.pipeline.spark.live.matchers import subscriptions_of
from rankcast.pipeline.spark.live.whole import SubscriptionObjects, WholeCatalog
from rankcast.store import Store

SHARDS = 3


@pytest.fixture
def store(tmp_path, world):
    """A log with changes of the catalog in between."""
    with Store.create(tmp_path / "s.db") as store:
        store.change(put=list(world.records()))
        changes = list(world.changes(store))
        store.change(*changes.pop())
        for first in range(0, 100, 20):
            store.publish(world.events(20, first=first, advertised=True))
            if changes:
                store.change(*changes.pop(0))
        yield store


def number_of(user):
    return shard_of(user, SHARDS)


@pytest.fixture(params=[SubscriptionObjects, MappedSubscriptions])
def form(request):
    """Subscriptions as objects, or as a file and the changes since."""
    return request.param


@pytest.fixture
def matcher(form, tmp_path):
    """Makes a matcher of a store."""

    def of(store):
        subscriptions = (
            SubscriptionObjects(MovingCatalog(store))
            if form is SubscriptionObjects
            else MappedSubscriptions(store, str(tmp_path / "s.db"), tmp_path, write)
        )
        return LogMatcher(store, EventMatcher(WholeCatalog(subscriptions, number_of), SHARDS, number_of))

    return of


def right(store):
    """By shard and seq, what the oracle finds, and the admission chooses, in the version of each event."""
    found = [{} for _ in range(SHARDS)]
    for logged in store.events():
        catalog = store.catalog(logged.catalog_version)
        matches = list(OracleMatcher.of(catalog, list(catalog.subscriptions.values())).match(logged.event))
        for one, degree in Admission(catalog).admitted(logged.event, matches):
            found[number_of(one.user)].setdefault(logged.offset, set()).add((one.id, degree))
    return found


def given(ranges):
    """By seq, the matches in ranges for one shard; only events that match are sent."""
    found = {}
    for one in ranges:
        for events in of_versions(decode_range(encode_range(one))):
            assert len(events.seq) == len(events.time) == len(events.clock)
            assert {*events.texts} == {*events.matches.event.tolist()} | {*events.failures}
            assert {*events.matches.subscription.tolist()} == {*range(len(events.matches.names))}
            known = events.published().known
            assert all(known[place].seq == events.seq[place] for place in known)
            rows = zip(*(column.tolist() for column in events.matches[:3]), strict=True)
            for event, number, degree in rows:
                found.setdefault(int(events.seq[event]), set()).add((events.matches.names[number], degree))
    return found


@pytest.mark.parametrize("seed", range(6))
def test_each_shard_gets_its_matches_whatever_the_ranges(store, matcher, seed, monkeypatch):
    chance = random.Random(seed)
    if seed % 2:
        monkeypatch.setattr("rankcast.pipeline.spark.live.whole.FEW_PAIRS", 300)  # the index takes over on the way
    monkeypatch.setattr(
        "rankcast.engine.event_texts.reading.FEW_EVENTS", chance.choice([0, 40, 2_000])
    )  # and the scanner
    monkeypatch.setattr("rankcast.pipeline.spark.live.matcher._CHUNK", 9)
    monkeypatch.setattr("rankcast.pipeline.spark.live.mapped._MOST_CHANGED", chance.choice([0.1, 1.0, 5.0]))
    one, at, taken = matcher(store), 0, {}
    while at < 100:
        end = min(100, at + chance.randint(1, 30))
        for _ in range(chance.choice([1, 1, 2])):  # tried again
            taken[at] = one.ranges(at, end)
        if chance.random() < 0.3:  # an earlier one again, with earlier versions
            before = chance.choice(list(taken))
            again = one.ranges(before, taken[before][0].end)
            assert [given([part]) for part in again] == [given([part]) for part in taken[before]]
            assert [(part.seq, part.found, part.rows) for part in again] == [
                (part.seq, part.found, part.rows) for part in taken[before]
            ]
        at = end
        if chance.random() < 0.2:
            one = matcher(store)
        turns = iter([True] * chance.randrange(4))
        one.look_ahead(lambda turns=turns: next(turns, False))
    wanted = right(store)
    for number in range(SHARDS):
        mine = [ranges[number] for ranges in taken.values()]
        assert given(mine) == wanted[number]
        parts = [part for one in mine for part in of_versions(one)]
        logged = list(store.events())
        assert np.concatenate([part.seq for part in parts]).tolist() == [row.offset for row in logged]
        times = [microseconds(row.event.time) for row in logged]
        assert np.concatenate([part.time for part in parts]).tolist() == times
        clocks = [microseconds(row.logged) - GRACE for row in logged]
        assert np.concatenate([part.clock for part in parts]).tolist() == clocks
        assert [part.version for part in parts for _ in part.seq] == [row.catalog_version for row in logged]


@pytest.mark.parametrize("step", [1, 2, SHARDS])
def test_the_shards_of_a_process_get_together_what_each_gets(store, matcher, step):
    one = matcher(store)
    for after, up_to in [(0, 37), (37, 38), (38, 100)]:
        ranges = one.ranges(after, up_to)
        for first in range(step):
            own = {number: ranges[number] for number in range(first, SHARDS, step)}
            blob = encode_host_range(own)
            again, known = apart(decode_host_range(blob))
            assert again == own
            needed = {}
            for part in own.values():
                for events in of_versions(part):
                    published = events.published().known
                    assert events.published(known).known == published
                    needed |= {event.seq: event for event in published.values()}
            assert known == needed
            assert all(
                blob.count(text.encode()) == 1 for text in {text for part in own.values() for text in part.texts}
            )


def test_an_event_that_fails_is_matched_user_by_user_and_the_others_together(store, matcher, form, monkeypatch):
    asked, match_batch = [], form.match_batch

    def fail(self, events):
        if any(event.id == "e00011" for event in events):
            raise OverflowError("too large")
        return match_batch(self, events)

    def by_user(self, event, users):
        asked.append(event.id)
        found, failed = match(self, event, [user for user in users if user != "user4"])
        return found, {**failed, "user4": "OverflowError: too large"}

    match = MatcherByUser.match
    monkeypatch.setattr(form, "match_batch", fail)
    monkeypatch.setattr(MatcherByUser, "match", by_user)
    parts = matcher(store).ranges(0, 20)
    assert asked == ["e00011"]
    wanted = [{seq: of for seq, of in found.items() if seq <= 20} for found in right(store)]
    mine = wanted[number_of("user4")]
    mine[12] = {pair for pair in mine.get(12, ()) if pair[0] not in ("s4", "t4")}
    assert [given([part]) for part in parts] == [{seq: of for seq, of in one.items() if of} for one in wanted]
    for number, part in enumerate(parts):
        expected = [(11, "user4", "OverflowError: too large")] if number == number_of("user4") else []
        assert part.failures == expected


def test_the_journal_keeps_what_was_taken(store, matcher):
    (events, *_), *_ = ([*of_versions(part)] for part in matcher(store).ranges(0, 100))
    (again,) = of_versions(decode_range(encode_range(range_of(events))))
    assert again.version == events.version
    assert again.texts == events.texts
    assert again.seq.tolist() == events.seq.tolist()
    assert given([range_of(again)]) == given([range_of(events)])
    both = joined([events, events.without(events.seq < 8)])
    assert len(both.seq) == 2 * len(events.seq) - 7
    assert both.published()[len(events.seq) + 3] == both.published()[10]


@pytest.mark.parametrize("seed", range(3))
def test_late_events_are_left_out_alike_whatever_the_ranges(tmp_path, world, matcher, seed):
    chance = random.Random(seed)
    published = sorted(world.events(60), key=lambda event: event.time + timedelta(minutes=chance.uniform(0, 9)))
    outcomes = set()
    with Store.create(tmp_path / "s.db") as store:
        store.change(put=list(world.records()))
        store.publish(published)
        for _ in range(4):
            cuts = sorted({0, 60, *chance.sample(range(60), 5)})
            intakes = [Intake(4 * 60 * 10**6) for _ in range(SHARDS)]
            seqs, rejects = [[] for _ in intakes], []
            for after, up_to in pairwise(cuts):
                for number, part in enumerate(matcher(store).ranges(after, up_to)):
                    taken = intakes[number].take_log([part], str if number == 0 else None)
                    seqs[number] += [seq for events in taken.matched for seq in events.seq.tolist()]
                    rejects += taken.rejects
            assert seqs[0] == seqs[1] == seqs[2]
            assert len(seqs[0]) + len(rejects) == 60
            outcomes.add((tuple(seqs[0]), tuple(reject.reason for _, reject in rejects)))
    assert len(outcomes) == 1
    assert rejects


def test_a_file_is_written_once_and_changes_are_an_overlay(store, tmp_path, monkeypatch):
    written, place = [], str(tmp_path / "s.db")
    monkeypatch.setattr("rankcast.pipeline.spark.live.mapped._MOST_CHANGED", 5.0)

    def noted(url, path, version):
        written.append(version)
        write(url, path, version)

    newest = store.version()
    for versions, files in [([1, 2, newest], [1]), ([newest, 2, 3], []), ([0], [0]), ([newest], [newest])]:
        written.clear()
        one = MappedSubscriptions(store, place, tmp_path, noted)
        for version in versions:
            one.move(version)
            wanted = store.catalog(version).subscriptions
            assert {name for name in wanted if one.slot(name) is not None} == {*wanted}
            assert sorted(each.id for each in one._index.subscriptions()) == sorted(wanted)
        assert written == files


def test_the_file_of_another_history_is_not_used(tmp_path, world):
    place = tmp_path / "s.db"
    with Store.create(place) as store:
        store.change(put=list(world.records()))
    older = tmp_path / "older.db"
    shutil.copy(place, older)
    with Store.open(place) as store:
        store.change(put=[Subscription("mine", "user1", parse("x = 1"))])
        first = MappedSubscriptions(store, str(place), tmp_path, write)
        first.move(store.version())
        assert "mine" in first._index
    with Store.open(older) as store:
        store.change(put=[Subscription("other", "user1", parse("x = 1"))])
        second = MappedSubscriptions(
            store, str(place), tmp_path, lambda url, path, version: write(str(older), path, version)
        )
        second.move(store.version())
        assert "other" in second._index
        assert "mine" not in second._index


def test_another_process_writes_the_file(store, tmp_path):
    one = MappedSubscriptions(store, str(tmp_path / "s.db"), tmp_path)
    one.move(store.version())
    assert len(one._index) == len(store.catalog().subscriptions)


def test_if_a_subscription_cannot_be_compiled_all_users_are_matched_one_by_one(store, tmp_path, monkeypatch):
    draft = Draft.add

    def fail(self, where, meaning=NO_CONCEPTS):
        if where == store.catalog().subscriptions["s4"].where:
            raise OverflowError("too large")
        return draft(self, where, meaning)

    monkeypatch.setattr(Draft, "add", fail)
    subscriptions = MappedSubscriptions(store, str(tmp_path / "s.db"), tmp_path, write)
    one = LogMatcher(store, EventMatcher(WholeCatalog(subscriptions, number_of), SHARDS, number_of))
    assert [given([part]) for part in one.ranges(0, 100)] == right(store)


def test_only_a_large_catalog_is_a_file(store, monkeypatch, tmp_path):
    count = len(list(store.catalog().records()))
    for least, expected in ((count, MappedSubscriptions), (count + 1, SubscriptionObjects)):
        monkeypatch.setattr("rankcast.pipeline.spark.live.matchers.MAPPED_FROM", least)
        assert type(subscriptions_of(store, str(tmp_path / "s.db"))) is expected


def test_a_process_starts_without_what_only_some_need():
    """Each takes a process a quarter of a second and more, and tens of megabytes."""
    found = subprocess.run(
        [sys.executable, "-c", "import sys, rankcast.pipeline.spark.live.host; print(*sys.modules)"],
        capture_output=True,
        text=True,
        check=True,
    )
    assert not {"numba", "pandas", "pyspark"} & set(found.stdout.split())

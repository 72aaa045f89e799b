"""A world for pipelines: users of every delivery mode, events, changes of the catalog in between, and what is right."""

import random
from datetime import UTC, datetime, timedelta
from types import SimpleNamespace

import msgspec
import pyarrow as pa
import pytest

from rankcast.engine.reference.shard import Shard
from rankcast.errors import StoreError
from rankcast.language import parse
from rankcast.model import (
    Advertisement,
    Always,
    Event,
    Filter,
    FilterKind,
    Length,
    Mode,
    Policy,
    ScorePart,
    ScorerName,
    Scoring,
    Subscription,
    Unit,
)
from rankcast.pipeline.spark.blobs import MARK, MATCHED
from rankcast.pipeline.spark.live.frames import table_of
from rankcast.pipeline.spark.live.host import Host
from rankcast.pipeline.spark.live.hosts import taken_frames
from rankcast.pipeline.spark.live.marks import Mark, decode_mark, encode_mark
from rankcast.pipeline.spark.live.matched import decode_host_range
from rankcast.pipeline.spark.live.matchers import Matchers
from rankcast.pipeline.spark.live.reports import decode_report
from rankcast.pipeline.spark.live.requests import Frame, HostSettings, MatchRequest, Request
from rankcast.pipeline.spark.sinks import MicroBatchResult, StoreSink, write_part

START = datetime(2026, 1, 1, tzinfo=UTC)
MINUTES = timedelta(minutes=9)
POLICIES = [
    {"mode": Mode.ALL},
    {"mode": Mode.PERIODIC, "k": 2, "length": Length(7)},
    {"mode": Mode.PERIODIC, "k": 2, "length": Length(MINUTES, Unit.TIME), "sigma": 0.5},
    {"mode": Mode.PERIODIC, "k": 1, "length": Length(3, Unit.MATCHED)},
    {"mode": Mode.SLIDING, "k": 2, "length": Length(5), "sigma": 0.5},
    {"mode": Mode.SLIDING, "k": 1, "length": Length(3, Unit.MATCHED)},
    {"mode": Mode.HISTORY, "k": 2, "length": Length(6)},
    {"mode": Mode.HISTORY, "k": 2, "length": Length(2 * MINUTES, Unit.TIME), "sigma": 0.4},
    {"mode": Mode.ALL, "filter": Filter(FilterKind.THRESHOLD, 0.5, 6)},
    {
        "mode": Mode.SLIDING,
        "k": 2,
        "length": Length(8),
        "filter": Filter(FilterKind.SAMPLING, 0.6, 5, Scoring.INTERVAL),
    },
    {"mode": Mode.SLIDING, "k": 2, "length": Length(6), "score": {ScorePart.PREFERENCE: 0.6, ScorePart.NOVELTY: 0.4}},
]


def user(number):
    return f"user{number}"


def records(users=11):
    for number in range(users):
        yield Subscription(f"s{number}", user(number), parse(f"x > {number % 4}"), 0.5)
        yield Subscription(f"t{number}", user(number), parse(f"x = 5 and y = {number % 3}"), 0.9)
        yield Policy(user(number), **POLICIES[number % len(POLICIES)])


def events(count, seed=3, first=0, advertised=False):
    chance = random.Random(seed)
    made = []
    for number in range(first + count):
        attributes = {"x": (chance.randint(0, 6),), "y": (number % 3,), "z": (chance.choice("abc"),)}
        advertisement = "a1" if advertised and number % 5 == 0 else None
        made.append(Event(f"e{number:05d}", START + timedelta(minutes=number), attributes, advertisement=advertisement))
    return made[first:]


def changes(store):
    """A change of the catalog: a policy, a new user, a subscription that goes, one that changes."""
    yield [Policy(user(1), mode=Mode.PERIODIC, k=1, length=Length(3))], []
    yield (
        [
            Subscription("new", "newcomer", parse("x < 4"), 0.7),
            Policy("newcomer", mode=Mode.SLIDING, k=1, length=Length(4)),
        ],
        [],
    )
    yield [Subscription("t2", user(2), parse("x = 4"), 0.3)], []
    yield [], [store.catalog().subscriptions["t4"]]
    yield [Advertisement("a1", "shop", Always(), k=3, score=ScorerName.PREFERENCE)], []


def expected(store, close=True):
    """What a store must deliver of its log: one shard that sees all, version by version."""
    shard, version, deliveries = None, None, []
    for logged in store.events():
        if logged.catalog_version != version:
            version = logged.catalog_version
            if shard is None:
                shard = Shard(store.catalog(version))
            else:
                deliveries += shard.update(store.catalog(version))
        deliveries += shard.publish([logged.event])
    if close:
        deliveries += shard.close()
    return sorted(deliveries, key=lambda delivery: delivery.order)


def delivered(store):
    return sorted((one for _, one in store.deliveries()), key=lambda delivery: delivery.order)


class Pipeline:
    """What Spark does for a pipeline: keeps the state of each shard, and tries again."""

    def __init__(self, store, place, shards=2, lateness=None, is_log=True, journal=20, max_ahead=None):
        self.url, self.shards = str(place), shards
        self.settings = HostSettings("run", "cp", shards, self.url, is_log, True, lateness, journal, max_ahead)
        self.host, self.matching, self.sink = Host(), Matchers(), StoreSink(self.url)
        self.state = {number: ("", b"", {}, {}) for number in range(shards)}
        store.claim("p", "cp", shards)
        self.at, self.batch = store.progress().offset, 0
        self.reports = []
        self.chance = random.Random(shards)

    def serve(self, given):
        """A micro-batch; the deliveries of all shards."""
        tables, reports, receipts = [], [], []
        marks = [decode_mark(frame.blob) for frame in given if self.settings.is_log]
        asks = self.settings.is_log and self.chance.random() < 0.5  # the host asks, or Spark brings the matches
        matched = [] if asks else [self.matched(mark.start, mark.end) for mark in marks]
        settings = msgspec.structs.replace(self.settings, asks_for_matches=asks)
        processes = self.chance.randint(1, self.shards)
        for number in range(self.shards):
            frames = [*given, *(frame for by_shard in matched for frame in by_shard[number])]
            token, head, pages, journal = self.state[number]
            if not self.settings.is_log:
                self.chance.shuffle(frames)  # as Spark does
                frames = taken_frames(self.settings, number, frames, head, b"", self.take)
            self.host._ask = self.ask
            answer = self.host.answer(Request(settings, number, token, frames, processes=processes))
            if answer.needs_saved:
                saved = (head, pages, journal)
                answer = self.host.answer(Request(settings, number, token, frames, saved, processes=processes))
            if answer.error:
                raise StoreError(answer.error[1])
            kept = {**journal, **answer.journal}
            for generation in answer.gone:
                del kept[generation]
            self.state[number] = (answer.token, answer.head, {**pages, **answer.pages}, kept)
            tables.append(table_of(answer.deliveries))
            reports.append(decode_report(answer.report))
            receipts += filter(None, write_part(answer.deliveries, answer.report, [self.sink], 0))
        made = MicroBatchResult(self.batch, pa.concat_tables(tables), reports)
        self.sink.publish(made, receipts)
        self.batch += 1
        self.reports.append(reports)
        return made

    def ask(self, request):
        if self.chance.random() < 0.2:
            self.matching = Matchers()
        answer = self.matching.match(request)
        if answer.error:
            raise StoreError(answer.error[1])
        if self.chance.random() < 0.5:
            self.matching.look_ahead(request)
        (together,) = answer.ranges
        return decode_host_range(together)

    def take(self, request):
        if self.chance.random() < 0.2:
            self.matching = Matchers()  # another process, or the same after a restart
        answer = self.matching.take(request)
        if answer.error:
            raise StoreError(answer.error[1])
        return answer

    def serve_log(self, up_to, close=False):
        made = self.serve([Frame(MARK, encode_mark(Mark("p", self.at, up_to, close)))])
        self.at = up_to
        return made

    def matched(self, after, up_to):
        """What each shard gets of the log, in ranges of any size, matched by any process, ahead or not."""
        ranges, matching = [], Matchers()
        while after < up_to:
            end = min(up_to, after + self.chance.choice([1, 7, 100]))
            request = MatchRequest("run", self.url, self.shards, after, end, looks_ahead=True)
            answer = matching.match(request)
            if answer.error:
                raise StoreError(answer.error[1])
            ranges.append(answer.ranges)
            after = end
            if self.chance.random() < 0.5:
                matching.look_ahead(request)
        self.chance.shuffle(ranges)
        return [[Frame(MATCHED, one[number]) for one in ranges] for number in range(self.shards)]


@pytest.fixture(scope="session")
def world():
    """The functions above."""
    return SimpleNamespace(
        start=START,
        records=records,
        events=events,
        changes=changes,
        expected=expected,
        delivered=delivered,
        Pipeline=Pipeline,
    )

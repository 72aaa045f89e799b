"""The processor time of a live pipeline by its number of shards, without Spark.

    python benchmarks/pipeline_shards.py                       one match per event
    python benchmarks/pipeline_shards.py --matches 110         dense
    python benchmarks/pipeline_shards.py --topic               events as from a topic, not from the store's log

One process matches the micro-batches of a store's log and serves all shards, one after the other. What Spark adds for
each shard (its keys, its state store) is not part of it.
"""

import argparse
import gc
import random
import tempfile
import time
from datetime import UTC, datetime, timedelta
from pathlib import Path

import msgspec
import pyarrow as pa
from pipeline_world import say

from rankcast.language import dumps, encode_event, parse
from rankcast.model import Event, Length, Mode, Policy, Record, Subscription
from rankcast.pipeline.spark.blobs import EVENTS, MARK
from rankcast.pipeline.spark.live.frames import stream_of
from rankcast.pipeline.spark.live.host import Host
from rankcast.pipeline.spark.live.hosts import taken_frames
from rankcast.pipeline.spark.live.marks import Mark, encode_mark
from rankcast.pipeline.spark.live.matched import HostRange, decode_host_range
from rankcast.pipeline.spark.live.matchers import Matchers
from rankcast.pipeline.spark.live.requests import Frame, HostSettings, MatchRequest, Request
from rankcast.pipeline.spark.workers import JSON
from rankcast.store import Store

START = datetime(2026, 1, 1, tzinfo=UTC)


def main() -> None:
    """Measure each number of shards."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--shards", type=int, nargs="+", default=[2, 8, 32])
    parser.add_argument("--users", type=int, default=10_000)
    parser.add_argument("--matches", type=int, default=1, help="matches per event")
    parser.add_argument("--events", type=int, default=20_000)
    parser.add_argument("--batch", type=int, default=5_000)
    parser.add_argument("--topic", action="store_true")
    asked = parser.parse_args()
    gc.disable()  # as in the processes that hold shards, which collect between micro-batches
    with tempfile.TemporaryDirectory() as folder:
        for shards in asked.shards:
            place = Path(folder) / f"{shards}.db"
            published = events(asked.users // asked.matches, asked.events)
            with Store.create(place) as store:
                store.change(put=records(asked.users, asked.matches))
                if not asked.topic:
                    store.publish(published)
                store.claim("p", "cp", shards)
            measure(place, shards, asked.events, asked.batch, published if asked.topic else None)


def records(users: int, matches: int) -> "list[Record]":
    """A subscription for each user; an event matches as many users as asked for."""
    made: list[Record] = []
    for number in range(users):
        made.append(
            Subscription(f"s{number}", f"user{number}", parse(f"topic = {number // matches} and size > 0"), 0.5)
        )
        made.append(Policy(f"user{number}", mode=Mode.SLIDING, k=5, length=Length(1_000)))
    return made


def events(topics: int, count: int) -> "list[Event]":
    """Events of ten attributes."""
    chance = random.Random(1)
    return [
        Event(
            f"event-{number}",
            START + timedelta(seconds=number),
            {"topic": (chance.randrange(topics),), "size": (1,)}
            | {f"attribute{each}": (chance.randrange(1000),) for each in range(8)},
        )
        for number in range(count)
    ]


def measure(place: Path, shards: int, count: int, batch: int, arriving: "list[Event] | None") -> None:
    """Serve the log, or events of a topic; the first micro-batch, which loads kernels and makes shards, is not counted."""
    is_log = arriving is None
    settings = HostSettings("run", "cp", shards, str(place), is_log, True, None, 100_000, asks_for_matches=is_log)
    matcher, clock = Matchers(), time.process_time
    asked = 0.0

    def ask(request: MatchRequest) -> HostRange:
        nonlocal asked
        began = clock()
        answer = matcher.match(msgspec.structs.replace(request, looks_ahead=False))
        asked += clock() - began
        assert answer.error is None, answer.error
        return decode_host_range(answer.ranges[0])

    host = Host(ask)
    states = [("", b"") for _ in range(shards)]
    matching = serving = 0.0
    for after in range(0, count, batch):
        mark = Frame(MARK, encode_mark(Mark("p", after, after + batch) if is_log else Mark("p", -1, 1)))
        given = [mark] if is_log else [mark, packed(arriving[after : after + batch])]
        gc.collect()
        began, asked = clock(), 0.0
        frames = [given] * shards
        if not is_log:
            frames = [
                taken_frames(settings, number, given, head, b"", matcher.take)
                for number, (_, head) in enumerate(states)
            ]
            asked = clock() - began
        for number, (token, head) in enumerate(states):
            answer = host.answer(Request(settings, number, token, frames[number], None if token else (head, {}, {})))
            assert answer.error is None, answer.error
            assert not answer.needs_saved
            states[number] = (answer.token, answer.head)
        if after:
            matching += asked
            serving += clock() - began - asked
    counted = count - batch
    say(
        "shards",
        shards=shards,
        match_us=matching / counted * 1e6,
        serve_us=serving / counted * 1e6,
        total_us=(matching + serving) / counted * 1e6,
    )


def packed(arriving: "list[Event]") -> Frame:
    """Events as Spark brings them from a topic."""
    lines = pa.array([dumps(encode_event(event)) for event in arriving], pa.binary())
    return Frame(EVENTS, stream_of(pa.table({JSON: lines})))


if __name__ == "__main__":
    main()

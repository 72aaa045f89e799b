"""Measures the constants of docs/scale.md, and computes its table from them.

    python benchmarks/pipeline_scale.py

One process matches the micro-batches of a store's log and serves all shards, without Spark. Times are processor time.
The first micro-batches, which load kernels and make shards, are not counted.
"""

import argparse
import gc
import multiprocessing
import os
import tempfile
import time
from dataclasses import dataclass
from math import ceil
from pathlib import Path
from typing import Any

from pipeline_world import World, say

from rankcast.pipeline.spark.blobs import MARK, MATCHED
from rankcast.pipeline.spark.live.host import Host
from rankcast.pipeline.spark.live.marks import Mark, encode_mark
from rankcast.pipeline.spark.live.matchers import Matchers
from rankcast.pipeline.spark.live.reports import decode_report
from rankcast.pipeline.spark.live.requests import Frame, HostSettings, MatchRequest, Request
from rankcast.store import Store

EACH = 10
"""Subscriptions per user."""

SIZES = [(1_000_000, 1_000), (10_000_000, 10_000), (100_000_000, 100_000)]
"""Users and events per second of the table."""


@dataclass(frozen=True)
class Constants:
    """What was measured. Times are in microseconds."""

    match_event: float
    match_pair: float
    serve_event: float
    serve_pair: float
    event_bytes: float
    event_and_shard_bytes: float
    pair_bytes: float
    matcher_bytes: float
    shard_bytes: float
    index_bytes: float
    state_bytes: float


def main() -> None:
    """Measure, and print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--users", type=int, default=10_000)
    parser.add_argument("--events", type=int, default=40_000)
    parser.add_argument("--batch", type=int, default=10_000)
    asked = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        sparse, many, dense = (
            run(Path(folder), asked.users, asked.events, asked.batch, wanted, shards)
            for wanted, shards in ((0.01, 2), (0.01, 32), (1.0, 2))
        )
    pairs = dense["pairs"] - sparse["pairs"]
    constants = Constants(
        match_event=sparse["match"],
        match_pair=(dense["match"] - sparse["match"]) / pairs,
        serve_event=(many["serve"] - sparse["serve"]) / 30,
        serve_pair=(dense["serve"] - sparse["serve"]) / pairs,
        event_bytes=dense["text"],
        event_and_shard_bytes=many["sent"] / 32,
        pair_bytes=(dense["sent"] - sparse["sent"] - dense["text"] * dense["concerned"]) / pairs,
        matcher_bytes=dense["matcher"],
        shard_bytes=dense["shards"],
        index_bytes=in_child(index_bytes, asked.users),
        state_bytes=dense["state"],
    )
    say("constants", **vars(constants))
    for users, events in SIZES:
        print("|", " | ".join(row(constants, users, events)), "|")


def run(folder: Path, users: int, events: int, batch: int, wanted: float, shards: int) -> dict[str, float]:
    """Measure one workload in processes of its own."""
    world = World(users, EACH, 20_000, wanted)
    place = folder / f"{wanted}-{shards}.db"
    in_child(fill, place, world, events, shards)
    found = in_child(measure, place, world, events, batch, shards)
    say("measured", wanted=wanted, num_shards=shards, **found)
    return found


def in_child(work: Any, *arguments: Any) -> Any:
    """Call a function in a new process, so that its memory is its own."""
    with multiprocessing.get_context("spawn").Pool(1) as pool:
        return pool.apply(work, arguments)


def fill(place: Path, world: World, events: int, shards: int) -> None:
    """Make a store with the catalog and the events."""
    with Store.create(place) as store:
        store.change(put=list(world.records()))
        for first in range(0, events, 10_000):
            store.publish(world.events(first, 10_000))
        store.claim("p", "cp", shards)


def measure(place: Path, world: World, events: int, batch: int, shards: int) -> dict[str, float]:
    """Times, sizes and memory per event, match, subscription and user."""
    gc.disable()
    host, matchers, clock = Host(), Matchers(), time.process_time
    settings = HostSettings("run", "cp", shards, str(place), True, True, None, 100_000)
    tokens = [""] * shards
    spent = dict.fromkeys(("match", "serve", "sent", "pairs", "concerned", "text"), 0.0)
    counted, memory = 0, [resident()]
    for after in range(0, events, batch):
        began = clock()
        matched = matchers.match(MatchRequest("run", str(place), shards, after, after + batch, looks_ahead=False))
        assert matched.error is None, matched.error
        between = clock()
        memory.append(resident())
        started = clock()
        mark, reports = Frame(MARK, encode_mark(Mark("p", after, after + batch))), []
        for number, part in enumerate(matched.ranges):
            frames = [mark, Frame(MATCHED, part)]
            saved = None if tokens[number] else (b"", {}, {})
            answer = host.answer(Request(settings, number, tokens[number], frames, saved))
            assert answer.error is None, answer.error
            tokens[number] = answer.token
            reports.append(decode_report(answer.report))
        ended = clock()
        memory.append(resident())
        gc.collect()
        if after:
            counted += batch
            spent["match"] += (between - began) * 1e6
            spent["serve"] += (ended - started) * 1e6
            spent["sent"] += sum(map(len, matched.ranges))
            spent["pairs"] += sum(report.matches for report in reports)
            ranges = [decoded(part) for part in matched.ranges]
            spent["concerned"] += sum(len(texts) for texts in ranges)
            spent["text"] += sum(len(text) for texts in ranges for text in texts)
    found = {name: value / counted for name, value in spent.items()}
    found["text"] = spent["text"] / max(spent["concerned"], 1)
    subscriptions = world.users * world.each
    found["matcher"] = (memory[1] - memory[0]) / subscriptions
    found["shards"] = (memory[2] - memory[1]) / subscriptions
    found["state"] = sum(report.state_bytes for report in reports) / world.users
    return found


def decoded(part: bytes) -> list[str]:
    """The texts of the events in a shard's part of a range."""
    from rankcast.pipeline.spark.live.matched import decode_range

    return decode_range(part).texts


def index_bytes(users: int) -> float:
    """The bytes per subscription of the index file of batch jobs."""
    from rankcast.model import Catalog
    from rankcast.pipeline.spark.matching_workers import ShippedIndex

    shipped = ShippedIndex.of_catalog(Catalog(list(World(users, EACH).records())))
    return len(shipped.content) / (users * EACH)


def resident() -> int:
    """The memory of this process, in bytes."""
    gc.collect()
    return int(Path("/proc/self/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE")


def row(of: Constants, users: int, events: int, matches: int = 100) -> list[str]:
    """What a number of users and events per second needs, with so many matches per event."""
    subscriptions = users * EACH
    matching = events * (of.match_event + matches * of.match_pair) / 1e6
    shards = 64 * ceil(2 * events * matches * of.serve_pair / 1e6 / 64)  # two for each core that serves
    serving = events * (shards * of.serve_event + matches * of.serve_pair) / 1e6
    concerned = min(shards, matches)
    network = events * (shards * of.event_and_shard_bytes + concerned * of.event_bytes + matches * of.pair_bytes)
    return [
        f"{users / 1e6:,.0f} M",
        f"{subscriptions / 1e6:,.0f} M",
        f"{events:,}",
        f"{shards:,}",
        f"{matching:,.1f}",
        f"{serving:,.1f}",
        f"{network / 1e6:,.0f} MB/s",
        f"{subscriptions * of.matcher_bytes / 1e9:,.0f} GB",
        f"{subscriptions * of.index_bytes / 1e9:,.1f} GB",
        f"{subscriptions * of.shard_bytes / 1e9:,.0f} GB",
        f"{users * of.state_bytes / 1e9:,.1f} GB",
    ]


if __name__ == "__main__":
    main()

"""A live shard without Spark, to see where its time goes; `pipeline.py shard` runs it."""

import gc
import time

import numpy as np
from pipeline_world import World, say

from rankcast.language import dumps, encode_event
from rankcast.model import Catalog
from rankcast.pipeline.spark.live.intake import Intake
from rankcast.pipeline.spark.live.matcher import EventMatcher, LogMatcher
from rankcast.pipeline.spark.live.shard import LiveShard, SavedShard
from rankcast.pipeline.spark.live.whole import SubscriptionObjects, WholeCatalog
from rankcast.store import LogRow


class _Given:
    """A source of a fixed catalog."""

    def __init__(self, catalog: Catalog) -> None:
        self._catalog = catalog

    def at(self, version: int) -> Catalog:
        """The same at any time."""
        return self._catalog

    def whole(self, version: int) -> Catalog:
        """The same at any time."""
        return self._catalog


class _Log:
    """A log that holds the rows of one micro-batch."""

    def __init__(self) -> None:
        self.rows: list[LogRow] = []

    def log_rows(self, after: int, up_to: int) -> list[LogRow]:
        """The rows of the micro-batch."""
        return self.rows


def shard(world: World, count: int, batch: int, shards: int) -> None:
    """Run one of several live shards; times are CPU seconds."""
    clock = time.process_time
    catalogs = _Given(Catalog(list(world.records(shards))))
    began = clock()
    log = _Log()
    matcher = LogMatcher(
        log, EventMatcher(WholeCatalog(SubscriptionObjects(catalogs), lambda user: 0), 1, lambda user: 0)
    )
    matcher.ranges(0, 0)
    live_shard = LiveShard(catalogs, Intake())
    live_shard.begin(0)
    say("shard made", users=world.users, shards=shards, seconds=clock() - began)
    pages: dict[int, bytes] = {}
    journal: dict[int, bytes] = {}
    first = 1
    for size in [batch] * (count // batch) + [1] * 3:
        made = world.events(first, size)
        log.rows = [LogRow(n, 0, dumps(encode_event(event)), 0, event.id) for n, event in enumerate(made, first)]
        first += size
        found = live_shard.matches
        gc.collect(1)
        gc.freeze()
        times = [clock()]
        ranges = matcher.ranges(first - size - 1, first - 1)
        times.append(clock())
        taken = live_shard.intake.take_log(ranges)
        times.append(clock())
        deliveries = live_shard.serve(taken)
        times.append(clock())
        written = live_shard.save(taken)
        times.append(clock())
        pages |= written.pages
        journal |= written.journal
        for generation in written.gone:
            journal.pop(generation, None)
        took = np.diff(times)
        say(
            "shard",
            events=size,
            match=took[0],
            take=took[1],
            serve=took[2],
            save=took[3],
            events_per_s=size / sum(took),
            pages=len(written.pages),
            matches=live_shard.matches - found,
            deliveries=deliveries.num_rows,
            state_mb=live_shard.size / 1e6,
        )
    began = clock()
    again = LiveShard(catalogs, Intake())
    again.restore(SavedShard(written.head, pages, journal))
    say("restored", seconds=clock() - began)

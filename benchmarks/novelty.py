"""Novelty filters in the shard against plain matching there, as ratios in one run.

    .venv/bin/python benchmarks/novelty.py [--events 1000000] [--users 1000] [--topics 1000]

Each user has ten subscriptions to topics drawn from a Zipf distribution. The same batches go through a shard that
delivers every match (plain publish/subscribe), and through a shard in which every user has a filter. Both include
matching, ranking, and deliveries as columns. The goal is at most twice the time of the former. For comparison, the
index alone is timed, too; it only returns pairs of numbers. Times are CPU times. The plain Python filter is timed on
a part of the stream, to show the gain from arrays.
"""

import argparse
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from itertools import islice
from time import process_time

import numpy as np
from rich.console import Console
from rich.table import Table

from rankcast.engine.arrays import BatchShard
from rankcast.engine.index import IndexMatcher
from rankcast.engine.reference.shard import Shard
from rankcast.model import (
    Catalog,
    Compare,
    Event,
    Filter,
    FilterKind,
    Op,
    Policy,
    Predicate,
    RateSpan,
    Scoring,
    Subscription,
    Update,
)

START = datetime(2026, 1, 1, tzinfo=UTC)
BATCH = 50_000
PER_USER = 10
GOAL = 2.0
PLAIN = "plain: all that matches"
FILTERS = {
    "threshold, lazy, rate": Filter(FilterKind.THRESHOLD, 0.2),
    "threshold, lazy, interval": Filter(FilterKind.THRESHOLD, 0.2, scoring=Scoring.INTERVAL),
    "threshold, eager, rate": Filter(FilterKind.THRESHOLD, 0.2, update=Update.EAGER),
    "threshold, eager, interval": Filter(FilterKind.THRESHOLD, 0.2, scoring=Scoring.INTERVAL, update=Update.EAGER),
    "sampling, lazy, rate": Filter(FilterKind.SAMPLING, 0.2),
    "sampling, eager, rate": Filter(FilterKind.SAMPLING, 0.2, update=Update.EAGER),
    "sampling, eager, rate, of a window": Filter(FilterKind.SAMPLING, 0.2, update=Update.EAGER, rates=RateSpan.PERIOD),
    "threshold, lazy, decay": Filter(FilterKind.THRESHOLD, 0.2, scoring=Scoring.DECAY),
    "random": Filter(FilterKind.RANDOM, 0.2),
}


def topics(count: int, events: int, seed: int) -> np.ndarray:
    """Topics drawn from a Zipf distribution."""
    weights = np.cumsum(1 / np.arange(1, count + 1) ** 0.75)
    return np.searchsorted(weights, np.random.default_rng(seed).random(events) * weights[-1])


def catalog_of(users: int, count: int) -> Catalog:
    """Users with ten different topics each."""
    chance = np.random.default_rng(7)
    catalog = Catalog()
    for user in range(users):
        for topic in chance.choice(count, PER_USER, replace=False).tolist():
            where = Predicate("topic", Compare(Op.EQ, f"t{topic}"))
            catalog.add(Subscription(f"u{user:04}-{topic}", f"u{user:04}", where))
    return catalog


def batches(drawn: np.ndarray) -> Iterator[list[Event]]:
    """The events; they are created outside the timed part."""
    for start in range(0, len(drawn), BATCH):
        yield [
            Event(f"e{number}", START + timedelta(seconds=number), {"topic": (f"t{topic}",)}, seq=number)
            for number, topic in enumerate(drawn[start : start + BATCH].tolist(), start + 1)
        ]


def index_of(subscriptions, catalog):
    """The matcher that all runs share."""
    return IndexMatcher(subscriptions)


def shards_of(catalog: Catalog, how: Filter) -> BatchShard:
    """A shard in which every user has a filter."""
    filtered = Catalog(list(catalog.records()))
    for user in catalog.users():
        filtered.add(Policy(user, filter=how))
    return BatchShard(filtered, matcher=index_of)


def main() -> None:
    """Time the runs and print the ratios."""
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--events", type=int, default=1_000_000)
    options.add_argument("--users", type=int, default=1_000)
    options.add_argument("--topics", type=int, default=1_000)
    chosen = options.parse_args()
    catalog = catalog_of(chosen.users, chosen.topics)
    drawn = topics(chosen.topics, chosen.events, 1)
    matcher = IndexMatcher(list(catalog.subscriptions.values()))
    shards = {PLAIN: BatchShard(catalog, matcher=index_of)}
    shards |= {name: shards_of(catalog, how) for name, how in FILTERS.items()}
    warm = next(batches(drawn[:2000]))
    matcher.match_batch(warm)
    for shard in shards.values():
        state = shard.state()
        shard.publish(warm)
        shard.restore(state)
    matching, matches = 0.0, 0
    names = list(shards)
    spent, sent = dict.fromkeys(names, 0.0), dict.fromkeys(names, 0)
    for events in batches(drawn):
        start = process_time()
        matches += len(matcher.match_batch(events).event)
        matching += process_time() - start
        for name, shard in shards.items():
            start = process_time()
            found = len(shard.publish_columns(events))
            spent[name] += process_time() - start
            sent[name] += found
    title = f"{chosen.events:,} events, {chosen.users:,} users, {matches:,} matches"
    table = Table(title=title, title_justify="left")
    for column in ("run", "seconds", "deliveries", "times plain", "goal", "times index"):
        table.add_column(column, justify="left" if column == "run" else "right", no_wrap=True)
    plain = spent[PLAIN]
    table.add_row("index alone", f"{matching:.2f}", "", f"{matching / plain:.2f}", "", "1.0")
    for name in names:
        ratio = spent[name] / plain
        goal = "" if name == PLAIN else "met" if ratio <= GOAL else f"missed: {GOAL:g}"
        table.add_row(
            name, f"{spent[name]:.2f}", f"{sent[name]:,}", f"{ratio:.2f}", goal, f"{spent[name] / matching:.1f}"
        )
    console = Console(width=110)
    console.print(table)
    _plain(catalog, drawn, console)


def _plain(catalog: Catalog, drawn: np.ndarray, console: Console) -> None:
    """Compare the cost of a match with the plain filter and with the array filter, for twenty users."""
    few = Catalog([record for record in catalog.records() if record.user < "u0020"])
    for user in few.users():
        few.add(Policy(user, filter=FILTERS["threshold, lazy, rate"]))
    events = list(islice((event for part in batches(drawn[:20_000]) for event in part), 20_000))
    plain, fast = Shard(few), BatchShard(few, matcher=index_of)
    times = []
    for shard in (plain, fast):
        start = process_time()
        found = shard.publish(events)
        times.append((process_time() - start, found))
    assert times[0][1] == times[1][1]
    console.print(
        f"20 users, 20,000 events, plain shard against arrays, same deliveries: {times[0][0] / times[1][0]:.0f} times"
    )


if __name__ == "__main__":
    main()

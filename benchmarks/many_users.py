"""What an event costs after matching, with many users who each get little: one row per delivery mode.

    .venv/bin/python benchmarks/many_users.py [--users 10000] [--events 20000] [--warm 20000] [--mode all]
    .venv/bin/python benchmarks/many_users.py --decode
    .venv/bin/python benchmarks/many_users.py --events 100000 --mode all --files /tmp/all
    time .venv/bin/rankcast replay --engine local --catalog /tmp/all/c.jsonl --events /tmp/all/e.jsonl --out /tmp/all/d.jsonl

Each user has three subscriptions, and an event matches about eleven of all. Events have ten attributes and come in
batches of 2,000, as in `rankcast replay`. The columns are processor time: decoding the events from JSON and matching
them, and ranking and choosing (`BatchShard.deliver`), both per event; the latter also per match; and making lines of
JSON, per delivery. `--warm` events come first. Windows are of 200 matching events, and those of 10,000 users are not
full after the default of 20,000 events; the row "full" has 300 users, whose windows are. Periods are of 10,000 events.
With `--files` nothing is measured: the catalog of one mode and the events are written, for `rankcast replay`.
"""

import argparse
import gc
import random
from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from time import process_time

from rich.console import Console
from rich.table import Table

from rankcast.engine.arrays import BatchShard
from rankcast.engine.arrays.delivery_lines import delivery_lines
from rankcast.engine.event_texts import read_texts
from rankcast.engine.index import IndexMatcher
from rankcast.language import dumps, encode_event, encode_record, parse
from rankcast.model import Catalog, Event, Filter, FilterKind, Length, Mode, Policy, Record, Select, Subscription, Unit

BATCH = 2_000
TOPICS_PER_USER = 0.12
START = datetime(2026, 1, 1, tzinfo=UTC)
MATCHED = Length(200, Unit.MATCHED)
POLICIES = {
    "all": Policy("u"),
    "sliding, sigma 1": Policy("u", mode=Mode.SLIDING, k=10, length=MATCHED),
    "periodic": Policy("u", mode=Mode.PERIODIC, k=10, length=Length(10_000)),
    "history": Policy("u", mode=Mode.HISTORY, k=10, length=MATCHED),
    "sliding, sigma 0.5": Policy("u", mode=Mode.SLIDING, k=10, length=MATCHED, sigma=0.5),
    "sliding, sigma 0.5, full": Policy("u", mode=Mode.SLIDING, k=10, length=MATCHED, sigma=0.5),
    "sliding, improved": Policy("u", mode=Mode.SLIDING, k=10, length=MATCHED, sigma=0.5, select=Select.IMPROVED),
    "sliding, calm": Policy("u", mode=Mode.SLIDING, k=10, length=MATCHED, sigma=0.5, calm=0.02),
    "periodic, sigma 0.5": Policy("u", mode=Mode.PERIODIC, k=10, length=Length(10_000), sigma=0.5),
    "history, sigma 0.5": Policy("u", mode=Mode.HISTORY, k=10, length=MATCHED, sigma=0.5),
    "threshold filter": Policy("u", filter=Filter(FilterKind.THRESHOLD, 0.2)),
}
FULL = {"sliding, sigma 0.5, full": (300, 2_000)}
"""The most users and events of a mode. The windows of so few users are full after the first events."""


def records(users: int, policy: Policy) -> Iterator[Record]:
    """The users with one policy, and three subscriptions each."""
    chance = random.Random(1)
    topics = max(1, round(users * TOPICS_PER_USER))
    for number in range(users):
        if policy != Policy("u"):
            yield replace(policy, user=f"u{number}")
        for place in range(3):
            where = parse(f"topic = {chance.randrange(topics)} and price < {chance.randint(10, 100)}")
            yield Subscription(f"s{number}-{place}", f"u{number}", where, round(chance.random(), 2))


def texts(users: int, count: int) -> Iterator[str]:
    """Events of ten attributes as lines of JSON."""
    chance = random.Random(2)
    topics = max(1, round(users * TOPICS_PER_USER))
    for number in range(count):
        attributes = {f"a{place}": (chance.randrange(8),) for place in range(6)}
        attributes |= {"topic": (chance.randrange(topics),), "price": (chance.randint(0, 100),)}
        attributes |= {"genre": (chance.choice("abcdefgh"),), "place": (chance.choice("klmnopq"),)}
        yield dumps(encode_event(Event(f"e{number}", START + timedelta(seconds=number), attributes)))


def run(policy: Policy, users: int, warm: int, count: int) -> tuple[float, ...]:
    """Microseconds per event to decode and match, and to choose; matches and deliveries; microseconds per delivery."""
    shard = BatchShard(Catalog(records(users, policy)))
    lines = [text.encode() for text in texts(users, warm + count)]
    gc.collect()
    gc.freeze()
    matching = choosing = writing = 0.0
    matched = delivered = 0
    for start in range(0, len(lines), BATCH):
        if start == warm:
            matching = choosing = writing = 0.0
            matched = delivered = 0
        begun = process_time()
        some = lines[start : start + BATCH]
        events = [one for one in read_texts(some, range(start + 1, start + len(some) + 1)) if one is not None]
        found, _ = shard._matched.of(events)
        reached = process_time()
        columns = shard.deliver(events, found)
        chosen = process_time()
        for _ in delivery_lines(columns.in_order()):
            pass
        writing += process_time() - chosen
        choosing += chosen - reached
        matching += reached - begun
        matched += len(found.event)
        delivered += len(columns)
    each = 1e6 / count
    return (
        matching * each,
        choosing * each,
        choosing * 1e6 / matched,
        matched,
        delivered,
        writing * 1e6 / max(1, delivered),
    )


def decoding(users: int, count: int) -> float:
    """Microseconds per event from the bytes of its JSON to the columns that the index reads; the least of nine rounds."""
    encoder = IndexMatcher(
        [one for one in records(users, POLICIES["all"]) if isinstance(one, Subscription)]
    ).index.encoder
    lines = [text.encode() for text in texts(users, count)]
    least = float("inf")
    for _ in range(10):
        begun = process_time()
        for start in range(0, count, BATCH):
            some = lines[start : start + BATCH]
            read = read_texts(some, range(start + 1, start + len(some) + 1))
            encoder.encode([event for event in read if event is not None])
        least = min(least, process_time() - begun)
    return 1e6 * least / count


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--users", type=int, default=10_000)
    parser.add_argument("--events", type=int, default=20_000)
    parser.add_argument("--warm", type=int, default=20_000)
    parser.add_argument("--mode", action="append", choices=list(POLICIES))
    parser.add_argument("--files", type=Path)
    parser.add_argument("--decode", action="store_true", help="only the time from the bytes of the events to columns")
    given = parser.parse_args()
    if given.decode:
        print(f"from the bytes of an event to columns: {decoding(given.users, given.events):.2f} µs")
        return
    if given.files is not None:
        given.files.mkdir(parents=True, exist_ok=True)
        catalog = (dumps(encode_record(one)) for one in records(given.users, POLICIES[given.mode[0]]))
        (given.files / "c.jsonl").write_text("\n".join(catalog) + "\n")
        (given.files / "e.jsonl").write_text("\n".join(texts(given.users, given.events)) + "\n")
        return
    table = Table(title=f"{given.users:,} users: microseconds of processor time")
    for name in ("mode", "decode + match", "choose, per event", "per match", "matches", "deliveries", "JSON, each"):
        table.add_column(name, justify="left" if name == "mode" else "right")
    for name in given.mode or POLICIES:
        users, events = map(min, (given.users, given.events), FULL.get(name, (given.users, given.events)))
        matching, choosing, each, matched, delivered, writing = run(POLICIES[name], users, given.warm, events)
        Console(stderr=True).print(f"{name}: {each:,.2f} µs per match")
        table.add_row(
            name,
            f"{matching:,.1f}",
            f"{choosing:,.1f}",
            f"{each:,.2f}",
            f"{matched:,}",
            f"{delivered:,}",
            f"{writing:,.1f}",
        )
    Console(width=110).print(table)


if __name__ == "__main__":
    main()

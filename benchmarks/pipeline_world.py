"""What the pipeline is measured with: a catalog, events, a store that has them, and a process that publishes.

Everything is made by hashes of numbers, so that two runs see the same.

    python benchmarks/pipeline_world.py STORE USERS RATE SECONDS FIRST WANTED     publish at a rate; prints how many events, from when to when
"""

import gc
import json
import shutil
import sys
import time
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from hashlib import blake2b
from pathlib import Path

import numpy as np
from sqlalchemy import select

from rankcast.language import parse
from rankcast.model import Event, Length, Mode, Policy, Record, Subscription
from rankcast.shard import shard_of
from rankcast.store import Store, schema

START = datetime(2026, 1, 1, tzinfo=UTC)
PER_USER = 10
SUBSCRIPTIONS_PER_TOPIC = 200
"""Each event is of one topic, and half of a topic's subscriptions want its level: 100 matches per event, whatever the users."""


def number_of(*parts: object) -> int:
    """A number that is the same every time."""
    return int.from_bytes(blake2b(repr(parts).encode(), digest_size=6).digest())


def topics_for(users: int) -> int:
    """How many topics there are for so many users."""
    return max(1, users * PER_USER // SUBSCRIPTIONS_PER_TOPIC)


def records(users: int, window: int, shards: int = 1) -> Iterator[Record]:
    """Users with ten subscriptions each and the top 10 of a sliding window; those of the first of some shards."""
    topics = topics_for(users)
    for user in range(users):
        if shard_of(f"u{user}", shards) != 0:
            continue
        for place in range(PER_USER):
            topic, level = number_of("topic", user, place) % topics, number_of("level", user, place) % 10
            where = parse(f"topic = 't{topic}' and level >= {level}")
            yield Subscription(
                f"s{user}.{place}", f"u{user}", where, score=(number_of("score", user, place) % 100) / 100
            )
        yield Policy(f"u{user}", mode=Mode.SLIDING, k=10, length=Length(window))


def events(first: int, count: int, users: int, wanted: float = 1.0) -> list[Event]:
    """Events of one topic and a level each; of a share of them somebody asks for the topic."""
    topics = round(topics_for(users) / wanted)
    return [
        Event(
            f"e{n}",
            START + timedelta(milliseconds=n),
            {
                "topic": (f"t{number_of('event', n) % topics}",),
                "level": (number_of("at", n) % 10,),
                "title": (f"title {n}",),
            },
        )
        for n in range(first, first + count)
    ]


def store_for(folder: Path, users: int, window: int) -> Path:
    """A store with the catalog; kept for the next run if the folder is."""
    place = folder / f"pipeline-{users}-{window}.db"
    if not place.exists():
        unfinished = place.with_suffix(".part")
        unfinished.unlink(missing_ok=True)
        began = time.perf_counter()
        with Store.create(unfinished) as store:
            chunk: list[Record] = []
            for record in records(users, window):
                chunk.append(record)
                if len(chunk) >= 50_000:
                    store.change(put=chunk)
                    chunk = []
            store.change(put=chunk)
            store.publish(events(0, 1, users))
        for extra in ("-wal", "-shm"):
            Path(f"{unfinished}{extra}").unlink(missing_ok=True)
        unfinished.rename(place)
        say("catalog", users=users, seconds=time.perf_counter() - began)
    return place


def say(what: str, **figures: float | int | str) -> None:
    """One line of figures."""
    shown = {name: round(value, 3) if isinstance(value, float) else value for name, value in figures.items()}
    print(json.dumps({"what": what, **shown}), flush=True)


def copy_of(place: Path, folder: Path) -> Path:
    """A fresh copy of a store."""
    copy = folder / f"run-{time.monotonic_ns()}.db"
    shutil.copy(place, copy)
    return copy


def latencies(store: Store, after: int) -> np.ndarray:
    """Seconds from the log to the delivery, of the deliveries after a number."""
    query = (
        select(schema.deliveries.c.received - schema.events.c.logged)
        .join(schema.events, schema.events.c.id == schema.deliveries.c.event_id)
        .where(schema.deliveries.c.number > after)
    )
    with store.database.reading() as connection:
        return np.array([row[0] for row in connection.execute(query)], float) / 1e6


def shares(waits: np.ndarray) -> dict[str, float]:
    """Median and tails."""
    if not len(waits):
        return {}
    return {f"p{share}": float(np.percentile(waits, share)) for share in (50, 95, 99)}


def publish(
    place: Path, users: int, rate: float, seconds: float, first: int, wanted: float
) -> tuple[int, float, float]:
    """Publish events, from a number on, at a rate for so long; how many, and when that began and
    ended by the monotonic clock. They are made before."""
    step = 0.25 if rate >= 100 else 1.0 / rate
    made = events(first, int(rate * seconds) + 1, users, wanted)
    gc.freeze()
    with Store.open(place) as store:
        began, sent = time.monotonic(), 0
        while (passed := time.monotonic() - began) < seconds:
            due = int(passed * rate) - sent
            if due > 0:
                store.publish(made[sent : sent + due], batch=50_000)
                sent += due
            time.sleep(step)
        return sent, began, time.monotonic()


if __name__ == "__main__":
    place, users, rate, seconds, first, wanted = sys.argv[1:]
    print(*publish(Path(place), int(users), float(rate), float(seconds), int(first), float(wanted)))

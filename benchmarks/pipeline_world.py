"""The workload of the pipeline benchmark: a catalog, events, a store, and a publishing process.

Everything is derived from hashes of numbers, so that all runs see the same data.

    python benchmarks/pipeline_world.py events|changes STORE RATE SECONDS FIRST USERS EACH WINDOW WANTED

publishes events, or changes the catalog, at a rate, and prints their number and the start and end times.
"""

import gc
import json
import shutil
import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from hashlib import blake2b
from pathlib import Path

import numpy as np
from sqlalchemy import select

from rankcast.engine.reference.shard import shard_of
from rankcast.language import parse
from rankcast.model import Event, Length, Mode, Policy, Record, Subscription
from rankcast.store import Store, schema
from rankcast.store.sql import chunks

START = datetime(2026, 1, 1, tzinfo=UTC)
SUBSCRIPTIONS_PER_TOPIC = 200
"""Each event has one topic, and half of the topic's subscriptions match its level: about 100 matches per event."""


@dataclass(frozen=True)
class World:
    """Users who each have some subscriptions and the top 10 of a sliding window, and events.

    A share of the events (`wanted`) has a topic with subscriptions.
    """

    users: int
    each: int = 10
    window: int = 20_000
    wanted: float = 1.0

    @property
    def name(self) -> str:
        """A name that identifies the catalog."""
        return f"pipeline-{self.users}-{self.each}-{self.window}"

    @property
    def topics(self) -> int:
        """The number of topics with subscriptions."""
        return max(1, self.users * self.each // SUBSCRIPTIONS_PER_TOPIC)

    def records(self, shards: int = 1) -> Iterator[Record]:
        """The catalog, or the part of the first of several shards."""
        for user in range(self.users):
            if shard_of(f"u{user}", shards) != 0:
                continue
            for place in range(self.each):
                yield self._subscription(user, place)
            yield Policy(f"u{user}", mode=Mode.SLIDING, k=10, length=Length(self.window))

    def change(self, number: int) -> Record:
        """A record that replaces one of the catalog: every tenth a policy, the others a subscription."""
        user = number_of("changed", number) % self.users
        if number % 10 == 0:
            return Policy(f"u{user}", mode=Mode.SLIDING, k=5 + number // 10 % 6, length=Length(self.window))
        return self._subscription(user, number % self.each, number)

    def _subscription(self, user: int, place: int, *change: int) -> Subscription:
        topic = number_of("topic", user, place, *change) % self.topics
        level = number_of("level", user, place, *change) % 10
        where = parse(f"topic = 't{topic}' and level >= {level}")
        score = (number_of("score", user, place, *change) % 100) / 100
        return Subscription(f"s{user}.{place}", f"u{user}", where, score=score)

    def events(self, first: int, count: int) -> list[Event]:
        """Events with a topic and a level each, starting at a number."""
        topics = round(self.topics / self.wanted)
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


def number_of(*parts: object) -> int:
    """A hash that is the same in every run."""
    return int.from_bytes(blake2b(repr(parts).encode(), digest_size=6).digest())


def store_for(folder: Path, world: World) -> Path:
    """A store with the catalog; an existing one in the folder is used again."""
    place = folder / f"{world.name}.db"
    if not place.exists():
        unfinished = place.with_suffix(".part")
        unfinished.unlink(missing_ok=True)
        fill(unfinished, world)
        for extra in ("-wal", "-shm"):
            Path(f"{unfinished}{extra}").unlink(missing_ok=True)
        unfinished.rename(place)
    return place


def fill(place: str | Path, world: World) -> None:
    """Create a store with the catalog and a first event."""
    began = time.perf_counter()
    with Store.create(place) as store:
        for chunk in chunks(world.records(), 50_000):
            store.change(put=chunk)
        store.publish(world.events(0, 1))
    say("catalog", users=world.users, seconds=time.perf_counter() - began)


def say(what: str, **figures: float | int | str) -> None:
    """Print one line of figures."""
    shown = {name: round(value, 3) if isinstance(value, float) else value for name, value in figures.items()}
    print(json.dumps({"what": what, **shown}), flush=True)


def copy_of(place: Path, folder: Path) -> Path:
    """A fresh copy of a store."""
    copy = folder / f"run-{time.monotonic_ns()}.db"
    shutil.copy(place, copy)
    return copy


def latencies(store: Store, after: int) -> np.ndarray:
    """Seconds from log to delivery, for the deliveries after a number."""
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


def publish(place: str, rate: float, seconds: float, first: int, world: World) -> tuple[int, float, float]:
    """Publish events at a rate for some seconds; return their number, and start and end by the monotonic clock.

    The events are created before the clock starts.
    """
    step = 0.25 if rate >= 100 else 1.0 / rate
    made = world.events(first, int(rate * seconds) + 1)
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


def change(place: str, rate: float, seconds: float, first: int, world: World) -> tuple[int, float, float]:
    """Change the catalog at a rate for some seconds, a version for each; return the same as `publish`."""
    with Store.open(place) as store:
        began, made = time.monotonic(), 0
        while (passed := time.monotonic() - began) < seconds:
            if made < passed * rate:
                store.change(put=[world.change(first + made)])
                made += 1
            else:
                time.sleep(made / rate - passed)
        return made, began, time.monotonic()


if __name__ == "__main__":
    what, place, rate, seconds, first, users, each, window, wanted = sys.argv[1:]
    run = {"events": publish, "changes": change}[what]
    world = World(int(users), int(each), int(window), float(wanted))
    print(*run(place, float(rate), float(seconds), int(first), world))

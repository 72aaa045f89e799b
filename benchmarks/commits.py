"""What many users cost the service: the time to serve and commit 20 events, and the delay from publish to delivery.

    python benchmarks/commits.py --users 1000 --users 10000
    python benchmarks/commits.py --users 100000 --subscriptions 10 --topics 50000 --rate 1000

For each number of users there is one row. The first figures are of the pipeline alone, in this process: loading the
shards, and the median of serving and committing batches of 20 events. The others are of `rankcast serve`: the time from
the command to the first delivery, and then events are published for some seconds, in ten requests per second, and a
user who gets all of them listens. The catalog is saved beside the store as after an earlier start (`--cold`: it is
not). The second line is the case of a million subscriptions, where about 11 match each event.
"""

import argparse
import asyncio
import random
import shutil
import tempfile
import time
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from statistics import median

from feeds import Feed, listen
from neighbour import ask, percentile, started

from rankcast.language import decode_record, parse
from rankcast.model import Event, Length, Mode, Policy, Record, Subscription
from rankcast.pipeline import saved_catalog
from rankcast.pipeline.local import LocalPipeline
from rankcast.service.access import Access, Role
from rankcast.service.garbage import GarbageCollection
from rankcast.store import Store

BATCH = 20
REQUESTS = 10
"""Requests per second."""

MODES = [
    Policy("u", mode=Mode.SLIDING, k=5, length=Length(1_000)),
    Policy("u", mode=Mode.ALL),
    Policy("u", mode=Mode.PERIODIC, k=5, length=Length(500)),
    Policy("u", mode=Mode.HISTORY, k=5, length=Length(20)),
]


def records(users: int, subscriptions: int, topics: int) -> Iterator[Record]:
    """Users of all modes with a few subscriptions each, and one who gets everything."""
    chance = random.Random(1)
    yield decode_record({"kind": "subscription", "id": "quiet", "user": "quiet", "where": "price >= 0"})
    for number in range(users):
        policy = MODES[number % len(MODES)]
        yield Policy(f"u{number}", mode=policy.mode, k=policy.k, length=policy.length)
        for place in range(subscriptions):
            where = parse(f"topic = {chance.randrange(topics)} and price < {chance.randint(10, 100)}")
            yield Subscription(f"s{number}-{place}", f"u{number}", where, chance.random())


def prepared(folder: Path, users: int, subscriptions: int, topics: int) -> Path:
    """A store with its catalog saved beside it and the tokens of a user and a publisher, unless it is there."""
    place = folder / f"{users}-{subscriptions}-{topics}.db"
    if not place.exists():
        with Store.create(place) as store:
            store.change(put=list(records(users, subscriptions, topics)))
            access = Access(store)
            tokens = access.create(Role.USER, "quiet")[0], access.create(Role.PUBLISHER, "news")[0]
            place.with_suffix(".db.keys").write_text("\n".join(tokens))
    if not (saved := Path(f"{place}-catalog")).exists():
        saved_catalog.write(str(place), saved, 1)
    return place


def attributes(chance: random.Random, topics: int) -> dict[str, int]:
    """The attributes of an event: one topic, and a price."""
    return {"topic": chance.randrange(topics), "price": chance.randint(0, 100)}


def batches(place: str, count: int, topics: int) -> tuple[float, list[float]]:
    """Seconds to load the shards, and to serve and commit each batch after some that fill the windows."""
    chance = random.Random(2)
    with Store.open(place) as store:
        server = LocalPipeline(store, 1, 1_000, 1_500, 0.03)
        begun = time.perf_counter()
        server.load()
        loaded = time.perf_counter() - begun
        garbage = GarbageCollection()  # as in the service
        took: list[float] = []
        for number in range(count + 20):
            size = 100 if number < 15 else BATCH
            new = [
                Event(
                    f"{number}-{i}",
                    datetime.now(UTC),
                    {name: (value,) for name, value in attributes(chance, topics).items()},
                )
                for i in range(size)
            ]
            store.publish(new)
            begun = time.perf_counter()
            list(server.serve())
            took.append(time.perf_counter() - begun)
            garbage.collect()
        return loaded, took[20:]


async def delays(
    port: int, tokens: list[str], begun: float, seconds: float, rate: float, topics: int
) -> tuple[float, list[float]]:
    """Seconds from a time to the first delivery, and from publish to delivery at a constant rate."""
    sent: dict[str, float] = {}
    feed, (quiet, news) = Feed("quiet"), tokens
    listening = asyncio.create_task(listen(port, quiet, feed, sent))
    chance, count = random.Random(3), max(1, round(rate / REQUESTS))

    async def publish(name: str, count: int) -> None:
        events = [{"id": f"{name}-{i}", "attributes": attributes(chance, topics)} for i in range(count)]
        sent.update({event["id"]: time.monotonic() for event in events})
        status = await ask(port, news, "POST", "/v1/events", events)
        if status not in (200, 201):
            raise SystemExit(f"the publisher was answered with {status}")

    async def until(count: int) -> None:
        while len(feed.waits) < count:
            await asyncio.sleep(0.01)

    await publish("first", 1)
    await asyncio.wait_for(until(1), 300)
    first = time.monotonic() - begun
    await asyncio.sleep(2)
    begun = time.monotonic()
    for number in range(round(REQUESTS * seconds)):
        await asyncio.sleep(max(0.0, begun + number / REQUESTS - time.monotonic()))
        await publish(f"live{number}", count)
    await asyncio.wait_for(until(len(sent)), 60)
    listening.cancel()
    return first, feed.waits[len(feed.waits) // 4 :]


def main() -> None:
    """The command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument(
        "--users", type=int, action="append", help="may be repeated; 1,000, 10,000 and 50,000 otherwise"
    )
    parser.add_argument("--batches", type=int, default=40, help="of 20 events; 0 to leave them out")
    parser.add_argument(
        "--seconds", type=float, default=15.0, help="how long the service is measured; 0 to leave it out"
    )
    parser.add_argument("--subscriptions", type=int, default=3, help="of each user")
    parser.add_argument("--topics", type=int, default=1_000, help="each subscription and each event has one of them")
    parser.add_argument("--rate", type=float, default=100.0, help="events per second that the service gets")
    parser.add_argument("--folder", type=Path, help="where the stores stay for the next run, which uses copies")
    parser.add_argument("--cold", action="store_true", help="without the saved catalog")
    chosen = parser.parse_args()
    print("| users | events/s | load | 20 events: median | 99 % | start | publish to delivery: median | 99 % |")
    print("| ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: |")
    for users in chosen.users or [1_000, 10_000, 50_000]:
        with tempfile.TemporaryDirectory() as made:
            original = prepared(chosen.folder or Path(made), users, chosen.subscriptions, chosen.topics)
            tokens = original.with_suffix(".db.keys").read_text().split()
            row = f"| {users:,} | {chosen.rate:,.0f} |"
            for is_served, is_wanted in ((False, chosen.batches), (True, chosen.seconds)):
                place = f"{made}/{is_served}.db"
                shutil.copy(original, place)
                if not chosen.cold:
                    shutil.copy(f"{original}-catalog", f"{place}-catalog")
                if not is_wanted:
                    row += " - | - | - |"
                elif not is_served:
                    loaded, took = batches(place, chosen.batches, chosen.topics)
                    row += f" {loaded:.1f} s | {median(took) * 1000:.0f} ms | {percentile(took)[1]:.0f} ms |"
                else:
                    begun = time.monotonic()
                    process, port = started(place, [])
                    try:
                        measured = delays(port, tokens, begun, chosen.seconds, chosen.rate, chosen.topics)
                        first, waits = asyncio.run(measured)
                    finally:
                        process.terminate()
                        process.wait(60)
                    middle, high = percentile(waits)
                    row += f" {first:.1f} s | {middle:.0f} ms | {high:.0f} ms |"
            print(row, flush=True)


if __name__ == "__main__":
    main()

"""What many users cost the service: the time to serve and commit 20 events, and the delay from publish to delivery.

    python benchmarks/commits.py --users 1000 --users 10000

For each number of users there is one row. The first figures are of the pipeline alone, in this process: restoring the
shards, and the median of serving and committing batches of 20 events, without reading the catalog. The others are of
`rankcast serve`: 100 events per second are published for some seconds, in requests of 10, and a user who gets all of
them listens.
"""

import argparse
import asyncio
import random
import tempfile
import time
from collections.abc import Iterator
from datetime import UTC, datetime
from statistics import median

from feeds import Feed, listen
from neighbour import ask, percentile, started

from rankcast.language import decode_record, parse
from rankcast.model import Event, Length, Mode, Policy, Record, Subscription
from rankcast.pipeline.local import LocalPipeline
from rankcast.service.access import Access, Role
from rankcast.store import Store

TOPICS = 1_000
SUBSCRIPTIONS = 3
BATCH = 20
RATE = 100
REQUEST = 10
GOAL = 0.02
"""Seconds for a batch of 20 events in all, with 50,000 users (issue 19)."""

MODES = [
    Policy("u", mode=Mode.SLIDING, k=5, length=Length(1_000)),
    Policy("u", mode=Mode.ALL),
    Policy("u", mode=Mode.PERIODIC, k=5, length=Length(500)),
    Policy("u", mode=Mode.HISTORY, k=5, length=Length(20)),
]


def records(users: int) -> Iterator[Record]:
    """Users of all modes with a few subscriptions each, and one who gets everything."""
    chance = random.Random(1)
    yield decode_record({"kind": "subscription", "id": "quiet", "user": "quiet", "where": "price >= 0"})
    for number in range(users):
        policy = MODES[number % len(MODES)]
        yield Policy(f"u{number}", mode=policy.mode, k=policy.k, length=policy.length)
        for place in range(SUBSCRIPTIONS):
            where = parse(f"topic = {chance.randrange(TOPICS)} and price < {chance.randint(10, 100)}")
            yield Subscription(f"s{number}-{place}", f"u{number}", where, chance.random())


def attributes(chance: random.Random) -> dict[str, int]:
    """The attributes of an event: one topic, and a price."""
    return {"topic": chance.randrange(TOPICS), "price": chance.randint(0, 100)}


def batches(place: str, count: int) -> tuple[float, list[float]]:
    """Seconds to load the shards, and to serve and commit each batch after some that fill the windows."""
    chance = random.Random(2)
    with Store.open(place) as store:
        server = LocalPipeline(store, 1, 1_000, 1_500, 0.03)
        begun = time.perf_counter()
        server.load()
        loaded = time.perf_counter() - begun
        took: list[float] = []
        for number in range(count + 20):
            size = 100 if number < 15 else BATCH
            new = [
                Event(
                    f"{number}-{i}", datetime.now(UTC), {name: (value,) for name, value in attributes(chance).items()}
                )
                for i in range(size)
            ]
            store.publish(new)
            begun = time.perf_counter()
            list(server.serve())
            took.append(time.perf_counter() - begun)
        return loaded, took[20:]


async def delays(port: int, quiet: str, news: str, seconds: float) -> list[float]:
    """Seconds from publish to delivery at a constant rate."""
    sent: dict[str, float] = {}
    feed = Feed("quiet")
    listening = asyncio.create_task(listen(port, quiet, feed, sent))
    await asyncio.sleep(2)
    chance, begun = random.Random(3), time.monotonic()
    for number in range(round(RATE * seconds / REQUEST)):
        await asyncio.sleep(max(0.0, begun + number * REQUEST / RATE - time.monotonic()))
        events = [{"id": f"live{number}-{i}", "attributes": attributes(chance)} for i in range(REQUEST)]
        sent.update({event["id"]: time.monotonic() for event in events})
        status = await ask(port, news, "POST", "/v1/events", events)
        if status not in (200, 201, 207, 429):
            raise SystemExit(f"the publisher was answered with {status}")
    for _ in range(300):
        if len(feed.waits) >= len(sent):
            break
        await asyncio.sleep(0.1)
    listening.cancel()
    return feed.waits[len(feed.waits) // 4 :]


def main() -> None:
    """The command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument(
        "--users", type=int, action="append", help="may be repeated; 1,000, 10,000 and 50,000 otherwise"
    )
    parser.add_argument("--batches", type=int, default=40)
    parser.add_argument(
        "--seconds", type=float, default=15.0, help="how long the service is measured; 0 to leave it out"
    )
    chosen = parser.parse_args()
    print("| users | load | 20 events: median | 99 % | publish to delivery: median | 99 % | restart |")
    print("| ---: | ---: | ---: | ---: | ---: | ---: | ---: |")
    for users in chosen.users or [1_000, 10_000, 50_000]:
        with tempfile.TemporaryDirectory() as folder:
            place = f"{folder}/store.db"
            with Store.create(place) as store:
                store.change(put=list(records(users)))
                access = Access(store)
                quiet, news = access.create(Role.USER, "quiet")[0], access.create(Role.PUBLISHER, "news")[0]
            loaded, took = batches(place, chosen.batches)
            with Store.open(place) as store:
                begun = time.perf_counter()
                LocalPipeline(store, 1, 1_000, 1_500, 0.03).load()
                again = time.perf_counter() - begun
            row = f"| {users:,} | {loaded:.1f} s | {median(took) * 1000:.0f} ms | {percentile(took)[1]:.0f} ms |"
            if chosen.seconds:
                process, port = started(place, [])
                try:
                    waits = asyncio.run(delays(port, quiet, news, chosen.seconds))
                finally:
                    process.terminate()
                    process.wait(60)
                middle, high = percentile(waits)
                row += f" {middle:.0f} ms | {high:.0f} ms |"
            else:
                row += " - | - |"
            print(f"{row} {again:.1f} s |", flush=True)


if __name__ == "__main__":
    main()

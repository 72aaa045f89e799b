"""The live pipeline: events per second, latency, what Spark adds, and how all that grows.

    python benchmarks/pipeline.py target              100,000 users, 1 M subscriptions, sliding top-10: 5,000 events/s? 1.5 s?
    python benchmarks/pipeline.py overhead            `deliver` on a batch DataFrame against the same shards in-process
    python benchmarks/pipeline.py sizes               by events per micro-batch, users and shards
    python benchmarks/pipeline.py cores               one core against two
    python benchmarks/pipeline.py users               1 k to 1 M users
    python benchmarks/pipeline.py one --users 10000 --rate 2000 --shards 2 --cores 2
    python benchmarks/pipeline.py shard --users 20000 one shard alone, without Spark: where its time goes

Everything is made by hashes of numbers, so that two runs see the same. Latency is from the append to the event log to the commit of
the delivery, both by the clock of this machine.
"""

import argparse
import json
import os
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from hashlib import blake2b
from pathlib import Path

import numpy as np

from rankcast.language import parse
from rankcast.model import Catalog, Event, Length, Mode, Policy, Record, Subscription
from rankcast.store import Store

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


def records(users: int, window: int) -> Iterator[Record]:
    """Users with ten subscriptions each and the top 10 of a sliding window."""
    topics = topics_for(users)
    for user in range(users):
        for place in range(PER_USER):
            topic, level = number_of("topic", user, place) % topics, number_of("level", user, place) % 10
            where = parse(f"topic = 't{topic}' and level >= {level}")
            yield Subscription(
                f"s{user}.{place}", f"u{user}", where, score=(number_of("score", user, place) % 100) / 100
            )
        yield Policy(f"u{user}", mode=Mode.SLIDING, k=10, length=Length(window))


def events(first: int, count: int, users: int) -> list[Event]:
    """Events of one topic and a level each."""
    topics = topics_for(users)
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
    import shutil

    copy = folder / f"run-{time.monotonic_ns()}.db"
    shutil.copy(place, copy)
    return copy


def latencies(store: Store, after: int) -> np.ndarray:
    """Seconds from the log to the delivery, of the deliveries after a number."""
    from sqlalchemy import select

    from rankcast.store import schema

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


class Feed(threading.Thread):
    """Publishes at a rate."""

    def __init__(self, place: Path, users: int, rate: float, seconds: float, first: int) -> None:
        super().__init__(daemon=True)
        self._place, self._users, self._rate, self._seconds, self._next = place, users, rate, seconds, first
        self.published = 0

    def run(self) -> None:
        """For as long as asked."""
        step = 0.25 if self._rate >= 100 else 1.0 / self._rate
        with Store.open(self._place) as store:
            began, sent = time.monotonic(), 0
            while (passed := time.monotonic() - began) < self._seconds:
                due = int(passed * self._rate) - sent
                if due > 0:
                    store.publish(events(self._next, due, self._users), batch=10_000)
                    self._next += due
                    sent += due
                time.sleep(step)
            self.published = sent


def live(
    place: Path,
    folder: Path,
    users: int,
    shards: int,
    rate: float,
    seconds: float,
    cores: int | None = None,
    max_events: int = 50_000,
) -> dict[str, float]:
    """Serve a store while events are published at a rate; figures of the time after the first micro-batch."""
    from rankcast.spark import local_session, serve_store
    from rankcast.spark.failures import wait_for

    copy = copy_of(place, folder)
    spark = local_session(cores=cores, memory="3g")
    query = serve_store(spark, copy, folder / f"cp-{copy.stem}", shards=shards, max_events=max_events)
    with Store.open(copy) as store:
        began = time.monotonic()
        while store.progress().offset < 1:
            if wait_for(query, 0.5):
                raise RuntimeError("the pipeline has ended")
        ready = time.monotonic() - began
        before, at = store.last_delivery(), time.monotonic()
        feed = Feed(copy, users, rate, seconds, first=1)
        feed.start()
        feed.join()
        lag = store.last_offset() - store.progress().offset
        while store.progress().offset < store.last_offset():
            if wait_for(query, 0.2):
                raise RuntimeError("the pipeline has ended")
        took = time.monotonic() - at
        known = store.pipeline()
        assert known is not None
        waits = latencies(store, before)
        durations = [progress["batchDuration"] / 1000 for progress in query.recentProgress if progress["numInputRows"]]
        query.stop()
    Path(copy).unlink()
    return {
        "rate": rate,
        "served_per_s": feed.published / took,
        "lag_at_end": lag,
        "deliveries": len(waits),
        **shares(waits),
        "batch_s": float(np.median(durations)) if durations else 0.0,
        "state_mb": known.state_bytes / 1e6,
        "ready_s": ready,
    }


def shard(folder: Path, users: int, window: int, count: int, batch: int) -> None:
    """One live shard without Spark, to see where its time goes."""
    from rankcast.language import dumps, encode_event
    from rankcast.spark.live.intake import Intake, LogRow
    from rankcast.spark.live.shard import LiveShard, Saved

    class Given:
        """A catalog that is there."""

        def __init__(self, catalog: Catalog) -> None:
            self._catalog = catalog

        def at(self, version: int) -> Catalog:
            return self._catalog

        def whole(self, version: int) -> Catalog:
            return self._catalog

    catalogs = Given(Catalog(list(records(users, window))))
    began = time.perf_counter()
    live_shard = LiveShard(catalogs, lambda user: True, Intake(), journal=200_000)
    live_shard.begin(0)
    say("shard made", users=users, seconds=time.perf_counter() - began)
    pages: dict[int, bytes] = {}
    journal: dict[int, bytes] = {}
    written = None
    for first in range(1, count, batch):
        rows = [LogRow(n, 0, dumps(encode_event(event))) for n, event in enumerate(events(first, batch, users), first)]
        times = [time.perf_counter()]
        taken = live_shard.intake.take_log(rows)
        times.append(time.perf_counter())
        made = live_shard.serve(taken)
        times.append(time.perf_counter())
        written = live_shard.save(taken)
        times.append(time.perf_counter())
        pages |= written.pages
        journal |= written.journal
        for generation in written.gone:
            journal.pop(generation, None)
        took = np.diff(times)
        say(
            "shard",
            events=batch,
            take=took[0],
            serve=took[1],
            save=took[2],
            pages=len(written.pages),
            deliveries=made.num_rows,
            state_mb=live_shard.size / 1e6,
        )
    for single in range(3):
        rows = [LogRow(count + single + batch, 0, dumps(encode_event(events(count + single, 1, users)[0])))]
        began = time.perf_counter()
        taken = live_shard.intake.take_log(rows)
        live_shard.serve(taken)
        written = live_shard.save(taken)
        pages |= written.pages
        journal |= written.journal
        say("one event", seconds=time.perf_counter() - began)
    assert written is not None
    began = time.perf_counter()
    again = LiveShard(catalogs, lambda user: True, Intake(), journal=200_000)
    again.restore(Saved(written.head, pages, journal))
    say("restored", seconds=time.perf_counter() - began, journal=len(journal))


def overhead(folder: Path, users: int, window: int, count: int) -> None:
    """`deliver` on a batch DataFrame against the same shards in processes of our own, on the same cores."""
    from rankcast.spark import deliver, local_session

    catalog = Catalog(list(records(users, window)))
    given = events(1, count, users)
    cores = os.cpu_count() or 1
    lines = folder / "catalog.jsonl"
    from rankcast.language import dumps, encode_event, encode_record

    lines.write_text("".join(f"{dumps(encode_record(record))}\n" for record in catalog.records()))
    texts = folder / "events.jsonl"
    texts.write_text("".join(f"{dumps(encode_event(event))}\n" for event in given))
    spark = local_session()
    for turn in range(2):
        began = time.perf_counter()
        workers = [
            subprocess.Popen([sys.executable, __file__, "alone", str(lines), str(texts), str(n), str(cores)])
            for n in range(cores)
        ]
        for worker in workers:
            assert worker.wait() == 0
        alone = time.perf_counter() - began
        frame = spark.read.text(str(texts))
        began = time.perf_counter()
        rows = deliver(frame, catalog, json="value", shards=cores).count()
        on_spark = time.perf_counter() - began
        say(
            "overhead",
            turn=turn,
            users=users,
            events=count,
            deliveries=rows,
            in_process_s=alone,
            spark_s=on_spark,
            ratio=on_spark / alone,
        )


def alone(lines: str, texts: str, number: int, shards: int) -> None:
    """One shard in this process: what a worker of Spark does, without Spark."""
    from rankcast.batch import shard_for
    from rankcast.language import decode_event, decode_record
    from rankcast.shard import shard_of

    with open(lines) as file:
        found = [decode_record(line) for line in file]
    own = Catalog([record for record in found if shard_of(record.user, shards) == number])  # type: ignore[union-attr]
    with open(texts) as file:
        given = [decode_event(line).at(place) for place, line in enumerate(file, 1)]
    served = shard_for(len(given), own)
    served.publish(given)
    served.close()


def main() -> None:
    """Measure what is asked for."""
    if sys.argv[1:2] == ["alone"]:
        alone(sys.argv[2], sys.argv[3], int(sys.argv[4]), int(sys.argv[5]))
        return
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", choices=["target", "overhead", "sizes", "cores", "users", "one", "shard"])
    parser.add_argument("--users", type=int, default=None)
    parser.add_argument("--window", type=int, default=20_000, help="events")
    parser.add_argument("--events", type=int, default=100_000)
    parser.add_argument("--batch", type=int, default=10_000)
    parser.add_argument("--rate", type=float, default=5_000.0, help="events per second")
    parser.add_argument("--seconds", type=float, default=60.0)
    parser.add_argument("--shards", type=int, default=2)
    parser.add_argument("--cores", type=int, default=None)
    parser.add_argument("--folder", type=Path, default=None, help="keep the stores here for the next run")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as temporary:
        folder = given.folder or Path(temporary)
        folder.mkdir(exist_ok=True)
        runs = Path(temporary)
        if given.what == "shard":
            shard(folder, given.users or 20_000, given.window, given.events, given.batch)
        elif given.what == "overhead":
            overhead(runs, given.users or 10_000, given.window, given.events)
        elif given.what == "target":
            users = given.users or 100_000
            place = store_for(folder, users, given.window)
            say("low load", users=users, **live(place, runs, users, given.shards, 1.0, given.seconds))
            say("target", users=users, **live(place, runs, users, given.shards, given.rate, given.seconds))
        elif given.what == "sizes":
            for users in (1_000, 10_000):
                place = store_for(folder, users, given.window)
                for shards in (1, 2, 4):
                    for most in (1_000, 10_000, 50_000):
                        found = live(place, runs, users, shards, given.rate, given.seconds, max_events=most)
                        say("sizes", users=users, shards=shards, max_events=most, **found)
        elif given.what == "cores":
            users = given.users or 10_000
            store_for(folder, users, given.window)
            for cores in (1, 2):
                command = [sys.executable, __file__, "one", "--users", str(users), "--cores", str(cores)]
                more = {"folder": folder, "window": given.window, "rate": given.rate, "seconds": given.seconds}
                options = [text for name, value in more.items() for text in (f"--{name}", str(value))]
                subprocess.run([*command, "--shards", str(given.shards), *options], check=True)
        elif given.what == "one":
            if given.cores is not None:
                os.sched_setaffinity(0, range(given.cores))  # the processes that hold the shards inherit it
            users = given.users or 10_000
            place = store_for(folder, users, given.window)
            found = live(place, runs, users, given.shards, given.rate, given.seconds, cores=given.cores)
            say("one", users=users, shards=given.shards, cores=given.cores or 0, **found)
        else:
            for users in (1_000, 10_000, 100_000, 1_000_000):
                place = store_for(folder, users, given.window)
                say("users", users=users, **live(place, runs, users, given.shards, given.rate, given.seconds))


if __name__ == "__main__":
    main()

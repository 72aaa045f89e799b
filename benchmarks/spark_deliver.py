"""Deliveries on Spark by number of shards: python benchmarks/spark_deliver.py [--events 200000] [--shards 2 8 32 128]

Each event matches one subscription (sparse) or 110 (dense) of 100,000 (--subscriptions), which belong to a tenth as many
users: a third get all that matches, a third the best of a sliding window, a third the best of each period. Prints the
time and the processor time of `rankcast.pipeline.spark.deliver`, of Spark and its Python workers together, after one
job that starts them. The processor time depends little on what else the machine does, so the ratios are taken from it.
The peer is one shard over arrays in this process, on the same Arrow table.

With --growth, Spark makes the events, more and more of them, for 8 shards, and writes them to files before the job. Prints
the time per event and the most memory that all processes had together. With --beside, the peer then serves the same
files.

With --steps, the two steps of `deliver` run one after the other in this process, without Spark: what an event costs to
match and send, and to serve in all shards together, beyond the start of the shards.
"""

import argparse
import os
import tempfile
import time
from collections.abc import Sequence
from contextlib import suppress
from datetime import UTC, datetime, timedelta
from pathlib import Path
from threading import Event, Thread

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
from pyspark import SparkFiles

from rankcast.engine.arrays import BatchShard
from rankcast.engine.reference.shard import shard_of
from rankcast.language import parse
from rankcast.language.tables import events_of_table
from rankcast.model import Catalog, Length, Mode, Policy, Subscription, in_publication_order
from rankcast.model import Event as Published
from rankcast.pipeline.spark import deliver, local_session
from rankcast.pipeline.spark.inputs import catalog_parts
from rankcast.pipeline.spark.live.frames import DELIVERY
from rankcast.pipeline.spark.matching_workers import ShippedIndex
from rankcast.pipeline.spark.sending_workers import send_matches
from rankcast.pipeline.spark.shard_workers import deliver_in_shard, serve_shards

NOW = datetime(2026, 1, 1, tzinfo=UTC)
SUBSCRIPTIONS = 100_000
MATCHES = {"sparse": 1, "dense": 110}


def catalog(matches: int, subscriptions: int) -> Catalog:
    """Subscriptions to topics, so many to each topic, and users of three modes."""
    made, users = Catalog(), subscriptions // 10
    for number in range(subscriptions):
        where = parse(f"topic = {number // matches} and price <= 100")
        made.add(Subscription(f"s{number}", f"user{number % users}", where, (number % 10) / 10))
    for user in range(users):
        if user % 3:
            mode = Mode.SLIDING if user % 3 == 1 else Mode.PERIODIC
            made.add(Policy(f"user{user}", mode=mode, k=4, length=Length(10_000)))
    return made


def events(count: int, topics: int) -> pa.Table:
    """Events a second apart, each of one topic."""
    chance = np.random.default_rng(1)
    return pa.table(
        {
            "id": [f"e{number:09d}" for number in range(count)],
            "time": pa.array([NOW + timedelta(seconds=number) for number in range(count)], pa.timestamp("us", "UTC")),
            "topic": chance.integers(0, topics, count),
            "price": chance.integers(0, 100, count),
            "title": [f"title {number % 1000}" for number in range(count)],
        }
    )


def processor_times() -> dict[int, float]:
    """Seconds of this process and of all processes that it started, with their ended children, by process."""
    parents, used = dict[int, int](), dict[int, int]()
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            try:
                fields = (entry / "stat").read_text().rsplit(")", 1)[1].split()
            except OSError:
                continue
            parents[int(entry.name)], used[int(entry.name)] = int(fields[1]), sum(map(int, fields[11:15]))
    mine = {os.getpid()}
    while more := {child for child, parent in parents.items() if parent in mine} - mine:
        mine |= more
    return {process: used[process] / os.sysconf("SC_CLK_TCK") for process in mine}


class PeakMemory(Thread):
    """Looks twice a second how much memory this process and those that it started have, shared parts counted once."""

    def __init__(self) -> None:
        super().__init__(daemon=True)
        self._is_over = Event()
        self._peak = 0

    def run(self) -> None:
        """Look until `stop`."""
        while not self._is_over.wait(0.5):
            self._peak = max(self._peak, sum(map(self._of_process, processor_times())))

    def stop(self) -> float:
        """The most memory that was seen, in GiB."""
        self._is_over.set()
        self.join()
        return self._peak / 2**20

    @staticmethod
    def _of_process(process: int) -> int:
        with suppress(OSError):
            for line in Path(f"/proc/{process}/smaps_rollup").read_text().splitlines():
                if line.startswith("Pss:"):
                    return int(line.split()[1])
        return 0


def used_since(before: dict[int, float]) -> float:
    """The processor time since then. What a worker used that ended in between is not in it."""
    return sum(now - before.get(process, 0.0) for process, now in processor_times().items())


def steps(kind: str, subscriptions: int, count: int, shards: int) -> None:
    """Print what the two steps take in this process."""
    known, table = catalog(MATCHES[kind], subscriptions), events(count, subscriptions // MATCHES[kind])
    home = {user: shard_of(user, shards) for user in known.users()}
    index = ShippedIndex.of_catalog(known, home.__getitem__)
    parts = catalog_parts(known, shards, home.__getitem__)
    with tempfile.TemporaryDirectory() as folder:
        SparkFiles.getRootDirectory = lambda: folder
        list(send_matches(iter(table.slice(0, 1_000).to_batches()), index, range(shards)))
        taken = []
        for given in (table.slice(0, count // 2), table):
            sent: list[list[pa.RecordBatch]] = [[_packet(shard, part)] for shard, part in enumerate(parts)]
            began = time.process_time()
            for packet in send_matches(iter(given.to_batches(max_chunksize=10_000)), index, range(shards)):
                sent[packet["shard"][0].as_py()].append(packet.select(["shard", "packet"]))
            between = time.process_time()
            made = sum(out.num_rows for own in sent for out in serve_shards(iter(own), deliver_in_shard))
            taken.append((between - began, time.process_time() - between))
    half, whole = taken
    matching, serving = (2e6 * (whole[step] - half[step]) / count for step in (0, 1))
    size = sum(packet.nbytes for own in sent for packet in own[1:]) / count
    print(
        f"{kind}, {shards} shards, {count:,} events, {made:,} deliveries: match and send {matching:.1f} µs per event, "
        f"{size:.0f} bytes; serve {serving:.1f} µs per event, after {2 * half[1] - whole[1]:.1f} s to start",
        flush=True,
    )


def _packet(shard: int, packet: bytes) -> pa.RecordBatch:
    return pa.RecordBatch.from_pydict({"shard": pa.array([shard], pa.int32()), "packet": [packet]})


def growth(subscriptions: int, counts: Sequence[int], is_beside: bool) -> None:
    """Print what a job takes over more and more events, beside one process if wanted."""
    known, topics = catalog(MATCHES["sparse"], subscriptions), subscriptions // MATCHES["sparse"]
    spark = local_session(memory="4g")
    for count in counts:
        with tempfile.TemporaryDirectory() as folder:
            spark.range(0, count, 1, max(4, count // 500_000)).selectExpr(
                "format_string('e%09d', id) AS id",
                "timestamp_seconds(1767225600 + id) AS time",
                f"pmod(hash(id), {topics}) AS topic",
                "pmod(hash(id, 1), 100) AS price",
                "concat('title ', id % 1000) AS title",
            ).write.parquet(f"{folder}/events")
            memory, before, began = PeakMemory(), processor_times(), time.perf_counter()
            memory.start()
            sent = deliver(spark.read.parquet(f"{folder}/events"), known, shards=8)
            sent.write.parquet(f"{folder}/deliveries")
            wall, used = time.perf_counter() - began, used_since(before)
            print(
                f"sparse, 8 shards, {count:,} events: {wall:.0f} s, {wall / count * 1e6:.1f} µs per event; processor "
                f"{used / count * 1e6:.1f} µs per event; at most {memory.stop():.1f} GiB",
                flush=True,
            )
            if is_beside:
                made = spark.read.parquet(f"{folder}/deliveries").count()
                wall_beside, used_beside = beside(known, Path(folder), made)
                print(
                    f"Spark takes {wall / wall_beside:.2f} times as long by the clock, {used / used_beside:.2f} times the "
                    "processor time",
                    flush=True,
                )
    spark.stop()


def beside(known: Catalog, folder: Path, made: int) -> tuple[float, float]:
    """Serve the events of a job in this process, write the deliveries, and compare their number.

    Returns the time by the clock and the processor time, in seconds.
    """
    count = delivered = 0
    began, used = time.perf_counter(), time.process_time()
    shard = BatchShard(known)
    with pq.ParquetWriter(folder / "beside.parquet", DELIVERY) as writer:
        for file in sorted((folder / "events").glob("part-*")):
            for rows in pq.ParquetFile(file).iter_batches(10_000):
                given = [one for one in events_of_table(rows) if isinstance(one, Published)]
                found = shard.publish_columns([one.at(count + place) for place, one in enumerate(given, 1)]).arrow()
                writer.write_table(found)
                count, delivered = count + len(given), delivered + found.num_rows
        found = shard.close_columns().arrow()
        writer.write_table(found)
    assert delivered + found.num_rows == made, (delivered + found.num_rows, made)
    wall, used = time.perf_counter() - began, time.process_time() - used
    print(
        f"sparse, in this process, {count:,} events, {made:,} deliveries as well: {wall:.0f} s, {wall / count * 1e6:.1f} µs "
        f"per event; processor {used / count * 1e6:.1f} µs per event",
        flush=True,
    )
    return wall, used


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--events", type=int, default=200_000)
    parser.add_argument("--subscriptions", type=int, default=SUBSCRIPTIONS)
    parser.add_argument("--shards", type=int, nargs="+", default=[2, 8, 32, 128])
    parser.add_argument("--kind", choices=list(MATCHES), nargs="+", default=list(MATCHES))
    parser.add_argument("--steps", action="store_true")
    parser.add_argument("--rounds", type=int, default=3, help="of --steps; the least of each counts")
    parser.add_argument("--growth", type=int, nargs="+", metavar="EVENTS", help="such as 1000000 5000000 20000000")
    parser.add_argument("--beside", action="store_true", help="with --growth, also serve them in this process")
    given = parser.parse_args()
    if given.growth:
        growth(given.subscriptions, given.growth, given.beside)
        return
    if given.steps:
        for _ in range(given.rounds):
            for kind in given.kind:
                for shards in given.shards:
                    steps(kind, given.subscriptions, given.events, shards)
        return
    spark = local_session(memory="4g")
    for kind in given.kind:
        known = catalog(MATCHES[kind], given.subscriptions)
        table = events(given.events, given.subscriptions // MATCHES[kind])
        frame = spark.createDataFrame(table).repartition(4).cache()
        frame.count()
        deliver(frame.limit(5_000), known, shards=2).write.format("noop").mode("overwrite").save()
        for shards in given.shards:
            began, before = time.perf_counter(), processor_times()
            sent = deliver(frame, known, shards=shards)
            compiled = used_since(before)
            sent.write.format("noop").mode("overwrite").save()
            wall, used = time.perf_counter() - began, used_since(before)
            print(
                f"{kind}, {shards} shards: {wall:.1f} s, processor {used:.1f} s (of which {compiled:.1f} s to compile); "
                f"{(used - compiled) / given.events * 1e6:.1f} µs per event",
                flush=True,
            )
        frame.unpersist()
        _in_process(known, table, kind)
    spark.stop()


def _in_process(known: Catalog, table: pa.Table, kind: str) -> None:
    shard = BatchShard(known)
    shard.publish_columns([])
    used = time.process_time()
    decoded = in_publication_order([one for one in events_of_table(table) if not isinstance(one, tuple)])
    for start in range(0, len(decoded), 10_000):
        shard.publish_columns(decoded[start : start + 10_000]).arrow()
    shard.close_columns().arrow()
    used = time.process_time() - used
    print(f"{kind}, in this process: processor {used:.1f} s; {used / len(decoded) * 1e6:.1f} µs per event", flush=True)


if __name__ == "__main__":
    main()

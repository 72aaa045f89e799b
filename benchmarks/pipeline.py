"""The live pipeline: events per second, latency, the overhead of Spark, and how they scale.

    python benchmarks/pipeline.py store --users 100000 --folder F   make the store of a run before it
    python benchmarks/pipeline.py target                 100,000 users, 1 M subscriptions, sliding top-10
    python benchmarks/pipeline.py overhead               `deliver` on a batch DataFrame beside the same shards in-process
    python benchmarks/pipeline.py shards --warm 400000   a backlog with one match per event, by number of shards
    python benchmarks/pipeline.py sizes                  by events per micro-batch, users and shards
    python benchmarks/pipeline.py cores                  one core beside two
    python benchmarks/pipeline.py users --each 1         1 k to 1 M users with a subscription each
    python benchmarks/pipeline.py changes --wanted 0.1   with no changes of the catalog, then with 50 per second
    python benchmarks/pipeline.py one --users 10000 --rate 2000 --shards 2 --cores 2
    python benchmarks/pipeline.py shard --users 20000    one shard of two alone, without Spark: where its time goes

`one --store postgresql://...` creates and serves a store in that database, which must be empty, instead of a file. With
`--files`, deliveries go to Parquet files, and the store keeps none of them; then there is no latency to show.

Latency is the time from the append to the event log to the commit of the delivery, both by the clock of this machine.
Separate processes (`pipeline_world.py`) publish the events, and change the catalog, on the same cores. A change is a
version of its own, with one subscription or policy that is replaced.
"""

import argparse
import gc
import os
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import astuple
from functools import partial
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pipeline_world
from pipeline_shard import shard
from pipeline_world import World, copy_of, fill, latencies, say, shares, store_for
from pyspark.sql.streaming.query import StreamingQuery

from rankcast.engine.reference.shard import shard_of
from rankcast.model import Catalog
from rankcast.store import Pipeline, Store


class Load(NamedTuple):
    """Events per second and changes of the catalog per second, for some seconds."""

    name: str
    rate: float
    seconds: float
    changes: float = 0.0


def live(
    store_at: str | Path,
    folder: Path,
    world: World,
    shards: int,
    phases: Sequence[Load],
    cores: int | None = None,
    max_events: int = 100_000,
    warm: int = 0,
    is_to_files: bool = False,
) -> list[dict[str, float]]:
    """Serve a store while events are published at one rate for some seconds, then at another; return the figures of each.

    Before that, `warm` events that have waited in the log fill the windows; after the first micro-batch of them, it is
    measured how fast the others are served. In the end, the processes that hold the shards are killed, and the last
    figures get the time until another query serves an event.
    """
    from rankcast.pipeline.spark import local_session, serve_store
    from rankcast.pipeline.spark.failures import wait_for
    from rankcast.pipeline.spark.sinks import sink_of

    spark = local_session(cores=cores, memory="3g", is_light=True)
    run = time.monotonic_ns()
    start = partial(
        serve_store,
        spark,
        store_at,
        folder / f"checkpoint-{run}",
        shards=shards,
        max_events=max_events,
        sink=[sink_of(f"parquet:{folder / f'sent-{run}'}")] if is_to_files else [],
        has_deliveries=not is_to_files,
    )
    query = start()
    figures: list[dict[str, float]] = []
    with Store.open(store_at) as store:
        began = time.monotonic()
        while store.progress().offset < 1:
            if wait_for(query, 0.5):
                raise RuntimeError("the pipeline has ended")
        ready = time.monotonic() - began
        caught_up, spent = 0.0, dict[str, float]()
        if warm:
            query.stop()
            store.publish(world.events(1, warm), batch=10_000)
            query = start()
            while (reached := store.progress().offset) < 2:
                if wait_for(query, 0.02):
                    raise RuntimeError("the pipeline has ended")
            again, before = time.monotonic(), processor_times()
            served_to(query, store)
            left = store.last_offset() - reached
            caught_up = left / (time.monotonic() - again)
            spent = {f"{kind}_us": (now - before[kind]) / left * 1e6 for kind, now in processor_times().items()}
        for load in phases:
            found = phase(query, store, store_at, load, world)
            once = {"ready_s": ready, "caught_up_per_s": caught_up, **spent, "memory_mb": memory_of_others()}
            figures.append({**found, **once})
        query.stop()
        for host in Path("/proc").glob("[0-9]*"):
            with suppress(OSError):
                if b"rankcast.pipeline.spark.live.host" in (host / "cmdline").read_bytes():
                    os.kill(int(host.name), signal.SIGKILL)
        began = time.monotonic()
        store.publish(world.events(store.last_offset(), 1))
        query = start()
        served_to(query, store)
        figures[-1]["restart_s"] = time.monotonic() - began
        query.stop()
    return figures


def phase(query: StreamingQuery, store: Store, place: str | Path, load: Load, world: World) -> dict[str, float]:
    """Publish, and change the catalog, at a rate in a store that is being served; return the results."""
    from rankcast.pipeline.spark.failures import wait_for

    before, first, known = store.last_delivery(), store.last_offset(), pipeline_of(store)

    def started(what: str, rate: float, start: int) -> subprocess.Popen[str]:
        given = map(str, (what, place, rate, load.seconds, start, *astuple(world)))
        return subprocess.Popen([sys.executable, pipeline_world.__file__, *given], stdout=subprocess.PIPE, text=True)

    feed = started("events", load.rate, first)
    change = started("changes", load.changes, store.version()) if load.changes else None
    while feed.poll() is None or (change is not None and change.poll() is None):
        if wait_for(query, 0.2):
            raise RuntimeError("the pipeline has ended")
    assert feed.stdout is not None
    published, began, ended = map(float, feed.stdout.read().split())
    changes_per_s = 0.0
    if change is not None:
        assert change.stdout is not None
        changed, start, end = map(float, change.stdout.read().split())
        changes_per_s = changed / (end - start)
    lag = store.last_offset() - store.progress().offset
    served_to(query, store)
    took = time.monotonic() - began
    after = pipeline_of(store)
    waits = latencies(store, before)
    made = [progress for progress in query.recentProgress if progress["numInputRows"]][
        known.last_batch - after.last_batch :
    ]
    return {
        "rate": load.rate,
        "changes_per_s": changes_per_s,
        "published_per_s": published / (ended - began),
        "served_per_s": published / took,
        "lag_at_end": lag,
        "batches": after.last_batch - known.last_batch,
        "matches_per_event": (after.matched - known.matched) / published,
        "deliveries_per_s": (after.delivered - known.delivered) / took,
        **shares(waits),
        "batch_s": float(np.median([progress["batchDuration"] / 1000 for progress in made])),
        **parts_of([progress["durationMs"] for progress in made]),
        "state_mb": after.state_bytes / 1e6,
    }


def parts_of(durations: Sequence[Mapping[str, int]]) -> dict[str, float]:
    """The median duration of each of Spark's steps of a micro-batch, in seconds."""
    names = {name for each in durations for name in each} - {"triggerExecution"}
    return {f"{name}_s": float(np.median([each.get(name, 0) for each in durations])) / 1000 for name in sorted(names)}


def of_this_session() -> Iterator[tuple[Path, list[str]]]:
    """The folder in /proc, and the fields of `stat` after the name, of each process of this session."""
    for folder in Path("/proc").glob("[0-9]*"):
        with suppress(OSError):
            fields = folder.joinpath("stat").read_text().rpartition(")")[2].split()
            if int(fields[3]) == os.getsid(0):
                yield folder, fields


def memory_of_others() -> float:
    """The memory of the other processes of this session (Spark and the shards), in MB."""
    pages = sum(int(fields[21]) for folder, fields in of_this_session() if int(folder.name) != os.getpid())
    return pages * os.sysconf("SC_PAGE_SIZE") / 1e6


def processor_times() -> dict[str, float]:
    """The processor time so far, in seconds: of Spark's JVM, its workers, the processes that serve or match, this one."""
    spent = dict.fromkeys(("spark", "workers", "shards", "matching", "driver"), 0.0)
    for folder, fields in of_this_session():
        with suppress(OSError):
            command = (folder / "cmdline").read_bytes()
            if command.split(b"\0")[0].endswith(b"java"):
                kind = "spark"
            elif b"spark.live.host" in command:
                kind = "matching" if b"-match" in command else "shards"
            else:
                kind = "workers" if b"spark.daemon" in command else "driver"
            spent[kind] += (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")
    return spent


def pipeline_of(store: Store) -> Pipeline:
    """The pipeline that serves the store, and its progress."""
    known = store.pipeline()
    assert known is not None
    return known


def served_to(query: StreamingQuery, store: Store) -> None:
    """Wait until all published events are served."""
    from rankcast.pipeline.spark.failures import wait_for

    while store.progress().offset < store.last_offset():
        if wait_for(query, 0.2):
            raise RuntimeError("the pipeline has ended")


def overhead(folder: Path, world: World, count: int) -> None:
    """Compare `deliver` on a batch DataFrame with the same shards in plain processes, on the same cores."""
    from rankcast.pipeline.spark import deliver, local_session

    catalog = Catalog(list(world.records()))
    given = world.events(1, count)
    cores = os.cpu_count() or 1
    from rankcast.language import dumps, encode_event, encode_record

    for number in range(cores):
        served = [user for user in catalog.users() if shard_of(user, cores) == number]
        own = [record for user in served for record in (*catalog.subscriptions_of(user), catalog.policy_of(user))]
        lines = "".join(f"{dumps(encode_record(record))}\n" for record in own)
        (folder / f"catalog-{number}.jsonl").write_text(lines)
    texts = folder / "events.jsonl"
    texts.write_text("".join(f"{dumps(encode_event(event))}\n" for event in given))
    spark = local_session()
    for turn in range(2):
        began = time.perf_counter()
        workers = [
            subprocess.Popen([sys.executable, __file__, "alone", str(folder / f"catalog-{n}.jsonl"), str(texts)])
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
            users=world.users,
            events=count,
            deliveries=rows,
            in_process_s=alone,
            spark_s=on_spark,
            ratio=on_spark / alone,
        )


def alone(lines: str, texts: str) -> None:
    """Run one shard in this process: the work of a Spark worker, without Spark."""
    from rankcast.engine.arrays import BatchShard
    from rankcast.language import decode_event, decode_record

    with open(lines) as file:
        catalog = Catalog([decode_record(line) for line in file])
    with open(texts) as file:
        given = [decode_event(line).at(place) for place, line in enumerate(file, 1)]
    served = BatchShard(catalog)
    served.publish_columns(given).arrow()
    served.close_columns()


def main() -> None:
    """Run the chosen measurement."""
    if sys.argv[1:2] == ["alone"]:
        alone(*sys.argv[2:])
        return
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument(
        "what", choices=["store", "target", "overhead", "sizes", "shards", "cores", "users", "one", "shard", "changes"]
    )
    parser.add_argument("--users", type=int, default=None)
    parser.add_argument("--each", type=int, default=10, help="subscriptions of each user")
    parser.add_argument("--window", type=int, default=20_000, help="events")
    parser.add_argument("--events", type=int, default=100_000)
    parser.add_argument("--batch", type=int, default=10_000)
    parser.add_argument("--rate", type=float, default=5_000.0, help="events per second")
    parser.add_argument("--changes", type=float, default=50.0, help="of `changes`: changes of the catalog per second")
    parser.add_argument("--seconds", type=float, default=60.0)
    parser.add_argument("--warm", type=int, default=0, help="events before the measured ones")
    parser.add_argument("--wanted", type=float, default=1.0, help="the share of events that somebody asks for")
    parser.add_argument("--max-events", type=int, default=100_000, help="in a micro-batch, at most")
    parser.add_argument("--shards", type=int, default=2)
    parser.add_argument("--cores", type=int, default=None)
    parser.add_argument("--folder", type=Path, default=None, help="keep the stores here for the next run")
    parser.add_argument("--store", default=None, help="of `one`: serve a store in this empty database of PostgreSQL")
    parser.add_argument("--files", action="store_true", help="deliveries go to Parquet files only")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as temporary:
        measure(given, given.folder or Path(temporary), Path(temporary))


def measure(given: argparse.Namespace, folder: Path, runs: Path) -> None:
    """Run the measurement, with stores in one folder and copies of them in another."""
    folder.mkdir(exist_ok=True)

    def world_of(users: int) -> World:
        return World(given.users or users, given.each, given.window, given.wanted)

    def run(what: str, world: World, shards: int, max_events: int, phases: Sequence[Load]) -> None:
        if given.store is not None:
            fill(given.store, world)
        store_at = given.store or copy_of(store_for(folder, world), runs)
        found = live(store_at, runs, world, shards, phases, given.cores, max_events, given.warm, given.files)
        for load, figures in zip(phases, found, strict=True):
            told = {"users": world.users, "shards": shards, "max_events": max_events, "cores": given.cores or 0}
            say(what, phase=load.name, **told, **figures)
        if given.store is None:
            Path(store_at).unlink()

    load = Load("load", given.rate, given.seconds)
    match given.what:
        case "store":
            store_for(folder, world_of(100_000))
        case "shard":
            gc.disable()  # as in the processes that hold shards
            shard(world_of(20_000), given.events, given.batch, given.shards)
        case "overhead":
            overhead(runs, world_of(10_000), given.events)
        case "target":
            run("target", world_of(100_000), given.shards, given.max_events, [Load("low load", 1.0, 30.0), load])
        case "sizes":
            for users in (1_000, 10_000) if given.users is None else (given.users,):
                for shards in (1, 2, 4):
                    for size in (1_000, 10_000, 50_000):
                        run("sizes", world_of(users), shards, size, [load])
        case "shards":
            world = World(given.users or 10_000, given.each, given.window, wanted=0.01)  # one match per event
            for shards in (2, 8, 16, 32, 128):
                run("shards", world, shards, given.max_events, [Load("low load", 1.0, 20.0)])
        case "cores":
            store_for(folder, world_of(10_000))
            for cores in (1, 2):
                asked = ["one", *sys.argv[2:], "--cores", str(cores), "--folder", str(folder)]
                subprocess.run([sys.executable, __file__, *asked], check=True)
        case "changes":
            changed = load._replace(name="load with changes", changes=given.changes)
            run("changes", world_of(10_000), given.shards, given.max_events, [load, changed])
        case "one":
            if given.cores is not None:
                os.sched_setaffinity(0, range(given.cores))  # the processes that hold the shards inherit it
            run("one", world_of(10_000), given.shards, given.max_events, [load])
        case "users":
            for users in (1_000, 10_000, 100_000, 1_000_000):
                if users <= (given.users or users):
                    world = World(users, given.each, given.window, given.wanted)
                    run("users", world, given.shards, given.max_events, [load])


if __name__ == "__main__":
    main()

"""Kill the pipeline repeatedly while events are published, and check that nothing is lost or delivered twice.

    python benchmarks/kills.py --kills 30
    python benchmarks/kills.py --kills 20 --cluster      as root: a master and two workers in network namespaces

Events are published to a store continuously, and its catalog changes. `rankcast run --engine spark --follow` serves
it. All its processes are killed (SIGKILL) at random times, mostly during micro-batches, sometimes during startup. In
the end the deliveries must equal those of one undisturbed run.

On the cluster, the store is in PostgreSQL and executors also write Parquet files. Executors, workers and the driver are
killed, the network of a worker is cut, and workers join and leave. Store and files must equal an undisturbed run.
"""

import argparse
import os
import random
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING

sys.path.insert(0, str(Path(__file__).parents[1] / "tests" / "support"))

from rankcast.engine.reference.shard import Shard
from rankcast.language import parse
from rankcast.model import Delivery, Event, Length, Mode, Policy, Record, Subscription
from rankcast.store import Store

if TYPE_CHECKING:
    from postgresql_server import Server
    from spark_cluster import NamespaceCluster

START = datetime(2026, 1, 1, tzinfo=UTC)
_AHEAD = 3_000
MODES = (Mode.ALL, Mode.PERIODIC, Mode.SLIDING, Mode.HISTORY)


def records(users: int) -> Iterator[Record]:
    """Users with all delivery modes."""
    for number in range(users):
        yield Subscription(f"s{number}", f"user{number}", parse(f"x > {number % 7}"), 0.5)
        yield Subscription(f"t{number}", f"user{number}", parse(f"y = {number % 5}"), 0.8)
        yield Policy(f"user{number}", mode=MODES[number % 4], k=2, length=Length(20), sigma=0.5 if number % 3 else 1.0)


class Publisher(threading.Thread):
    """Publishes continuously, and sometimes changes the catalog."""

    def __init__(self, store: str, seed: int, rate: float) -> None:
        super().__init__(daemon=True)
        self._path, self._chance, self._rate = store, random.Random(seed), rate
        self.enough = threading.Event()

    def run(self) -> None:
        """Publish until told to stop."""
        chance, number = self._chance, 0
        with Store.open(self._path) as store:
            while not self.enough.is_set():
                size = chance.randint(1, 20)
                store.publish(
                    Event(f"e{n:06d}", START + timedelta(seconds=n), {"x": (chance.randint(0, 9),), "y": (n % 5,)})
                    for n in range(number, number + size)
                )
                number += size
                if chance.random() < 0.05:
                    user = f"user{chance.randint(0, 30)}"
                    new = Subscription(f"n{number}", user, parse(f"x = {chance.randint(0, 9)}"), 0.9)
                    store.change(put=[new])
                self.enough.wait(size / self._rate)
                while store.last_offset() - store.progress().offset > _AHEAD and not self.enough.wait(0.1):
                    pass  # on a slow machine, serving the rest at the end would take long


class Pipeline:
    """The command, with all its processes in one group."""

    def __init__(self, store: str, log: Path, *more: str, cluster: "NamespaceCluster | None" = None) -> None:
        command = [sys.executable, "-c", "from rankcast.cli.main import main; main()", "run", "--engine", "spark"]
        self._said = open(log, "ab")  # noqa: SIM115  closed with the process
        command += ["--store", store, *more]
        self.process = subprocess.Popen(
            command if cluster is None else cluster.command(*command),
            stdin=subprocess.DEVNULL,
            stdout=self._said,
            stderr=self._said,
            start_new_session=True,
            env=None if cluster is None else cluster.environment(),
        )

    def kill(self) -> None:
        """Kill all processes with SIGKILL."""
        os.killpg(self.process.pid, signal.SIGKILL)
        self.process.wait()
        self._said.close()

    def finish(self) -> int:
        """Wait until it ends; return its exit code."""
        code = self.process.wait(600)
        self._said.close()
        return code


def expected(store: Store, close: bool = True) -> list[Delivery]:
    """The deliveries of a single shard that serves the whole log, and its end."""
    shard, version, deliveries = Shard(store.catalog(1)), 1, []
    for logged in store.events():
        if logged.catalog_version != version:
            version = logged.catalog_version
            deliveries += shard.update(store.catalog(version))
        deliveries += shard.publish([logged.event])
    return sorted([*deliveries, *(shard.close() if close else [])], key=lambda one: one.order)


def disturb(folder: Path, kills: int, seed: int, rate: float = 100.0) -> tuple[int, int, int]:
    """Publish, kill, finish, compare; return the number of events, deliveries and micro-batches."""
    chance = random.Random(seed)
    place, log = str(folder / "store.db"), folder / "run.log"
    with Store.create(place) as store:
        store.change(put=list(records(40)))
        publisher = Publisher(place, seed, rate)
        publisher.start()
        for number in range(1, kills + 1):
            size = str(chance.choice([50, 200, 1000]))
            pipeline = Pipeline(place, log, "--shards", "2", "--follow", "--max-events-per-batch", size)
            before = _batch(store)
            waited = time.monotonic()
            if chance.random() < 0.8:  # otherwise kill it during startup
                while _batch(store) == before and pipeline.process.poll() is None and time.monotonic() - waited < 300:
                    time.sleep(0.05)
                time.sleep(chance.uniform(0, 3))
            else:
                time.sleep(chance.uniform(0, 8))
            if pipeline.process.poll() is not None:
                raise AssertionError(f"the pipeline ended by itself:\n{log.read_text()[-3000:]}")
            pipeline.kill()
            print(
                f"kill {number}: batch {_batch(store)}, {store.progress().offset} of {store.last_offset()} events",
                flush=True,
            )
        publisher.enough.set()
        publisher.join()
        if (code := Pipeline(place, log, "--shards", "2", "--once", "--close").finish()) != 0:
            raise AssertionError(f"exit code {code}:\n{log.read_text()[-3000:]}")
        _compare(store, expected(store))
        return store.last_offset(), store.last_delivery(), _batch(store) + 1


CLUSTER = ("join", "executor", "cut", "leave", "driver", "executor", "worker")
"""What happens on the cluster, which begins with one worker; longer runs repeat it."""


class DisturbedCluster:
    """A pipeline on a cluster of namespaces, with a store in PostgreSQL and a folder of files.

    `settings` are those of Spark with which executors find this package. `seconds` is how long a network is cut.
    """

    def __init__(
        self,
        cluster: "NamespaceCluster",
        server: "Server",
        url: str,
        folder: Path,
        settings: dict[str, str],
        seconds: float,
    ) -> None:
        from spark_cluster import MASTER

        self._cluster = cluster
        self._seconds = seconds
        cluster.forward(server.folder / f".s.PGSQL.{server.port}", 5432)
        self._url = url.replace(f"127.0.0.1:{server.port}", "10.77.0.1:5432")
        self._log = folder / "run.log"
        self.files = folder / "sent"
        given = {"spark.executor.memory": "512m", **settings}
        options = ("--shards", "4", "--master", MASTER, "--checkpoint", str(folder / "checkpoint"))
        sink = ("--sink", f"parquet:{self.files}")
        self._options = (*options, *sink, *(f"--conf={name}={value}" for name, value in given.items()))
        self._pipeline = self._started("--follow")
        self._workers = {1}

    def do(self, action: str, served: Callable[[], bool]) -> None:
        """Disturb the pipeline, then wait until it serves on."""
        cluster = self._cluster
        match action:
            case "join":
                self._join(2)
                self._until(
                    lambda: bool(cluster.processes(2, "rankcast.pipeline.spark.live.host")), "shards on worker 2"
                )
            case "leave":
                self._workers.discard(2)
                cluster.kill_worker(2)
                self._until(lambda: not cluster.executors(2), "the end of the executor")
            case "worker":
                cluster.kill_worker(1)
                self._workers.discard(1)
                self._join(1)
            case "executor":
                for pid in cluster.executors(max(self._workers)):
                    os.kill(pid, signal.SIGKILL)
            case "driver":
                self._pipeline.kill()
                self._pipeline = self._started("--follow")
            case "cut":
                cluster.cut(max(self._workers))
                time.sleep(self._seconds)
                cluster.mend(max(self._workers))
        self._until(served, f"serving after {action}")

    def end(self) -> None:
        """Kill the pipeline, if it runs."""
        if self._pipeline.process.poll() is None:
            self._pipeline.kill()

    def _started(self, *more: str) -> Pipeline:
        return Pipeline(self._url, self._log, *self._options, *more, cluster=self._cluster)

    def _join(self, number: int) -> None:
        self._cluster.start_worker(number)
        self._cluster.wait_for_worker(number)
        self._workers.add(number)

    def _until(self, condition: Callable[[], bool], what: str) -> None:
        deadline = time.monotonic() + 600
        while not condition():
            if self._pipeline.process.poll() is not None or time.monotonic() > deadline:
                raise AssertionError(f"no {what}:\n{self._log.read_text(errors='replace')[-5000:]}")
            time.sleep(0.1)


def disturb_cluster(
    folder: Path,
    cluster: "NamespaceCluster",
    server: "Server",
    settings: dict[str, str],
    actions: Sequence[str],
    seconds: float,
    seed: int,
    rate: float,
) -> tuple[int, int, int]:
    """Publish, disturb a cluster that has its first worker, compare; return the same as `disturb`."""
    from pyarrow import parquet

    with server.place() as url, Store.create(url) as store:
        store.change(put=list(records(40)))
        publisher = Publisher(url, seed, rate)
        publisher.start()
        pipeline = DisturbedCluster(cluster, server, url, folder, settings, seconds)
        try:
            for number, action in enumerate(["start", *actions]):
                began, published = time.monotonic(), store.last_offset()
                pipeline.do(action, lambda up_to=published: store.reached() > up_to)
                took = time.monotonic() - began
                print(f"{number} {action}: {took:.0f} s, {store.reached()} of {store.last_offset()} events", flush=True)
            publisher.enough.set()
            publisher.join()
            pipeline.do("nothing", lambda: store.reached() == store.last_offset())
        finally:
            publisher.enough.set()
            pipeline.end()
        wanted = expected(store, close=False)
        _compare(store, wanted)
        rows = parquet.read_table(pipeline.files, columns=["user", "event"]).to_pylist()
        assert sorted((row["user"], row["event"]) for row in rows) == sorted((one.user, one.event) for one in wanted)
        return store.last_offset(), store.last_delivery(), _batch(store) + 1


def _compare(store: Store, wanted: list[Delivery]) -> None:
    got = sorted((one for _, one in store.deliveries()), key=lambda one: one.order)
    assert store.progress().offset == store.last_offset()
    assert len(got) == len(wanted), f"{len(got)} deliveries, {len(wanted)} expected"
    assert got == wanted


def _batch(store: Store) -> int:
    known = store.pipeline()
    return -1 if known is None else known.last_batch


def _on_cluster(folder: Path, kills: int, seconds: float, seed: int, rate: float) -> tuple[int, int, int]:
    """With all that executors need in the archive that the documentation names."""
    import postgresql_server
    from spark_cluster import PYTHON, NamespaceCluster

    from rankcast.pipeline.spark.packing import pack_libraries, settings_for

    pack_libraries(folder / "rankcast.tar.gz")
    settings = {**settings_for(folder / "rankcast.tar.gz"), "spark.pyspark.python": PYTHON}
    actions = [CLUSTER[number % len(CLUSTER)] for number in range(kills)]
    with postgresql_server.server() as server, NamespaceCluster(folder, (1,)) as cluster:
        return disturb_cluster(folder, cluster, server, settings, actions, seconds, seed, rate)


def main() -> None:
    """Run the benchmark."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--kills", type=int, default=30)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--rate", type=float, default=100.0, help="events per second")
    parser.add_argument("--cluster", action="store_true", help="on a cluster in network namespaces")
    parser.add_argument("--cut", type=float, default=30.0, help="seconds for which the network of a worker is cut")
    given = parser.parse_args()
    began = time.monotonic()
    with tempfile.TemporaryDirectory() as folder:
        if given.cluster:
            found = _on_cluster(Path(folder), given.kills, given.cut, given.seed, given.rate)
        else:
            found = disturb(Path(folder), given.kills, given.seed, given.rate)
    events, deliveries, batches = found
    print(
        f"{given.kills} disturbances in {time.monotonic() - began:.0f} s: {events} events, {deliveries} deliveries in {batches} micro-batches, "
        "the same as undisturbed"
    )


if __name__ == "__main__":
    main()

"""Kill the pipeline repeatedly while events are published, and check that nothing is lost or delivered twice.

    python benchmarks/kills.py --kills 30
    python benchmarks/kills.py --kills 10 --cluster      also kills executors of a small cluster

Events are published to a store continuously, and its catalog changes. `rankcast run --engine spark --follow` serves
it. All its processes are killed (SIGKILL) at random times, mostly during micro-batches, sometimes during startup. In
the end the deliveries must equal those of one undisturbed run.
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
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

from rankcast.engine.reference.shard import Shard
from rankcast.language import parse
from rankcast.model import Delivery, Event, Length, Mode, Policy, Record, Subscription
from rankcast.store import Store

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

    def __init__(self, store: Path, seed: int, rate: float) -> None:
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

    def __init__(self, store: Path, log: Path, *more: str) -> None:
        command = [sys.executable, "-c", "from rankcast.cli.main import main; main()", "run", "--engine", "spark"]
        self._said = open(log, "ab")  # noqa: SIM115  closed with the process
        self.process = subprocess.Popen(
            [*command, "--store", str(store), "--shards", "2", *more],
            stdin=subprocess.DEVNULL,
            stdout=self._said,
            stderr=self._said,
            start_new_session=True,
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


def expected(store: Store) -> list[Delivery]:
    """The deliveries of a single shard that serves the whole log."""
    shard, version, deliveries = Shard(store.catalog(1)), 1, []
    for logged in store.events():
        if logged.catalog_version != version:
            version = logged.catalog_version
            deliveries += shard.update(store.catalog(version))
        deliveries += shard.publish([logged.event])
    return sorted([*deliveries, *shard.close()], key=lambda one: one.order)


def disturb(folder: Path, kills: int, seed: int, rate: float = 100.0, cluster: bool = False) -> tuple[int, int, int]:
    """Publish, kill, finish, compare; return the number of events, deliveries and micro-batches."""
    chance = random.Random(seed)
    place, log = folder / "store.db", folder / "run.log"
    more = ("--master", "local-cluster[2,1,1024]") if cluster else ()
    with Store.create(place) as store:
        store.change(put=list(records(40)))
        publisher = Publisher(place, seed, rate)
        publisher.start()
        for number in range(1, kills + 1):
            pipeline = Pipeline(
                place, log, "--follow", "--max-events-per-batch", str(chance.choice([50, 200, 1000])), *more
            )
            before = _batch(store)
            waited = time.monotonic()
            if chance.random() < 0.8:  # otherwise kill it during startup
                while _batch(store) == before and pipeline.process.poll() is None and time.monotonic() - waited < 300:
                    time.sleep(0.05)
                time.sleep(chance.uniform(0, 3))
                if cluster and _kill_executor(pipeline.process.pid, chance):
                    time.sleep(chance.uniform(0, 5))
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
        if (code := Pipeline(place, log, "--once", "--close", *more).finish()) != 0:
            raise AssertionError(f"exit code {code}:\n{log.read_text()[-3000:]}")
        got = sorted((one for _, one in store.deliveries()), key=lambda one: one.order)
        wanted = expected(store)
        assert store.progress().offset == store.last_offset()
        assert len(got) == len(wanted), f"{len(got)} deliveries, {len(wanted)} expected"
        assert got == wanted
        return store.last_offset(), len(got), _batch(store) + 1


def _batch(store: Store) -> int:
    known = store.pipeline()
    return -1 if known is None else known.last_batch


def _kill_executor(group: int, chance: random.Random) -> bool:
    """Kill one executor of the cluster; the driver must continue."""
    executors = []
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            try:
                is_ours = os.getpgid(int(entry.name)) == group
                if is_ours and b"CoarseGrainedExecutorBackend" in (entry / "cmdline").read_bytes():
                    executors.append(int(entry.name))
            except (OSError, ProcessLookupError):
                continue
    if executors:
        os.kill(chance.choice(sorted(executors)), signal.SIGKILL)
    return bool(executors)


def main() -> None:
    """Run the benchmark."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--kills", type=int, default=30)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--rate", type=float, default=100.0, help="events per second")
    parser.add_argument("--cluster", action="store_true", help="on local-cluster[2,1,1024]; kill executors, too")
    given = parser.parse_args()
    began = time.monotonic()
    with tempfile.TemporaryDirectory() as folder:
        events, deliveries, batches = disturb(Path(folder), given.kills, given.seed, given.rate, given.cluster)
    print(
        f"{given.kills} kills in {time.monotonic() - began:.0f} s: {events} events, {deliveries} deliveries in {batches} micro-batches, "
        "the same as undisturbed"
    )


if __name__ == "__main__":
    main()

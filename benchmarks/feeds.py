"""Live feeds under load: many listeners and publishes per second on one service. Is anything lost? Does memory grow?

    python benchmarks/feeds.py --feeds 200 --rate 500 --seconds 60

The service is `rankcast serve` with tokens and the embedded pipeline, in separate processes. This process makes the
load: one connection per feed, and single publishes over 64 connections. In the end each feed must have received
exactly the deliveries that the store has for its user, in order and once.
"""

import argparse
import asyncio
import json
import os
import subprocess
import sys
import tempfile
import time
from collections import deque
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from statistics import quantiles
from threading import Thread
from typing import NamedTuple

from rankcast.language import decode_record
from rankcast.service.access import Access, Role
from rankcast.store import Store

HOST = "127.0.0.1"
CATEGORIES = 20
CONNECTIONS = 64
POLICIES = (
    {},
    {"mode": "sliding", "k": 5, "length": 100, "sigma": 0.5},
    {"mode": "history", "k": 5, "length": 50},
    {"mode": "periodic", "k": 5, "length": 100},
)
"""One policy of each mode (all, sliding, history, periodic), for a quarter of the users each."""


@dataclass
class Feed:
    """What one listener received: delivery numbers and times."""

    user: str
    numbers: list[int] = field(default_factory=list)
    waits: list[float] = field(default_factory=list)


def filled(place: str, feeds: int) -> tuple[dict[str, str], str]:
    """Create a store with a subscription and a policy per user; return the tokens of the users and of a publisher."""
    with Store.create(place) as store:
        records = []
        for number in range(feeds):
            user = f"user{number:03}"
            where = f"category = 'c{number % CATEGORIES}' and price < {40 + number % 50}"
            records.append(decode_record({"kind": "subscription", "id": f"s{number}", "user": user, "where": where}))
            if policy := POLICIES[number // CATEGORIES % len(POLICIES)]:
                records.append(decode_record({"kind": "policy", "user": user, **policy}))
        store.change(put=records)
        access = Access(store)
        tokens = {f"user{number:03}": access.create(Role.USER, f"user{number:03}")[0] for number in range(feeds)}
        return tokens, access.create(Role.PUBLISHER, "load")[0]


def started(place: str, options: Sequence[str] = ("--no-page",)) -> tuple["subprocess.Popen[str]", int]:
    """Start the service; return it and its port once it listens."""
    command = [sys.executable, "-c", "from rankcast.cli.main import main; main()"]
    command += ["serve", "--store", place, "--port", "0", *options]
    process = subprocess.Popen(command, stderr=subprocess.PIPE, text=True)
    assert process.stderr is not None
    said = next((line for line in process.stderr if "is served at" in line), None)
    if said is None:
        raise SystemExit("the service did not start")
    # A service that cannot write its log would wait.
    Thread(target=deque, args=[process.stderr, 0], daemon=True).start()
    return process, int(said.split(" (")[0].rsplit(":", 1)[1])


async def listen(port: int, token: str, feed: Feed, sent: dict[str, float]) -> None:
    """Read a feed until it ends."""
    reader, writer = await asyncio.open_connection(HOST, port)
    path = f"/v1/users/{feed.user}/deliveries/live?after=0"
    writer.write(f"GET {path} HTTP/1.1\r\nHost: {HOST}\r\nAuthorization: Bearer {token}\r\n\r\n".encode())
    status = await reader.readline()
    if b"200" not in status:
        raise SystemExit(f"a feed was answered with {status.decode()}")
    # Each server-sent event is one chunk, so its lines are complete.
    while line := await reader.readline():
        if line.startswith(b"data: "):
            data = json.loads(line[6:])
            feed.numbers.append(data["number"])
            if (begun := sent.get(data["event"])) is not None:  # others were delivered before
                feed.waits.append(time.monotonic() - begun)


async def publish(port: int, token: str, due: Iterator[tuple[float, int]], sent: dict[str, float]) -> int:
    """Publish each event when it is due, over one connection; return the number of acknowledged events."""
    reader, writer = await asyncio.open_connection(HOST, port)
    head = f"POST /v1/events HTTP/1.1\r\nHost: {HOST}\r\nAuthorization: Bearer {token}\r\nContent-Type: application/json\r\n"
    done = 0
    for at, number in due:
        await asyncio.sleep(max(0.0, at - time.monotonic()))
        attributes = {"category": f"c{number * 7 % CATEGORIES}", "price": number * 31 % 100, "color": f"k{number % 5}"}
        body = json.dumps({"id": f"e{number}", "attributes": attributes})
        sent[f"e{number}"] = time.monotonic()
        writer.write(f"{head}Content-Length: {len(body)}\r\n\r\n{body}".encode())
        answer = await reader.readuntil(b"\r\n\r\n")
        length = int(answer.lower().split(b"content-length:")[1].split(b"\r\n")[0])
        text = await reader.readexactly(length)
        if b" 201 " not in answer.split(b"\r\n")[0]:
            raise SystemExit(f"a publish was answered with {answer.decode()}{text.decode()}")
        done += 1
    writer.close()
    return done


class Sample(NamedTuple):
    """A sample of the service: memory in MiB, CPU time in seconds since its start."""

    at: float
    memory: float
    processor: float


async def watch(process: int, samples: list[Sample]) -> None:
    """Take a sample of the service and its pipeline every second."""
    children = Path(f"/proc/{process}/task/{process}/children").read_text().split()
    while True:
        each = [used(number) for number in (process, *children)]
        samples.append(Sample(time.monotonic(), sum(one[0] for one in each), sum(one[1] for one in each)))
        await asyncio.sleep(1)


def used(process: int | str) -> tuple[float, float]:
    """Memory in MiB and CPU time in seconds of a process."""
    memory = Path(f"/proc/{process}/status").read_text().split("VmRSS:")[1].split()[0]
    stat = Path(f"/proc/{process}/stat").read_text().rsplit(")", 1)[1].split()
    return int(memory) / 1024, (int(stat[11]) + int(stat[12])) / os.sysconf("SC_CLK_TCK")


async def load(
    port: int, process: int, tokens: dict[str, str], publisher: str, rate: float, seconds: float, store: Store
) -> bool:
    """Run the load, print the results, and return whether all requirements are met."""
    feeds = [Feed(user) for user in tokens]
    sent: dict[str, float] = {}
    samples: list[Sample] = []
    listening = [asyncio.create_task(listen(port, tokens[feed.user], feed, sent)) for feed in feeds]
    watching = asyncio.create_task(watch(process, samples))
    await asyncio.sleep(2)
    begun, own = time.monotonic(), time.process_time()
    total = round(rate * seconds)
    due = ((begun + number / rate, number) for number in range(total))
    acknowledged = sum(await asyncio.gather(*(publish(port, publisher, due, sent) for _ in range(CONNECTIONS))))
    took = time.monotonic() - begun
    wanted: dict[str, list[int]] = {}
    for _ in range(300):
        if store.progress().offset == total and sum(len(feed.numbers) for feed in feeds) >= store.last_delivery():
            break
        await asyncio.sleep(0.1)
    drained = time.monotonic() - begun - took
    loading = time.process_time() - own
    watching.cancel()
    for number, delivery in store.deliveries():
        wanted.setdefault(delivery.user, []).append(number)
    for task in listening:
        task.cancel()
    lost = sum(len(set(wanted.get(feed.user, [])) - set(feed.numbers)) for feed in feeds)
    repeated = sum(len(feed.numbers) - len(set(feed.numbers)) for feed in feeds)
    disordered = sum(feed.numbers != sorted(feed.numbers) for feed in feeds)
    waits = sorted(wait for feed in feeds for wait in feed.waits)
    cuts = quantiles(waits, n=100)
    # The first third fills caches and windows; a leak would continue after it.
    steady = [sample for sample in samples if sample.at > begun + seconds / 3]
    memory = [sample.memory for sample in steady]
    first, last = memory[: len(memory) // 3], memory[-(len(memory) // 3) :]
    growth = sum(last) / len(last) - sum(first) / len(first)
    during = [sample for sample in samples if sample.at > begun]
    serving = during[-1].processor - during[0].processor
    print(f"feeds                 {len(feeds)}")
    print(
        f"published             {acknowledged:,} in {took:.1f} s: {acknowledged / took:.0f} per second, all acknowledged"
    )
    print(
        f"deliveries            {len(waits):,}: {len(waits) / took:.0f} per second; drained {drained:.1f} s after the last publish"
    )
    print(f"lost                  {lost}")
    print(f"repeated              {repeated}")
    print(f"out of order          {disordered} feeds")
    print(
        f"publish to feed       median {cuts[49] * 1000:.0f} ms, 95 % {cuts[94] * 1000:.0f} ms, 99 % {cuts[98] * 1000:.0f} ms, "
        f"longest {waits[-1] * 1000:.0f} ms"
    )
    print(
        f"memory of the service {min(memory):.0f} to {max(memory):.0f} MiB; last against first third: {growth:+.1f} MiB"
    )
    print(
        f"processor             the service {serving / (took + drained):.2f}, the load {loading / (took + drained):.2f} of "
        f"{os.cpu_count()} cores; load of the machine {os.getloadavg()[0]:.1f}"
    )
    return not (lost or repeated or disordered) and acknowledged == total


def main() -> None:
    """Run the benchmark."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--feeds", type=int, default=200)
    parser.add_argument("--rate", type=float, default=500)
    parser.add_argument("--seconds", type=float, default=60)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        place = f"{folder}/store.db"
        tokens, publisher = filled(place, options.feeds)
        process, port = started(place)
        try:
            with Store.open(place) as store:
                right = asyncio.run(load(port, process.pid, tokens, publisher, options.rate, options.seconds, store))
        finally:
            process.terminate()
            process.wait(20)
    sys.exit(0 if right else 1)


if __name__ == "__main__":
    main()

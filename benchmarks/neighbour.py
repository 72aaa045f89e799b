"""A hostile neighbour at all limits: how much does it delay the deliveries of a quiet user?

    python benchmarks/neighbour.py --seconds 60

The service is `rankcast serve` in separate processes. A quiet publisher publishes a few events per second, and a
quiet user listens. First they are alone. Then, for the same time, a neighbour uses everything that the tokens of one
user and one publisher allow: the maximum number of subscriptions, the most expensive accepted policy, constant policy
changes, trials, explanations, feeds, events of the largest size at the highest rate, and anonymous requests for the
page. It does so in a process of its own. The quiet user's 99th percentile from publish to delivery must stay within
three times its value without the neighbour. In the end, the stages at which the deliveries waited are printed.
"""

import argparse
import asyncio
import json
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Awaitable, Callable, Collection
from concurrent.futures import ProcessPoolExecutor
from itertools import pairwise
from multiprocessing import get_context
from statistics import fmean, quantiles
from typing import Any, NamedTuple

from feeds import HOST, Feed, listen, started

from rankcast.language import decode_record
from rankcast.service.access import Access, Role
from rankcast.store import Store

QUIET_RATE = 5.0
WARM = 10.0
"""Seconds in which compiled loops are loaded, before anything counts."""
STARTING = 2.0
"""Seconds until the neighbour's process has begun."""
GOAL = 3.0
PIECE = 60_000
"""Characters of one attribute of a large event: a string may have 65,536."""
STAGES = ("the log is free", "it is taken up", "it is ranked", "it is received")
"""The stages of an event on its way: the lock of the store, the pipeline, the commit and the feed."""
POLICIES = (
    {"mode": "sliding", "k": 200, "length": 1000, "sigma": 0.5, "select": "improved"},
    {"mode": "sliding", "k": 100, "length": 500, "sigma": 0.5, "select": "improved"},
    {"mode": "sliding", "k": 50, "length": 1000, "sigma": 0.5},
    {"mode": "sliding", "k": 20, "length": 200, "sigma": 0.5},
    {"mode": "history", "k": 50, "length": 100_000, "sigma": 0.5},
    {"mode": "periodic", "k": 20, "length": 50, "sigma": 0.5},
)
"""The neighbour's policies, most expensive first; refused ones are skipped."""


class Tokens(NamedTuple):
    """The tokens of the quiet user and publisher, and of the neighbours."""

    quiet: str
    news: str
    mallory: str
    spam: str


def filled(place: str, subscriptions: int) -> Tokens:
    """Create a store: a quiet user with one subscription, and a neighbour with the maximum number; all match."""
    with Store.create(place) as store:
        records = [{"kind": "subscription", "id": "quiet", "user": "quiet", "where": "from = 'news'"}]
        records += [
            {"kind": "subscription", "id": f"m{number}", "user": "mallory", "where": f"x > -{number}"}
            for number in range(subscriptions)
        ]
        store.change(put=[decode_record(record) for record in records])
        access = Access(store)
        return Tokens(
            access.create(Role.USER, "quiet")[0],
            access.create(Role.PUBLISHER, "news")[0],
            access.create(Role.USER, "mallory")[0],
            access.create(Role.PUBLISHER, "spam")[0],
        )


async def ask(port: int, token: str | None, method: str, path: str, body: Any = None) -> int:
    """Send one request over its own connection; return the status."""
    reader, writer = await asyncio.open_connection(HOST, port)
    try:
        text = b"" if body is None else json.dumps(body).encode()
        sign = f"Authorization: Bearer {token}\r\n" if token else ""
        head = (
            f"{method} {path} HTTP/1.1\r\nHost: {HOST}\r\n{sign}Content-Type: application/json\r\nConnection: close\r\n"
        )
        writer.write(f"{head}Content-Length: {len(text)}\r\n\r\n".encode() + text)
        status = (await reader.readline()).split()
        while await reader.read(1 << 16):
            pass
        return int(status[1]) if len(status) > 1 else 0
    except (ConnectionError, asyncio.IncompleteReadError):
        return 0
    finally:
        writer.close()


async def publish_quietly(port: int, token: str, seconds: float, sent: dict[str, float], name: str) -> int:
    """Publish a few events per second; return their number."""
    count = round(QUIET_RATE * seconds)
    begun = time.monotonic()
    for number in range(count):
        await asyncio.sleep(max(0.0, begun + number / QUIET_RATE - time.monotonic()))
        event = f"{name}{number}"
        sent[event] = time.monotonic()
        status = await ask(port, token, "POST", "/v1/events", {"id": event, "attributes": {"from": "news"}})
        if status != 201:
            raise SystemExit(f"the quiet publisher was answered with {status}")
    return count


async def again(until: float, answers: Counter[str], what: str, request: Callable[[int], Awaitable[int]]) -> None:
    """Send one request after the other until the time is over; retry soon even when told to slow down."""
    number = 0
    while time.monotonic() < until:
        try:
            status = await asyncio.wait_for(request(number), until - time.monotonic() + 1)
        except TimeoutError:
            answers[f"{what} waited"] += 1
            return
        answers[f"{what} {status}"] += 1
        number += 1
        if status in (0, 429, 503):
            await asyncio.sleep(0.02)


async def harass(port: int, tokens: Tokens, seconds: float, size: int, only: Collection[str]) -> Counter[str]:
    """Do everything that two tokens allow, all at once; or only some kinds of it."""
    until = time.monotonic() + seconds
    answers: Counter[str] = Counter()
    mallory, spam = tokens.mallory, tokens.spam
    accepted = [
        policy for policy in POLICIES if await ask(port, mallory, "PUT", "/v1/users/mallory/policy", policy) < 300
    ]
    print(f"policies accepted      {len(accepted)} of {len(POLICIES)}; the costliest: {accepted[:1]}")
    pieces = {f"text{place}": "a" * min(PIECE, size - place) for place in range(0, size, PIECE)}
    large = {"attributes": {"x": 1, **pieces}}
    names = iter(range(10**9))

    def event(attributes: dict[str, Any]) -> dict[str, Any]:
        return {"id": f"spam{next(names)}", **attributes}

    loops: list[tuple[str, Callable[[int], Awaitable[int]]]] = [
        ("policy", lambda n: ask(port, mallory, "PUT", "/v1/users/mallory/policy", accepted[n % len(accepted)])),
        (
            "subscription",
            lambda n: ask(port, mallory, "PUT", f"/v1/users/mallory/subscriptions/m{n % 100}", {"where": f"x > -{n}"}),
        ),
        *[
            (
                "trial",
                lambda n: ask(
                    port, mallory, "POST", "/v1/users/mallory/trials/policy", {"policy": accepted[0], "limit": 5000}
                ),
            )
        ]
        * 4,
        *[
            (
                "expression",
                lambda n: ask(port, mallory, "POST", "/v1/users/mallory/trials/expression", {"where": "not (x = 1)"}),
            )
        ]
        * 2,
        *[("explanation", lambda n: ask(port, mallory, "GET", "/v1/users/mallory/explanations/spam1"))] * 2,
        ("deliveries", lambda n: ask(port, mallory, "GET", "/v1/users/mallory/deliveries?limit=1000")),
        *[("small event", lambda n: ask(port, spam, "POST", "/v1/events", event({"attributes": {"x": n}})))] * 4,
        *[("large event", lambda n: ask(port, spam, "POST", "/v1/events", event(large)))] * 2,
        (
            "bulk",
            lambda n: ask(port, spam, "POST", "/v1/events", [event({"attributes": {"x": i}}) for i in range(1000)]),
        ),
        *[("page", lambda n: ask(port, None, "GET", "/"))] * 2,
    ]
    chosen = [(what, request) for what, request in loops if not only or what in only]
    await asyncio.gather(*(again(until, answers, what, request) for what, request in chosen))
    return answers


def harass_apart(port: int, tokens: Tokens, seconds: float, size: int, only: Collection[str]) -> Counter[str]:
    """What `harass` does, in a process of its own, so that it delays the service and not those who measure it."""
    with ProcessPoolExecutor(1, get_context("spawn")) as process:
        return process.submit(_harass, port, tokens, seconds, size, only).result()


def _harass(port: int, tokens: Tokens, seconds: float, size: int, only: Collection[str]) -> Counter[str]:
    return asyncio.run(harass(port, tokens, seconds, size, only))


def percentile(waits: list[float]) -> tuple[float, float]:
    """Median and 99th percentile, in ms."""
    cuts = quantiles(waits, n=100)
    return cuts[49] * 1000, cuts[98] * 1000


def show_stages(place: str, sent: dict[str, float], feed: Feed, begin: int) -> None:
    """Print where the deliveries from number `begin` of the feed on waited: the median, the 99th percentile, and the
    mean of the slowest twentieth."""
    wall = time.time() - time.monotonic()
    rows = []
    with Store.open(place) as store:
        for number, wait in zip(feed.numbers[begin:], feed.waits[begin:], strict=True):
            ((_, made),) = store.deliveries("quiet", number - 1, 1)
            logged = store.event(made.event)
            assert logged is not None
            assert made.served is not None
            assert made.matched is not None
            instants = [sent[made.event] + wall]
            instants += [one.timestamp() for one in (logged.logged, made.served, made.matched)]
            instants.append(sent[made.event] + wait + wall)
            rows.append([after - before for before, after in pairwise(instants)])
    slowest = sorted(rows, key=sum)[-max(1, len(rows) // 20) :]
    for stage, what in enumerate(STAGES):
        middle, high = percentile([row[stage] for row in rows])
        mean = fmean(row[stage] for row in slowest) * 1000
        print(f"  until {what:16} median {middle:.0f} ms, 99 % {high:.0f} ms; mean of the slowest {mean:.0f} ms")


async def measure(place: str, port: int, tokens: Tokens, seconds: float, size: int, only: Collection[str] = ()) -> bool:
    """Measure without and with the neighbour; return whether the goal is met."""
    sent: dict[str, float] = {}
    feed = Feed("quiet")
    listening = asyncio.create_task(listen(port, tokens.quiet, feed, sent))
    await asyncio.sleep(2)
    await publish_quietly(port, tokens.news, WARM, sent, "warm")
    await asyncio.sleep(1)
    begin = len(feed.waits)
    await publish_quietly(port, tokens.news, seconds, sent, "alone")
    await asyncio.sleep(2)
    alone = feed.waits[begin:]
    begin = len(feed.waits)
    harassing = asyncio.create_task(asyncio.to_thread(harass_apart, port, tokens, seconds, size, only))
    await asyncio.sleep(STARTING)
    await publish_quietly(port, tokens.news, seconds, sent, "beside")
    answers = await harassing
    for _ in range(300):
        if len(feed.waits) == len(sent):
            break
        await asyncio.sleep(0.1)
    beside = feed.waits[begin:]
    listening.cancel()
    show_stages(place, sent, feed, begin)
    lost = len(sent) - len(feed.waits)
    print("answers               ", ", ".join(f"{what}: {count}" for what, count in sorted(answers.items())))
    first, second = percentile(alone), percentile(beside)
    print(f"alone                  median {first[0]:.0f} ms, 99 % {first[1]:.0f} ms ({len(alone)} deliveries)")
    print(
        f"beside the neighbour   median {second[0]:.0f} ms, 99 % {second[1]:.0f} ms ({len(beside)} deliveries, {lost} lost)"
    )
    print(f"ratio of the 99 %      {second[1] / first[1]:.2f} (goal: at most {GOAL:.0f})")
    failed = [what for what in answers if what.endswith(" 500")]
    return not lost and not failed and second[1] <= GOAL * first[1]


def main() -> None:
    """The command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seconds", type=float, default=60.0, help="how long each of the two parts takes")
    parser.add_argument("--subscriptions", type=int, default=1_000, help="how many the neighbour has")
    parser.add_argument("--size", type=int, default=200_000, help="characters of a large event")
    parser.add_argument(
        "--only", action="append", default=[], help="one kind of request, such as policy; may be repeated"
    )
    parser.add_argument("options", nargs="*", help="further options of rankcast serve, after --")
    chosen = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        place = f"{folder}/store.db"
        tokens = filled(place, chosen.subscriptions)
        process, port = started(place, chosen.options)
        try:
            met = asyncio.run(measure(place, port, tokens, min(chosen.seconds, 300.0), chosen.size, chosen.only))
        finally:
            process.terminate()
            process.wait(30)
    sys.exit(0 if met else 1)


if __name__ == "__main__":
    main()

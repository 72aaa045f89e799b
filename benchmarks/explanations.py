"""Explain deliveries and non-deliveries of a mixed run, and compare each explanation with the log.

    python benchmarks/explanations.py                                 10,000 of each, from 20,000 events
    python benchmarks/explanations.py --events 2000 --each 300
    python benchmarks/explanations.py --store s.db --by library --cold

The users have every delivery mode, unit of length, filter and score. Two sources publish with different clocks, the
catalog changes, periods are ended by hand, and some events come late. Half of the non-deliveries matched a
subscription of the user.

`--by` chooses who answers: `library` calls `explain_logged`, and gets all questions. The others get every 50th: `page`
calls what the button "Why?" calls, in a trial process of the service; `api` sends HTTP requests; `command` runs
`rankcast explain --json` without the start of a process. The questions come in random order, one at a time, and each is
timed. A process remembers states that it has seen; with `--cold` it forgets them before every question, as if each were
the first one of a process. With `--store` the store is made once and stays.

The run fails if an answer contradicts the log, or if fewer than 99 % are given within 300 ms.
"""

import argparse
import json
import random
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import NamedTuple

from fastapi.testclient import TestClient
from typer.testing import CliRunner

from rankcast.cli.main import application
from rankcast.engine.explain import Explanation
from rankcast.language import parse
from rankcast.matching import OracleMatcher
from rankcast.model import (
    Advertisement,
    Event,
    Filter,
    FilterKind,
    Length,
    Mode,
    Policy,
    Ranking,
    Record,
    ScorePart,
    Scoring,
    Subscription,
    Unit,
    Update,
)
from rankcast.pipeline.explaining import MOST_EVENTS, explain_logged, forget_states
from rankcast.pipeline.local import serve_pending
from rankcast.service import ServiceSettings, create_app
from rankcast.service.trial_pool import TrialPool
from rankcast.service.trial_tasks import explain_event
from rankcast.store import Store
from rankcast.testing.clocks import SettableClock

GENRES = ("drama", "comedy", "noir", "short", "news", "horror")
START = datetime(2026, 11, 1, tzinfo=UTC)
LIMIT = 0.3
PROGRESS = 1_000
"""After each so many questions a line says how far the run is."""


def lengths(size: int) -> tuple[Length, ...]:
    """A length of each unit."""
    return Length(size), Length(max(2, size // 3), Unit.MATCHED), Length(timedelta(minutes=size), Unit.TIME)


def policies(size: int) -> Iterator[Policy]:
    """A policy of each kind, for users named after it."""
    yield Policy("all")
    yield Policy("authority", score={ScorePart.PREFERENCE: 0.5, ScorePart.AUTHORITY: 0.5}, authority={"b": 0.2})
    for length in lengths(size):
        for mode in (Mode.PERIODIC, Mode.SLIDING, Mode.HISTORY):
            for sigma in (1.0, 0.5):
                yield Policy(f"{mode.value}-{length.unit.value}-{sigma}", mode, 3, length, sigma=sigma)
    yield Policy("novel", Mode.SLIDING, 3, Length(size), score={ScorePart.PREFERENCE: 0.5, ScorePart.NOVELTY: 0.5})
    recent = {ScorePart.PREFERENCE: 0.5, ScorePart.RECENCY: 0.5}
    yield Policy("recent", Mode.SLIDING, 3, Length(size), score=recent, half_life=timedelta(minutes=size))
    for kind in FilterKind:
        for update in Update:
            settings = Filter(kind, 0.3, period=max(10, size // 2), update=update)
            yield Policy(f"filter-{kind.value}-{update.value}", filter=settings)
            by_score = replace(settings, scoring=Scoring.SCORE)
            if kind is not FilterKind.RANDOM:
                yield Policy(f"score-{kind.value}-{update.value}", Mode.PERIODIC, 3, Length(size), filter=by_score)


def records(size: int) -> Iterator[Record]:
    """Users with all policies, and an advertisement."""
    for number, policy in enumerate(policies(size)):
        yield policy
        for place, genre in enumerate(GENRES[:4]):
            where = f"genre = '{genre}' and year > {1900 + 7 * number % 60 + 5 * place}"
            yield Subscription(f"{policy.user}:{genre}", policy.user, parse(where), round(0.4 + 0.15 * place, 2))
        yield Subscription(f"{policy.user}:any", policy.user, parse("year > 2000"), 0.2)
    yield Advertisement("few", "studio", parse("true"), 12, Ranking.FAIR)


def event(number: int, chance: random.Random, clock: datetime) -> Event:
    """An event of one of two sources; those of the second are dated in another year, and some come late."""
    time_of = clock if number % 3 else clock - timedelta(days=365)
    if number % 17 == 0:
        time_of -= timedelta(minutes=chance.randint(0, 200))
    if number % 29 == 0:
        time_of += timedelta(minutes=chance.randint(0, 200))  # published by a clock that is ahead
    attributes = {
        "genre": tuple(chance.sample(GENRES, chance.randint(1, 2))),
        "year": (chance.randint(1890, 2020),),
        "stars": (chance.randint(1, 5),),
    }
    source = "a" if number % 2 else "b"
    return Event(
        f"e{number:06d}", time_of, attributes, source=source, advertisement="few" if number % 23 == 0 else None
    )


def mixed_store(place: Path, events: int, size: int, seed: int = 1, batch: int = 500) -> tuple[Store, SettableClock]:
    """A store that was served in many runs while its catalog changed."""
    chance, clock = random.Random(seed), SettableClock(START)
    store = Store.create(place, clock=clock)
    store.change(records(size))
    for first in range(1, events + 1, batch):
        published = []
        for number in range(first, min(first + batch, events + 1)):
            published.append(event(number, chance, clock()))
            clock.go_on(timedelta(minutes=1))
        store.publish(published)
        turn = first // batch
        for _ in serve_pending(store, close=turn % 5 == 4):
            pass
        user = chance.choice([policy.user for policy in policies(size)])
        if turn % 2:
            where = parse(f"genre = '{chance.choice(GENRES)}' and stars > {chance.randint(1, 4)}")
            store.change([Subscription(f"{user}:{turn}", user, where, 0.9)])
        if turn % 7 == 3:
            store.change([replace(store.catalog().policy_of(user), k=2 + turn % 3)])
    return store, clock


class Answer(NamedTuple):
    """What an explanation says: whether the event was sent, in one sentence, and what limits the explanation."""

    sent: bool
    verdict: str
    remark: str = ""


Ask = Callable[[str, str], Answer]


def contradicts(found: Answer | Explanation, delivered: bool) -> bool:
    """Whether an explanation says something else than the log."""
    says_sent = found.verdict.startswith("sent")
    return found.sent != delivered or says_sent != delivered


def pairs(store: Store, each: int, seed: int = 2) -> list[tuple[str, str, bool]]:
    """Deliveries and non-deliveries: user, event, and whether the event was delivered to the user."""
    chance = random.Random(seed)
    sent = [(delivery.user, delivery.event) for _, delivery in store.deliveries()]
    known, catalog = set(sent), store.catalog()
    users, events = catalog.users(), [entry.event for entry in store.events()]
    matchers = {user: OracleMatcher.of(catalog, catalog.subscriptions_of(user)) for user in users}
    others: dict[tuple[str, str], bool] = {}
    while len(others) < each:
        user, event = chance.choice(users), chance.choice(events)
        # Every other one matched: what did not match is easily explained.
        if (user, event.id) not in known and (len(others) % 2 or any(True for _ in matchers[user].match(event))):
            others[user, event.id] = False
    drawn = chance.sample(sent, min(each, len(sent)))
    asked = [(*pair, True) for pair in drawn] + [(*pair, False) for pair in others]
    chance.shuffle(asked)
    return asked


@contextmanager
def by_library(place: str) -> Iterator[Ask]:
    """Ask the function that all others call."""

    def ask(user: str, name: str) -> Answer:
        found = explain_logged(store, user, name)
        return Answer(found.sent, found.verdict, found.remark)

    with Store.open(place) as store:
        yield ask


@contextmanager
def by_page(place: str) -> Iterator[Ask]:
    """Ask what the button "Why?" asks: a trial process of the service."""
    pool = TrialPool()

    def ask(user: str, name: str) -> Answer:
        found = pool.run(user, explain_event, place, MOST_EVENTS, user, name)
        return Answer(found.sent, found.verdict, found.remark)

    try:
        yield ask
    finally:
        pool.stop()


@contextmanager
def by_api(place: str) -> Iterator[Ask]:
    """Ask over HTTP, without a network."""
    settings = ServiceSettings(store=place, dev=True, page=False, pipeline=False)
    with TestClient(create_app(settings), base_url="http://localhost") as client:

        def ask(user: str, name: str) -> Answer:
            found = client.get(f"/v1/users/{user}/explanations/{name}").json()
            return Answer(found["sent"], found["verdict"], found["remark"])

        yield ask


@contextmanager
def by_command(place: str) -> Iterator[Ask]:
    """Ask `rankcast explain --json`, in this process, of the application that the command makes for itself."""

    def ask(user: str, name: str) -> Answer:
        said = CliRunner().invoke(application("explain"), ["explain", user, name, "--store", place, "--json"])
        found = json.loads(said.stdout)
        return Answer(found["sent"], found["verdict"], found["remark"])

    yield ask


WAYS = {"library": by_library, "page": by_page, "api": by_api, "command": by_command}
PARTS = {"library": 1, "page": 50, "api": 50, "command": 50}
"""Each way gets every n-th question."""


def measure(
    place: str, way: str, asked: Sequence[tuple[str, str, bool]], limit: float = LIMIT, cold: bool = False
) -> bool:
    """Ask all questions in one way; print the figures; return whether none is wrong and 99 % come within the limit."""
    took: list[tuple[float, str, str]] = []
    wrong = inexact = 0
    with WAYS[way](place) as ask:
        ask(*asked[0][:2])  # loads what a running service has loaded
        for number, (user, name, delivered) in enumerate(asked, 1):
            if number % PROGRESS == 0:
                print(f"{way}: {number:,} of {len(asked):,} questions", file=sys.stderr, flush=True)
            if cold:
                forget_states()
            begun = time.perf_counter()
            found = ask(user, name)
            took.append((time.perf_counter() - begun, user, name))
            if contradicts(found, delivered):
                wrong += 1
                print(f"{user}, {name}: delivered {delivered}, but: {found.verdict}", file=sys.stderr)
            if found.remark:
                inexact += 1
                print(f"{user}, {name}: {found.remark}", file=sys.stderr)
    took.sort()
    quick = sum(seconds <= limit for seconds, _, _ in took) / len(took)
    middle, late = took[len(took) // 2][0], took[int(len(took) * 0.99)][0]
    sent = sum(delivered for _, _, delivered in asked)
    print(
        f"{way}: {sent:,} deliveries and {len(asked) - sent:,} non-deliveries: {wrong} contradict the log, {inexact} "
        f"could not be retraced; median {middle * 1e3:.1f} ms, 99 % within {late * 1e3:.0f} ms, "
        f"{quick:.2%} within {limit * 1e3:.0f} ms ({sum(seconds > limit for seconds, _, _ in took)} later)"
    )
    print("  slowest:", ", ".join(f"{seconds:.2f} s {user} {name}" for seconds, user, name in took[-5:]), flush=True)
    return not wrong and quick >= 0.99


def main() -> int:
    """Explain, compare and measure."""
    options = argparse.ArgumentParser(description=(__doc__ or "").split("\n", 1)[0])
    options.add_argument("--events", type=int, default=20_000)
    options.add_argument("--each", type=int, default=10_000)
    options.add_argument("--size", type=int, default=60, help="length of windows and periods")
    options.add_argument("--by", nargs="+", choices=WAYS, default=list(WAYS), help="who answers (default: all)")
    options.add_argument("--cold", action="store_true", help="forget remembered states before every question")
    options.add_argument("--store", type=Path, help="use this store; make it if it does not exist")
    given = options.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        place = given.store or Path(folder) / "store.db"
        if not place.exists():
            mixed_store(place, given.events, given.size)[0].close()
        with Store.open(place) as store:
            asked = pairs(store, given.each)
        print(f"{len(asked):,} questions", flush=True)
        well = [measure(str(place), way, asked[:: PARTS[way]], cold=given.cold) for way in given.by]
    return 0 if all(well) else 1


if __name__ == "__main__":
    sys.exit(main())

"""Explain deliveries and non-deliveries of a mixed run, and compare each explanation with the log.

    python benchmarks/explanations.py                                 10,000 of each, from 20,000 events
    python benchmarks/explanations.py --events 2000 --each 300

The users have every delivery mode, unit of length, filter and score. Two sources publish with different clocks, the
catalog changes, periods are ended by hand, and some events come late. The run fails if an explanation contradicts the
log, or if fewer than 99 % are answered within 300 ms.
"""

import argparse
import random
import sys
import tempfile
import time
from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

from rankcast.engine.explain import Explanation
from rankcast.language import parse
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
from rankcast.pipeline.explaining import explain_logged
from rankcast.pipeline.local import serve_pending
from rankcast.store import Store
from rankcast.testing.clocks import SettableClock

GENRES = ("drama", "comedy", "noir", "short", "news", "horror")
START = datetime(2026, 11, 1, tzinfo=UTC)
LIMIT = 0.3


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


def contradicts(found: Explanation, delivered: bool) -> bool:
    """Whether an explanation says something else than the log."""
    says_sent = found.verdict.startswith("sent")
    return found.sent != delivered or says_sent != delivered


def pairs(store: Store, each: int, seed: int = 2) -> list[tuple[str, str, bool]]:
    """Deliveries and non-deliveries: user, event, and whether the event was delivered to the user."""
    chance = random.Random(seed)
    sent = [(delivery.user, delivery.event) for _, delivery in store.deliveries()]
    known, users = set(sent), store.catalog().users()
    events = [entry.event.id for entry in store.events()]
    others: set[tuple[str, str]] = set()
    while len(others) < each:
        pair = chance.choice(users), chance.choice(events)
        if pair not in known:
            others.add(pair)
    drawn = chance.sample(sent, min(each, len(sent)))
    return [(*pair, True) for pair in drawn] + [(*pair, False) for pair in sorted(others)]


def main() -> int:
    """Explain, compare and measure."""
    options = argparse.ArgumentParser(description=(__doc__ or "").split("\n", 1)[0])
    options.add_argument("--events", type=int, default=20_000)
    options.add_argument("--each", type=int, default=10_000)
    options.add_argument("--size", type=int, default=60, help="length of windows and periods")
    given = options.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        store, _ = mixed_store(Path(folder) / "store.db", given.events, given.size)
        took: list[tuple[float, str, str]] = []
        wrong = inexact = 0
        for user, name, delivered in pairs(store, given.each):
            begun = time.perf_counter()
            found = explain_logged(store, user, name)
            took.append((time.perf_counter() - begun, user, name))
            if contradicts(found, delivered):
                wrong += 1
                print(f"{user}, {name}: delivered {delivered}, but: {found.verdict}", file=sys.stderr)
            inexact += bool(found.remark)
        store.close()
    took.sort()
    quick = sum(seconds <= LIMIT for seconds, _, _ in took) / len(took)
    middle, late = took[len(took) // 2][0], took[int(len(took) * 0.99)][0]
    print(
        f"{len(took):,} explanations of {given.events:,} events: {wrong} contradict the log, {inexact} could not be retraced"
    )
    print(f"median {middle * 1e3:.1f} ms, 99 % within {late * 1e3:.0f} ms, {quick:.1%} within {LIMIT * 1e3:.0f} ms")
    print("slowest:", ", ".join(f"{seconds:.2f} s {user} {name}" for seconds, user, name in took[-5:]))
    return 1 if wrong or quick < 0.99 else 0


if __name__ == "__main__":
    sys.exit(main())

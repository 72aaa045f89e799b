"""The fast engine against the oracle: rank and choose over the same stream and matches, as ratios in one run.

    .venv/bin/python benchmarks/delivery.py [--quick]

Both receive the matches of each event precomputed; matching has its own benchmark. The oracle returns a list of
deliveries, the fast engine returns columns (`rankcast.engine.arrays.Deliveries`). As objects they must be equal.
Making objects costs 2 µs each and is not timed. The user is that of the DEBS'09 experiments (30 subscriptions, about
half of the films match); the events are films in random order.

The fast engine fills the windows first. Then both continue from the same state over the same events. Times are CPU
times per user and event of that part. If there are several users, they are identical. The benchmark measures the
steady state: films of the first 40,000 are published again, so no set of subscriptions matches for the first time,
which would cost about 0.2 ms once.
"""

import argparse
import gc
import sys
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from time import process_time

import numpy as np
from rich.console import Console
from rich.table import Table

from rankcast.choose import Moment
from rankcast.engine.arrays import BatchShard, Matches
from rankcast.engine.reference.subscriber import Subscriber, deliveries_of
from rankcast.engine.states import unpack_states
from rankcast.lab.datasets import movies, subscriptions
from rankcast.matching import NO_CONCEPTS, matches
from rankcast.model import Catalog, Delivery, Event, Length, Mode, Policy, Subscription

sys.path.insert(0, str(Path(__file__).parents[1]))
from experiments.debs_common import chance

CHUNK = 10_000


@dataclass(frozen=True)
class Case:
    """A policy, the number of warm-up events, the number of events timed for the oracle, and the required ratio."""

    mode: Mode
    length: int
    k: int
    sigma: float
    warm: int
    timed: int
    goal: int
    users: int = 1


CASES = (
    Case(Mode.PERIODIC, 10_000, 20, 1.0, 40_000, 10_000, 100, users=20),
    Case(Mode.PERIODIC, 200, 20, 1.0, 40_000, 10_000, 100, users=20),
    Case(Mode.PERIODIC, 200, 20, 0.5, 1_000, 1_000, 100, users=20),
    Case(Mode.HISTORY, 10_000, 20, 1.0, 40_000, 10_000, 100, users=20),
    Case(Mode.HISTORY, 200, 20, 1.0, 40_000, 10_000, 100, users=20),
    Case(Mode.HISTORY, 200, 20, 0.5, 1_000, 1_000, 100, users=20),
    Case(Mode.SLIDING, 10_000, 20, 1.0, 15_000, 2_000, 1_000),
    Case(Mode.SLIDING, 200, 20, 0.5, 1_000, 1_000, 50),
)


@cache
def user_subscriptions() -> tuple[Subscription, ...]:
    """The 30 subscriptions of one user, who stays the same so that runs can be compared over the years."""
    return tuple(one for one in subscriptions(26, 30, seed=9, skew=0.4) if one.user == "u00026")


def found_by(events: list[Event]) -> list[list[int]]:
    """The positions of the user's subscriptions that each event matches."""
    mine = user_subscriptions()
    return [[n for n, one in enumerate(mine) if matches(one.where, event, NO_CONCEPTS)] for event in events]


def as_arrays(found: list[list[int]], users: int) -> Matches:
    """The same for the fast engine, for each of the users."""
    size = len(user_subscriptions())
    everybody = [[user * size + place for user in range(users) for place in places] for places in found]
    event = np.repeat(np.arange(len(found)), [len(places) for places in everybody])
    subscription = np.array([place for places in everybody for place in places], np.int64)
    return Matches(event, subscription, np.ones(len(event)))


def names(case: Case) -> list[str]:
    """The users, who all have the same subscriptions and policy."""
    return [f"user{number:02}" for number in range(case.users)]


def fast(shard: BatchShard, events: list[Event], found: list[list[int]], case: Case) -> tuple[list[Delivery], float]:
    """The deliveries of the fast engine, and its seconds."""
    chunks = [
        (events[start : start + CHUNK], as_arrays(found[start : start + CHUNK], case.users))
        for start in range(0, len(events), CHUNK)
    ]
    begin = process_time()
    columns = [shard.deliver(chunk, matched) for chunk, matched in chunks]
    seconds = process_time() - begin
    return [made for part in columns for made in part.records()], seconds


def slow(
    oracles: dict[str, Subscriber], catalog: Catalog, events: list[Event], found: list[list[int]]
) -> tuple[list[Delivery], float]:
    """The deliveries of the oracle, and its seconds."""
    mine = {user: catalog.subscriptions_of(user) for user in oracles}
    matched = [{user: [(mine[user][place], 1.0) for place in places] for user in oracles} for places in found]
    deliveries: list[Delivery] = []
    begin = process_time()
    for event, of_event in zip(events, matched, strict=True):
        moment = Moment(event.seq, event.time)
        for user, oracle in oracles.items():
            deliveries += deliveries_of(user, oracle.publish(moment, event, of_event[user]))
    return deliveries, process_time() - begin


def run(case: Case, events: list[Event], found: list[list[int]]) -> tuple[float, float, int]:
    """Microseconds per user and event of oracle and fast engine, and the number of deliveries."""
    catalog = Catalog()
    for user in names(case):
        for one in user_subscriptions():
            catalog.add(replace(one, id=f"{user}/{one.id}", user=user))
        catalog.add(Policy(user, mode=case.mode, k=case.k, length=Length(case.length), sigma=case.sigma))
    shard = BatchShard(catalog)
    fast(shard, events[: case.warm], found[: case.warm], case)
    states = unpack_states(shard.state())
    oracles = {user: Subscriber(user, catalog) for user in names(case)}
    for user, oracle in oracles.items():
        oracle.restore(states[user])
    part = slice(case.warm, case.warm + case.timed)
    gc.collect()
    gc.freeze()  # so that neither pays for collecting the benchmark's own objects
    deliveries, seconds = fast(shard, events[part], found[part], case)
    expected, slow_seconds = slow(oracles, catalog, events[part], found[part])
    assert deliveries == expected, f"the engines differ: {case}"
    each = 1e6 / case.timed / case.users
    return each * slow_seconds, each * seconds, len(deliveries)


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help="a tenth of the events")
    parts = 10 if parser.parse_args().quick else 1
    films = list(movies())
    first = sorted(films, key=lambda film: chance(film.id))[:40_000]
    again = [
        replace(film, id=f"again {film.id}") for film in sorted(first, key=lambda film: chance(f"again {film.id}"))
    ]
    events = [film.at(seq) for seq, film in enumerate([*first, *again[:10_000]], 1)]
    found = found_by(events)
    table = Table(title="Rank and choose: microseconds per user and published event")
    for name in ("mode", "length", "k", "sigma", "users", "oracle", "fast", "ratio", "goal", "sent", "µs a sent"):
        table.add_column(name, justify="left" if name == "mode" else "right")
    for case in CASES:
        oracle, quick, count = run(replace(case, timed=case.timed // parts), events, found)
        table.add_row(
            case.mode.value,
            f"{case.length:,}",
            str(case.k),
            f"{case.sigma:g}",
            str(case.users),
            f"{oracle:,.1f}",
            f"{quick:,.3f}",
            f"{oracle / quick:,.0f}",
            f"{case.goal:,}",
            f"{count:,}",
            f"{quick * (case.timed // parts) * case.users / count:,.2f}",
        )
        Console(stderr=True).print(f"{case.mode.value} {case.length} sigma {case.sigma:g}: {oracle / quick:,.0f} times")
    Console(width=110).print(table)


if __name__ == "__main__":
    main()

"""Selection in windows: plain definition, compiled loops and arrays over the same window, as ratios in one run.

    .venv/bin/python benchmarks/selection.py [--quick]

Each case fills a window, then serves further events that all match: with the plain definition (`Plain`, which
computes every distance again), with the reference engine, and over arrays in batches of 20. All three must choose the
same events. Times are CPU times per event. The plain definition is timed for few events, because each takes seconds.
"""

import argparse
import random
from dataclasses import dataclass
from datetime import timedelta
from time import process_time

from rich.console import Console
from rich.table import Table

from rankcast.choose import Candidate, DivRank, modes
from rankcast.engine.arrays import BatchShard
from rankcast.engine.reference.shard import Shard
from rankcast.engine.states import unpack_states
from rankcast.language import parse
from rankcast.model import EPOCH, Catalog, Delivery, Event, Length, Mode, Policy, Select, Subscription

BATCH = 20
GENRES = 8


class Plain(DivRank):
    """The same objective in plain Python, without compiled loops."""

    def pair_sums(self, chosen: list[Candidate]) -> None:
        """Return no sums, so that every pair is computed."""


@dataclass(frozen=True)
class Case:
    """A policy, the number of events for which the plain definition is timed, and the required ratio."""

    mode: Mode
    select: Select
    k: int
    length: int
    plain: int
    goal: int
    warm: int = 1


CASES = (
    Case(Mode.SLIDING, Select.GREEDY, 20, 200, 5, 20),
    Case(Mode.SLIDING, Select.GREEDY, 50, 200, 5, 20),
    Case(Mode.SLIDING, Select.IMPROVED, 100, 200, 2, 50),
    Case(Mode.SLIDING, Select.GREEDY, 200, 1000, 1, 100),
    Case(Mode.SLIDING, Select.IMPROVED, 200, 1000, 1, 100, warm=0),
    Case(Mode.HISTORY, Select.GREEDY, 100, 1000, 2, 100),
)


def events_of(count: int) -> list[Event]:
    """Events with four attributes, one of them a set; all match."""
    chance = random.Random(7)
    return [
        Event(
            f"e{seq}",
            EPOCH + timedelta(minutes=seq),
            {
                "genre": (f"g{chance.randrange(GENRES)}",),
                "year": (chance.randrange(50),),
                "colour": (chance.randrange(5),),
                "words": tuple({f"w{chance.randrange(9)}" for _ in range(2)}),
            },
            seq=seq,
        )
        for seq in range(1, count + 1)
    ]


def catalog_of(policy: Policy) -> Catalog:
    """One user, who likes some genres more than others."""
    chance = random.Random(8)
    catalog = Catalog([policy])
    for number in range(GENRES):
        catalog.add(Subscription(f"s{number}", "ann", parse(f"genre = 'g{number}'"), round(chance.random(), 2)))
    return catalog


def served(shard: Shard | BatchShard, events: list[Event], batch: int) -> tuple[list[Delivery], float]:
    """The deliveries, and seconds per event."""
    deliveries: list[Delivery] = []
    begin = process_time()
    for start in range(0, len(events), batch):
        deliveries += shard.publish(events[start : start + batch])
    return deliveries, (process_time() - begin) / max(len(events), 1)


def run(case: Case, timed: int) -> tuple[float, float, float]:
    """Milliseconds per event: plain, reference, arrays."""
    policy = Policy("ann", case.mode, case.k, Length(case.length), 0.5, select=case.select)
    catalog = catalog_of(policy)
    events = events_of(case.length + timed)
    filling, rest = events[: case.length], events[case.length :]
    modes.DivRank = Plain  # type: ignore[misc]
    plain = Shard(catalog)
    modes.DivRank = DivRank  # type: ignore[misc]
    reference, arrays = Shard(catalog), BatchShard(catalog)
    arrays.publish(filling)
    state = arrays.state()
    plain.restore(state)
    reference.restore(state)
    by_plain = served(plain, rest[: case.warm], 1)[0]  # measures the window once, as far as it is kept
    more, plainly = served(plain, rest[case.warm : case.warm + case.plain], 1)
    by_plain += more
    served(reference, rest[:1], 1)  # measures the window once
    reference.restore(state)
    by_reference, compiled = served(reference, rest, BATCH)
    by_arrays, over_arrays = served(arrays, rest, BATCH)
    assert by_reference == by_arrays, f"the engines differ: {case}"
    last = rest[case.warm + case.plain - 1].seq
    assert by_plain == [one for one in by_reference if one.window <= last], f"the definition differs: {case}"
    assert unpack_states(reference.state()) == unpack_states(arrays.state()), f"the states differ: {case}"
    return 1e3 * plainly, 1e3 * compiled, 1e3 * over_arrays


def backtest(select: Select, k: int, count: int) -> float:
    """Seconds for a trial of a policy with a window of 200 over recent events, by the reference engine."""
    policy = Policy("ann", Mode.SLIDING, k, Length(200), 0.5, select=select)
    events = events_of(count)
    shard = Shard(catalog_of(policy))
    return served(shard, events, len(events))[1] * count


def main() -> None:
    """Print the tables."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help="without the cases that take seconds per event")
    quick = parser.parse_args().quick
    for case in CASES[:2]:
        run(case, 40)  # compiles
    backtest(Select.IMPROVED, 40, 60)
    table = Table(title="Selection, CPU milliseconds per event, all of which match; sigma 0.5")
    for name in ("mode", "select", "k", "length", "plain", "reference", "arrays", "ratio", "ratio, arrays", "goal"):
        table.add_column(name, justify="left" if name in ("mode", "select") else "right")
    for case in CASES[:2] if quick else CASES:
        plain, reference, arrays = run(case, 40 if quick else 200)
        table.add_row(
            case.mode.value,
            case.select.value,
            f"{case.k:,}",
            f"{case.length:,}",
            f"{plain:,.1f}",
            f"{reference:,.2f}",
            f"{arrays:,.3f}",
            f"{plain / reference:,.0f}",
            f"{plain / arrays:,.0f}",
            f"{case.goal:,}",
        )
    Console(width=120).print(table)
    for select, k, goal in ((Select.GREEDY, 50, 1), (Select.IMPROVED, 100, 3)):
        count = 100 if quick else 1_000
        seconds = backtest(select, k, count)
        Console().print(
            f"trial over {count:,} events, {select.value}, k {k}, length 200: {seconds:.2f} s (goal {goal} s)"
        )


if __name__ == "__main__":
    main()

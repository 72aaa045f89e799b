"""Approximate matching, as ratios in one run.

Compares batches with one pair at a time, and fuzzy subscriptions with crisp ranges that accept the same values.

    .venv/bin/python benchmarks/fuzzy.py [--pairs 100000] [--subscriptions 1000000] [--events 1000]
    .venv/bin/python benchmarks/fuzzy.py --many 10000000     only vague ones: building, bytes, events per second

All times are CPU times. The results are checked first: the degrees of the batches must be equal, and the same
subscriptions must match (a fuzzy predicate accepts a crisp number iff its alpha-cut contains it).
"""

import argparse
import resource
from datetime import UTC, datetime
from random import Random
from time import perf_counter, process_time

import numpy as np
from rich.console import Console
from rich.table import Table

from rankcast.fuzzy import (
    Polylines,
    alpha_cut,
    batch_possibility_necessity,
    polyline_possibility_necessity,
    possibility_necessity,
)
from rankcast.matching import OracleMatcher
from rankcast.matching.batch import Matches
from rankcast.model import (
    And,
    Between,
    Compare,
    Event,
    Interval,
    Is,
    LeftShoulder,
    Op,
    Predicate,
    RightShoulder,
    Subscription,
    Term,
    Thresholds,
    Trapezoid,
    Triangle,
)

NOON = datetime(2026, 1, 1, 12, tzinfo=UTC)
CONCEPTS = 2_000
CITIES = 20
SIZES = 10
GOAL = 2.0
"""The largest allowed cost of fuzzy subscriptions, as a multiple of the cost of crisp ranges."""


def pairs(count: int, table: Table) -> None:
    """Random pairs of piecewise linear functions."""
    random = Random(1)

    def form() -> Trapezoid | Triangle | Interval | LeftShoulder | RightShoulder:
        kind = random.choice([Trapezoid, Trapezoid, Triangle, Interval, LeftShoulder, RightShoulder])
        size = {Trapezoid: 4, Triangle: 3}.get(kind, 2)
        return kind(*sorted(random.uniform(0, 100) for _ in range(size)))

    mus, pis = ([(form(), ()) for _ in range(count)] for _ in range(2))
    few = min(count, 20_000)
    begin = process_time()
    singly = [possibility_necessity(*mu, *pi) for mu, pi in zip(mus[:few], pis[:few], strict=True)]
    one = (process_time() - begin) / few
    begin = process_time()
    possibility, necessity = batch_possibility_necessity(mus, pis)
    many = (process_time() - begin) / count
    difference = np.abs(np.stack([possibility, necessity], axis=1)[:few] - singly).max()
    assert difference <= 1e-12, difference
    table.add_row("one pair at a time", f"{one * 1e6:.1f} µs", "1")
    table.add_row("batch of functions", f"{many * 1e6:.1f} µs", f"{one / many:.0f} times faster")
    corners = [np.sort(np.random.default_rng(seed).random((count, 4)), axis=1) for seed in (1, 2)]
    rows = [Polylines.of_trapezoids(side) for side in corners]
    begin = process_time()
    polyline_possibility_necessity(*rows)
    arrays = (process_time() - begin) / count
    table.add_row("batch of arrays of trapezoids", f"{arrays * 1e6:.1f} µs", f"{one / arrays:.0f} times faster")


def through_the_index(count: int, events: int, table: Table) -> None:
    """``price is C [tp, 0] and city = c`` against ``price between low and high and city = c``."""
    from rankcast.engine.index import IndexMatcher

    random = Random(2)
    meanings = {}
    for number in range(CONCEPTS):
        middle, width = random.uniform(0, 1e6), random.uniform(2e3, 1e4)
        meanings[f"c{number}"] = Trapezoid(middle - 2 * width, middle - width, middle + width, middle + 2 * width)

    def meaning(attribute: str, term: Term) -> Trapezoid:
        return meanings[term.concept]

    fuzzy, crisp = [], []
    for number in range(count):
        name, tp = f"c{random.randrange(CONCEPTS)}", random.choice([0.25, 0.5, 0.75])
        city = Predicate("city", Compare(Op.EQ, f"city{random.randrange(CITIES)}"))
        ((low, high),) = alpha_cut(meanings[name], (), tp).spans
        wishes = Predicate("price", Is(Term(name)), Thresholds(tp, 0.0)), Predicate("price", Between(low, high))
        for made, wish in zip((fuzzy, crisp), wishes, strict=True):
            made.append(Subscription(f"s{number}", f"u{number % 1000}", And((wish, city))))
    warm, published = (
        [
            Event(
                f"e{number}", NOON, {"price": (random.uniform(0, 1e6),), "city": (f"city{random.randrange(CITIES)}",)}
            )
            for number in range(size)
        ]
        for size in (100, events)
    )
    matchers, parts = {}, {"crisp": [], "fuzzy": []}
    built, seconds = {}, {"crisp": 0.0, "fuzzy": 0.0}
    for name, subscriptions in (("crisp", crisp), ("fuzzy", fuzzy)):
        begin = process_time()
        matchers[name] = IndexMatcher(subscriptions, lambda user: meaning, shared=meaning)
        built[name] = process_time() - begin
        matchers[name].match_batch(warm)  # compiles if necessary
    for start in range(0, events, 100):  # in turns, so that both see the same cache and load
        for name, matcher in matchers.items():
            begin = process_time()
            parts[name].append(matcher.match_batch(published[start : start + 100]))
            seconds[name] += process_time() - begin
    found = {name: _joined(parts[name]) for name in parts}
    for name in found:
        what = f"{count:,} {name} subscriptions, built in {built[name]:.1f} s"
        _add_row(table, what, seconds[name] / events, seconds["crisp"] / events)
    assert found["crisp"].subscription.tolist() == found["fuzzy"].subscription.tolist()
    assert (found["fuzzy"].degree <= 1).all()
    few = OracleMatcher(fuzzy[:2000], lambda user: meaning, shared=meaning)
    for place, event in enumerate(published[:20]):
        expected = {subscription.id: degree for subscription, degree in few.match(event)}
        at = found["fuzzy"].event == place
        ours = zip(found["fuzzy"].subscription[at].tolist(), found["fuzzy"].degree[at].tolist(), strict=True)
        assert {f"s{number}": degree for number, degree in ours if number < 2000} == expected
    table.add_row("matches an event", f"{len(found['crisp'].event) / events:.0f}", "equal; degrees as the oracle's")


def many(count: int, events: int, table: Table) -> None:
    """``price is C [tp, 0] and city = c and size >= n`` alone: building, size, speed, and the oracle on a sample."""
    from rankcast.engine.index import IndexMatcher

    random = Random(3)
    meanings = {}
    for number in range(CONCEPTS):
        middle, width = random.uniform(0, 1e6), random.uniform(2e3, 1e4)
        meanings[f"c{number}"] = Trapezoid(middle - 2 * width, middle - width, middle + width, middle + 2 * width)

    def meaning(attribute: str, term: Term) -> Trapezoid:
        return meanings[term.concept]

    wishes = [Predicate("price", Is(Term(name)), Thresholds(tp, 0.0)) for name in meanings for tp in (0.25, 0.5, 0.75)]
    cities = [Predicate("city", Compare(Op.EQ, f"city{number}")) for number in range(CITIES)]
    sizes = [Predicate("size", Compare(Op.GE, 10 * number)) for number in range(SIZES)]
    pool = [And((wish, city, size)) for wish in wishes for city in cities for size in sizes]
    users = [f"u{number}" for number in range(100_000)]
    subscriptions = [
        Subscription(f"s{number}", users[number % len(users)], random.choice(pool)) for number in range(count)
    ]
    published = [
        Event(
            f"e{number}",
            NOON,
            {
                "price": (random.uniform(0, 1e6),),
                "city": (f"city{random.randrange(CITIES)}",),
                "size": (random.uniform(0, 10 * SIZES),),
            },
        )
        for number in range(events + 100)
    ]
    clock, cpu = perf_counter(), process_time()
    matcher = IndexMatcher(subscriptions, lambda user: meaning, shared=meaning)
    clock, cpu = perf_counter() - clock, process_time() - cpu
    matcher.match_batch(published[events:])  # compiles if necessary
    parts, seconds = [], 0.0
    for start in range(0, events, 100):
        begin = process_time()
        parts.append(matcher.match_batch(published[start : start + 100]))
        seconds += process_time() - begin
    found = _joined(parts)
    step = max(1, count // 2_000)
    oracle = OracleMatcher(subscriptions[::step], lambda user: meaning, shared=meaning)
    compared = 0
    for place, event in enumerate(published[: min(events, 200)]):
        expected = {subscription.id: degree for subscription, degree in oracle.match(event)}
        at = found.event == place
        ours = zip(found.subscription[at].tolist(), found.degree[at].tolist(), strict=True)
        assert {f"s{number}": degree for number, degree in ours if number % step == 0} == expected, event
        compared += len(expected)
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20
    distinct = len({id(one.where) for one in subscriptions})
    matches = len(found.event)
    table.add_row(
        f"{count:,} vague subscriptions, {distinct:,} distinct: built", f"{cpu:.0f} s", f"{clock:.0f} s by clock"
    )
    table.add_row(
        "index", f"{matcher.index.compiled.nbytes / count:.0f} bytes each", f"peak of the process {peak:.1f} GiB"
    )
    table.add_row(
        "matching",
        f"{events / seconds:,.0f} events/s",
        f"{matches / events:,.0f} matches an event, {1e9 * seconds / matches:.0f} ns each",
    )
    table.add_row(
        "answers", f"{compared:,} matches", f"equal to the oracle's for {len(subscriptions[::step]):,} subscriptions"
    )


def _joined(parts: list[Matches]) -> Matches:
    events = [part.event + 100 * place for place, part in enumerate(parts)]
    others = ([part[column] for part in parts] for column in (1, 2))
    return Matches(np.concatenate(events), *map(np.concatenate, others))


def _add_row(table: Table, what: str, seconds: float, crisp: float) -> None:
    table.add_row(
        what, f"{seconds * 1e3:.3f} ms an event", f"{seconds / crisp:.1f} times crisp (goal: at most {GOAL:g})"
    )


def main() -> None:
    """Run both and print one table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--pairs", type=int, default=100_000)
    parser.add_argument("--subscriptions", type=int, default=1_000_000)
    parser.add_argument("--events", type=int, default=1000)
    parser.add_argument("--many", type=int, help="only this many vague subscriptions, without crisp ones beside them")
    given = parser.parse_args()
    table = Table("what", "CPU time", "ratio", title="approximate matching", title_justify="left")
    if given.many:
        many(given.many, given.events, table)
    else:
        pairs(given.pairs, table)
        through_the_index(given.subscriptions, given.events, table)
    Console(width=130).print(table)


if __name__ == "__main__":
    main()

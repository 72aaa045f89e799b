"""The cost of finding the most specific of many subscriptions: python benchmarks/specificity.py [subscriptions]

*Before* is the definition, which compares every pair by `relate`, for 300 subscriptions. *After* is `Specificity`:
the first event that all match, one more subscription, and the events after it. Then the same through `Shard` and
`BatchShard`, for one user who has all the subscriptions and another who has one: all subscriptions added at once, the
event after it, a put, the event after it, and the first event of a shard that continues from a saved state, also if it
compared the subscriptions in advance, as the pipeline does while nothing is pending. All times are CPU times. Garbage
is collected between the steps, as the pipeline does between batches.
"""

import random
import sys
from collections.abc import Callable
from functools import partial
from time import process_time

from rankcast.cover import Relation, relate
from rankcast.engine.arrays import BatchShard
from rankcast.engine.reference.shard import Shard
from rankcast.engine.warming import warm_up
from rankcast.language import parse
from rankcast.model import EPOCH, Catalog, Delivery, Event, Subscription
from rankcast.rank import Specificity
from rankcast.service.garbage import GarbageCollection

PAIRWISE = 300
CHANGES = 20

_rng = random.Random(1)

KINDS: dict[str, Callable[[int], str]] = {
    "a chain": lambda number: f"x >= {number}",
    "three intervals": lambda number: (
        f"x >= {_rng.randint(0, 9_999)} and y <= {_rng.randint(0, 9_999)} "
        f"and z between {_rng.randint(0, 4_999)} and {_rng.randint(5_000, 9_999)}"
    ),
    "own attributes": lambda number: f"a{number} = 1 and b = 2",
    "sets of strings": lambda number: f"p in ('w{number}', 'w{number + 1}', 'w{number + 2}')",
    "parts of strings": lambda number: f"p contains '{number:04}'",
    "disjunctions": lambda number: f"x > {_rng.randint(0, 9_999)} or y < {_rng.randint(0, 9_999)}",
    "negations": lambda number: f"not x > {number} and y != {number}",
}


def subscription(kind: str, number: int) -> Subscription:
    """One of a kind."""
    return Subscription(f"s{number}", "u", parse(KINDS[kind](number)))


def pairwise(subscriptions: list[Subscription]) -> tuple[str, ...]:
    """The definition: those that strictly cover no other."""
    return tuple(
        one.id
        for one in subscriptions
        if not any(relate(one.where, other.where) is Relation.COVERS for other in subscriptions)
    )


_garbage = GarbageCollection()


def spent(do: Callable[[], object]) -> float:
    """The milliseconds that something takes."""
    _garbage.collect()
    start = process_time()
    do()
    return (process_time() - start) * 1e3


def alone(kind: str, count: int) -> None:
    """Print what `Specificity` takes for subscriptions of a kind."""
    subscriptions = [subscription(kind, number) for number in range(count)]
    few = subscriptions[:PAIRWISE]
    start = process_time()
    expected = pairwise(few)
    before = (process_time() - start) * 1e3
    after = spent(lambda: Specificity(few).most_specific([one.id for one in few]))
    assert Specificity(few).most_specific([one.id for one in few]) == expected
    found = Specificity(subscriptions)
    first = spent(lambda: found.most_specific([one.id for one in subscriptions]))
    changes, events = [], []
    for number in range(CHANGES):
        subscriptions.append(subscription(kind, count + number))
        changes.append(spent(lambda: found.update(subscriptions)))
        events.append(spent(lambda: found.most_specific([one.id for one in subscriptions])))
    print(
        f"{kind:16}: {PAIRWISE} all matching, first event {before:,.0f} ms before, {after:,.0f} ms now "
        f"({before / after:,.0f} times); {count:,}: the first event that all match {first / 1e3:.1f} s, a change "
        f"{max(changes):.1f} ms, an event that all match {max(events):.1f} ms at most",
        flush=True,
    )


def in_a_shard(kind: str, count: int, made: Callable[[Catalog], Shard | BatchShard], name: str) -> None:
    """Print what a shard takes in which one user has the subscriptions of a kind, and all match every event."""
    catalog = Catalog()
    catalog.put(Subscription("quiet", "v", parse("x >= 0")))
    catalog.put(subscription(kind, 0))
    sequence = iter(range(1, 1_000))

    def event() -> list[Event]:
        seq = next(sequence)
        return [Event(f"e{seq}", EPOCH, {"x": (10.0 * count,), "y": (-1.0,), "z": (5_000,)}, seq=seq)]

    def publish(to: Shard | BatchShard) -> float:
        delivered: list[Delivery] = []
        took = spent(lambda: delivered.extend(to.publish(event())))
        assert {one.user for one in delivered} == {"u", "v"}, "both are served"
        return took

    shard = made(catalog)
    publish(shard)
    catalog = catalog.copy()  # a shard relies on it that its catalog does not change
    for number in range(1, count):
        catalog.put(subscription(kind, number))
    added = spent(partial(shard.update, catalog))
    first = publish(shard)
    changes, events = [], []
    for number in range(CHANGES):
        catalog = catalog.copy()
        catalog.put(subscription(kind, count + number))
        changes.append(spent(partial(shard.update, catalog)))
        events.append(publish(shard))
    state, again, ready = shard.state(), made(catalog), made(catalog)
    again.restore(state)
    restored = publish(again)
    ready.restore(state)
    in_advance = spent(lambda: ready.prepare(lambda: False))
    print(
        f"{kind:16}: {name}: adding {count:,} at once {added / 1e3:.1f} s, the event after it {first:,.0f} ms; a put "
        f"{max(changes):.1f} ms, the event after it {max(events):.1f} ms at most; the first event after opening a "
        f"saved state {restored:,.0f} ms, or {publish(ready):.1f} ms after {in_advance / 1e3:.1f} s in advance",
        flush=True,
    )


def main(count: int = 10_000) -> None:
    """Print lines for each kind."""
    warm_up()  # as a service does: the first change would wait until the loops that carry a state over are loaded
    for kind in KINDS:
        alone(kind, count)
    for kind in ("a chain", "disjunctions"):
        in_a_shard(kind, count, Shard, "Shard")
        in_a_shard(kind, count, BatchShard, "BatchShard")


if __name__ == "__main__":
    main(*(int(number) for number in sys.argv[1:2]))

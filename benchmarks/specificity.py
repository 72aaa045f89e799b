"""What the most specific of many subscriptions cost, before and after in one run: python benchmarks/specificity.py [subscriptions]

*Before* is the definition, every pair compared by `relate`, for as few as 300 subscriptions. *After* is `Specificity`: all of them, one more,
and one event that all match, in CPU time.
"""

import random
import sys
from collections.abc import Callable
from time import process_time

from rankcast.cover import Relation, relate
from rankcast.language import parse
from rankcast.model import Subscription
from rankcast.rank import Specificity

PAIRWISE = 300

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


def main(count: int = 10_000) -> None:
    """Print one line per kind."""
    for kind in KINDS:
        subscriptions = [subscription(kind, number) for number in range(count)]
        few = subscriptions[:PAIRWISE]
        start = process_time()
        expected = pairwise(few)
        before = process_time() - start
        start = process_time()
        assert Specificity(few).most_specific([one.id for one in few]) == expected
        after = process_time() - start
        start = process_time()
        found = Specificity(subscriptions)
        built = process_time() - start
        changes, events = [], []
        for number in range(10):
            subscriptions.append(subscription(kind, count + number))
            start = process_time()
            found.update(subscriptions)
            changes.append(process_time() - start)
            start = process_time()
            found.most_specific([one.id for one in subscriptions])
            events.append(process_time() - start)
        print(
            f"{kind:16}: {PAIRWISE} all matching, first event {before * 1e3:,.0f} ms before, {after * 1e3:,.0f} ms now "
            f"({before / after:,.0f} times); {count:,}: made in {built:.1f} s, a change {max(changes) * 1e3:.1f} ms, "
            f"an event that all match {max(events) * 1e3:.1f} ms at most",
            flush=True,
        )


if __name__ == "__main__":
    main(*(int(number) for number in sys.argv[1:2]))

"""The choice of engine: the names that commands use, and the sizes from which each engine is faster.

All engines give the same results, so the choice affects only the running time.
"""

from collections import Counter
from collections.abc import Callable, Iterable
from enum import Enum
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from rankcast.engine.arrays import BatchShard
    from rankcast.engine.arrays.matching import Matching
    from rankcast.engine.reference.shard import Shard
    from rankcast.model import Catalog

FEW_EVENTS = 2_000
FEW_PAIRS = 1_000_000
"""Below both limits, plain evaluation finishes before the kernels would have loaded. A pair takes about 2 µs."""

MANY_SUBSCRIPTIONS = 2_000
"""A long-lived shard with at least this many subscriptions starts on arrays, whatever the first events are."""

INDEX_FROM = 100
"""From this many subscriptions on, the compiled index saves time within a hundred events, including compilation."""

LIVE_BATCH = 1_500
"""The assumed number of events for a pipeline that waits for events. From 667 subscriptions on, it therefore starts
on arrays, and the kernels (200 MiB, a second or two) load with the first events and not during a later burst."""

LESS_THAN_COMPILING = 30.0
"""Compiling the loops on first use takes longer than these seconds on every machine."""

FAR_BEHIND = 20_000
"""A pipeline that is this many events behind chooses its kind of shard again."""


class Engine(Enum):
    """The engine that matches and delivers. Every command uses these names."""

    ORACLE = "oracle"
    """Plain evaluation, one event at a time: the reference."""
    LOCAL = "local"
    """This process, with arrays, and with the compiled index if it saves time."""
    INDEX = "index"
    """This process, always with the compiled index."""
    SPARK = "spark"
    """A Spark session or cluster."""


def is_small(events: int, subscriptions: int) -> bool:
    """Whether plain evaluation finishes first."""
    return events < FEW_EVENTS and events * subscriptions < FEW_PAIRS


def is_served_before_compiled(catalog: "Catalog", matched: Iterable[str]) -> bool:
    """Whether the loops are still to be compiled here, and plain evaluation serves these matches sooner.

    `matched` names the subscription of each match. If the loops are compiled, this loads numba.
    """
    from rankcast.model import policy_cost

    cost = {user: policy_cost(catalog.policy_of(user)) for user in catalog.users()}
    counts = Counter(matched)
    seconds = sum(count * cost[catalog.subscriptions[name].user] for name, count in counts.items()) / 1e6
    if seconds > LESS_THAN_COMPILING:
        return False
    from rankcast.engine.warming import are_compiled

    return not are_compiled()


def shard_for(
    events: int,
    catalog: "Catalog",
    serves: Callable[[str], bool] = lambda user: True,
    is_live: bool = False,
    matching: "Matching | None" = None,
) -> "Shard | BatchShard":
    """The shard that serves this many events fastest; `is_live` says that they come a few at a time.

    `matching` is how arrays match, by default as they choose.

    Small jobs finish on the reference engine before the kernels would have loaded, which takes a second or two (one
    to two minutes on first use on a machine, to compile them).
    """
    if is_small(events, len(catalog.subscriptions)):
        from rankcast.engine.reference.shard import Shard

        return Shard(catalog, serves)
    from rankcast.engine.arrays import BatchShard

    return BatchShard(catalog, serves, matching, is_live)

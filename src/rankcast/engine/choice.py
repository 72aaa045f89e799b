"""Which engine does the work: the names that commands use, and the sizes from which each one pays.

All engines give the same results, so a choice is a matter of time alone.
"""

from collections.abc import Callable
from enum import Enum
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from rankcast.engine.arrays import BatchShard
    from rankcast.engine.reference.shard import Shard
    from rankcast.model import Catalog

__all__ = ["FAR_BEHIND", "INDEX_FROM", "LIVE_BATCH", "MANY_SUBSCRIPTIONS", "Engine", "is_small", "shard_for"]

FEW_EVENTS = 2_000
FEW_PAIRS = 1_000_000
"""Below both, plain evaluation is done before the kernels would have loaded: a pair takes about 2 µs."""

MANY_SUBSCRIPTIONS = 2_000
"""A shard that lives long starts on arrays from so many subscriptions on, whatever the first events are."""

INDEX_FROM = 100
"""From so many subscriptions on, the compiled index pays within a hundred events, compiling included."""

LIVE_BATCH = 1_500
"""A pipeline that waits for events is made for so many. From 667 subscriptions on it then starts on arrays, so that
loading the kernels (200 MiB, a second or two) falls on the first events, not on a later burst."""

FAR_BEHIND = 20_000
"""A pipeline that is so many events behind chooses its kind of shard anew."""


class Engine(Enum):
    """What matches and delivers; every command uses these names."""

    ORACLE = "oracle"
    """Plain evaluation, one event at a time: the reference."""
    LOCAL = "local"
    """This process: arrays, and the compiled index where it pays."""
    INDEX = "index"
    """This process, always with the compiled index."""
    SPARK = "spark"
    """A Spark session or cluster."""


def is_small(events: int, subscriptions: int) -> bool:
    """Whether plain evaluation finishes first."""
    return events < FEW_EVENTS and events * subscriptions < FEW_PAIRS


def shard_for(
    events: int, catalog: "Catalog", serves: Callable[[str], bool] = lambda user: True
) -> "Shard | BatchShard":
    """The shard that serves so many events soonest.

    Small jobs finish on the reference engine before the kernels would have loaded, which takes a second or two (and
    about ten on their first use on a machine, to compile them).
    """
    if is_small(events, len(catalog.subscriptions)):
        from rankcast.engine.reference.shard import Shard

        return Shard(catalog, serves)
    from rankcast.engine.arrays import BatchShard

    return BatchShard(catalog, serves)

"""Detect which deliveries of a micro-batch a sink outside the store has already received.

A micro-batch is identified by its pipeline and its range of positions. A repeated micro-batch has the same range.
After a checkpoint was restored from a backup, the pipeline returns to an earlier position, and the new ranges may
overlap the old ones. So if a range does not begin where the last one ended, the deliveries themselves are compared by
(user, event). Each event is delivered to a user only once.
"""

from collections.abc import Callable
from typing import TYPE_CHECKING, TypeAlias

import pyarrow as pa

if TYPE_CHECKING:
    from rankcast.pipeline.spark.sinks import MicroBatchResult

Pair: TypeAlias = tuple[str, str]
"""A user and an event."""


class SinkProgress:
    """How far a pipeline has written to a sink, as one process knows it.

    Parameters
    ----------
    reached
        The end of the furthest range of the pipeline in the sink.
    unnamed
        The number of the last micro-batch written by a release that did not name ranges; -1 if there is none.
    """

    def __init__(self, reached: int, unnamed: int = -1) -> None:
        self.reached = reached
        self._unnamed = unnamed
        self._batch = -1
        self._goes_on = False
        self._since: int | None = None
        self._sent: set[Pair] | None = None

    def is_next(self, made: "MicroBatchResult") -> bool:
        """Whether the range continues from what was written, so that the sink has nothing of it."""
        is_beyond = made.after >= self.reached and made.batch > self._unnamed
        # A range without events (the clock ended a period) is next only after a range that this process wrote itself.
        return is_beyond and (made.up_to > made.after or (self._goes_on and made.batch > self._batch))

    def compared_since(self, made: "MicroBatchResult") -> int | None:
        """The position from which on the sink may have deliveries of the range; None if it can have none.

        It is the start of the first range in a row of ranges that do not continue from what was written.
        """
        if self.is_next(made):
            return None
        self._since = made.after if self._since is None else self._since
        return self._since

    def sent(self, made: "MicroBatchResult", read: Callable[[], set[Pair]]) -> set[Pair] | None:
        """What the sink may have of the range or later; None if it can have nothing.

        Calls `read` at most once in a row of ranges that need it. The caller adds to the set what it writes.
        """
        if self.compared_since(made) is None:
            return None
        if self._sent is None:
            self._sent = read()
        return self._sent

    def wrote(self, made: "MicroBatchResult") -> None:
        """Record that the sink now has all deliveries of a micro-batch."""
        self._goes_on = self.is_next(made)
        if self._goes_on:
            self._sent = self._since = None
        self.reached = max(self.reached, made.up_to)
        self._batch = made.batch


def pairs_of(deliveries: pa.Table) -> list[Pair]:
    """The user and the event of each delivery."""
    return list(zip(deliveries["user"].to_pylist(), deliveries["event"].to_pylist(), strict=True))


def unsent(deliveries: pa.Table, sent: set[Pair] | None) -> pa.Table:
    """The deliveries that are not in `sent`, which then has them."""
    if sent is None:
        return deliveries
    pairs = pairs_of(deliveries)
    fresh = deliveries.filter(pa.array([pair not in sent for pair in pairs], pa.bool_()))
    sent.update(pairs)
    return fresh

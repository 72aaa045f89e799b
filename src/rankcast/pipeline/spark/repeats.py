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

__all__ = ["Pair", "SinkProgress", "pairs_of"]

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
        self._sent: set[Pair] | None = None

    def unsent(self, made: "MicroBatchResult", sent_before: Callable[[], set[Pair]]) -> pa.Table:
        """The deliveries that the sink does not have yet.

        `sent_before` returns those that the sink may have from the range onwards. It is called only if the range does
        not continue from what was written.
        """
        is_next = made.after >= self.reached and made.batch > self._unnamed
        # A range without events (the clock ended a period) is next only after a range that this process wrote itself.
        if is_next and (made.up_to > made.after or (self._goes_on and made.batch > self._batch)):
            self._sent = None
            return made.deliveries
        if self._sent is None:
            self._sent = sent_before()
        sent = self._sent
        return made.deliveries.filter(pa.array([pair not in sent for pair in pairs_of(made.deliveries)], pa.bool_()))

    def wrote(self, made: "MicroBatchResult", deliveries: pa.Table) -> None:
        """Record that the sink now has these deliveries of a micro-batch."""
        self.reached = max(self.reached, made.up_to)
        self._batch = made.batch
        self._goes_on = self._sent is None
        if self._sent is not None:
            self._sent |= set(pairs_of(deliveries))


def pairs_of(deliveries: pa.Table) -> list[Pair]:
    """The user and the event of each delivery."""
    return list(zip(deliveries["user"].to_pylist(), deliveries["event"].to_pylist(), strict=True))

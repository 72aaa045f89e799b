"""Which deliveries of a micro-batch a place outside the store has had already.

A micro-batch is known by its pipeline and its range: after which position up to which it goes. One that is run again has the same range.
After a checkpoint was restored from a backup, the pipeline goes back to an earlier position, and the ranges are cut anew, across those that
were written before. So a place compares the deliveries themselves, by (user, event), whenever a range does not begin where the last
one ended. A delivery of an event to a user is made only once.
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
    """How far a pipeline has written to a place, as one process knows it.

    Parameters
    ----------
    reached
        The end of the furthest range that the place has of the pipeline.
    unnamed
        The number of the last micro-batch that the place has of a version of Rankcast which did not name ranges; -1 if it has none.
    """

    def __init__(self, reached: int, unnamed: int = -1) -> None:
        self.reached = reached
        self._unnamed = unnamed
        self._batch = -1
        self._goes_on = False
        self._sent: set[Pair] | None = None

    def unsent(self, made: "MicroBatchResult", sent_before: Callable[[], set[Pair]]) -> pa.Table:
        """The deliveries that the place does not have yet.

        `sent_before` gives those that the place may have of the range and after it. It is asked only if the range does not continue
        what was written.
        """
        is_next = made.after >= self.reached and made.batch > self._unnamed
        # A range without events (the end of a period by the clock) is next only after what this process wrote itself.
        if is_next and (made.up_to > made.after or (self._goes_on and made.batch > self._batch)):
            self._sent = None
            return made.deliveries
        if self._sent is None:
            self._sent = sent_before()
        sent = self._sent
        return made.deliveries.filter(pa.array([pair not in sent for pair in pairs_of(made.deliveries)], pa.bool_()))

    def wrote(self, made: "MicroBatchResult", deliveries: pa.Table) -> None:
        """Remember that the place has these deliveries of a micro-batch now."""
        self.reached = max(self.reached, made.up_to)
        self._batch = made.batch
        self._goes_on = self._sent is None
        if self._sent is not None:
            self._sent |= set(pairs_of(deliveries))


def pairs_of(deliveries: pa.Table) -> list[Pair]:
    """The user and the event of each delivery."""
    return list(zip(deliveries["user"].to_pylist(), deliveries["event"].to_pylist(), strict=True))

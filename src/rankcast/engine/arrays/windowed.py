"""The common part of the delivery modes with windows or periods, over arrays."""

import numpy as np

from rankcast.choose.positions import span
from rankcast.engine.arrays.entries import ENTRY, Entries
from rankcast.engine.arrays.stream import NOTHING, SentRows
from rankcast.engine.arrays.table import EventTable
from rankcast.model import Policy

__all__ = ["WindowMode"]


class WindowMode:
    """A user's policy with its k and length, the number of matching events, and the entries."""

    def __init__(self, policy: Policy, table: EventTable) -> None:
        assert policy.k is not None
        assert policy.length is not None
        self._policy = policy
        self._k = policy.k
        self._table = table
        self._unit = policy.length.unit
        self._span = span(policy.length)
        self._matched = 0
        self.entries: Entries = np.zeros(0, ENTRY)

    @property
    def due(self) -> int | None:
        """None, because nothing waits for the clock."""
        return None

    def advance(self, clock: int) -> SentRows:
        """Send nothing, because nothing happens without an event."""
        return NOTHING

    def close(self) -> SentRows:
        """Send nothing, because nothing is owed."""
        return NOTHING

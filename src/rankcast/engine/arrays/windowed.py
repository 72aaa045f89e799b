"""What the delivery modes with windows or periods share over arrays."""

import numpy as np

from rankcast.choose.positions import span
from rankcast.engine.arrays.entries import ENTRY, Entries
from rankcast.engine.arrays.stream import NOTHING, SentRows
from rankcast.engine.arrays.table import EventTable
from rankcast.model import Policy

__all__ = ["WindowMode"]


class WindowMode:
    """The policy of a user with its k and length, how many events matched, and the entries."""

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
        """Nothing waits for the clock."""
        return None

    def advance(self, clock: int) -> SentRows:
        """Nothing happens without an event."""
        return NOTHING

    def close(self) -> SentRows:
        """Nothing is owed."""
        return NOTHING

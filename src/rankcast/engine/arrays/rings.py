"""Distances within windows, kept from batch to batch as far as memory allows."""

from weakref import WeakSet

import numpy as np

from rankcast.matching.batch import Reals

__all__ = ["Ring", "Rings"]

_NOTHING: Reals = np.empty((0, 0))


class Ring:
    """The distances among the entries of one window, by slot; those of the first `known` entries are computed.

    The n-th entry overall has slot n modulo the size, so a slot is free again when its entry has left the window.
    """

    def __init__(self) -> None:
        self.table = _NOTHING
        self.known = 0
        self.passed = 0
        """The number of entries that have left the window."""

    def drop(self, gone: int) -> None:
        """Drop the oldest entries."""
        self.passed += gone
        self.known = max(self.known - gone, 0)


class Rings:
    """All rings of a shard; together they take at most `room` bytes.

    Memory goes to whoever asks first, so that windows do not evict each other at every batch. A ring that is no
    longer in use returns its memory.
    """

    def __init__(self, room: int = 64 * 2**20) -> None:
        self._room = room
        self._rings: WeakSet[Ring] = WeakSet()

    def make_room(self, ring: Ring, size: int, largest: int) -> bool:
        """Whether a ring has room for a window of `size`, which may grow up to `largest`."""
        if size <= len(ring.table):
            return True
        ring.table, ring.known = _NOTHING, 0
        self._rings.add(ring)
        free = (self._room - sum(each.table.nbytes for each in self._rings)) // 8
        wanted = min(size + size // 2 + 16, largest)
        if size > largest or wanted * wanted > free:
            return False
        ring.table = np.empty((wanted, wanted))
        return True

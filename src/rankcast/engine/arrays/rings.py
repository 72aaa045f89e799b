"""Distances of windows that are kept from batch to batch, as far as there is room."""

from weakref import WeakSet

import numpy as np

from rankcast.matching.batch import Reals

__all__ = ["Ring", "Rings"]

_NOTHING: Reals = np.empty((0, 0))


class Ring:
    """The distances among the entries of one window, by their slots; those of the first `known` entries are there.

    The n-th entry of all has slot n modulo the size, so a slot is free again when its entry has left the window.
    """

    def __init__(self) -> None:
        self.table = _NOTHING
        self.known = 0
        self.passed = 0
        """How many entries have left the window."""

    def drop(self, gone: int) -> None:
        """Let the oldest entries leave."""
        self.passed += gone
        self.known = max(self.known - gone, 0)


class Rings:
    """All rings of a shard; together they take at most `room` bytes.

    Who comes first is served, so that windows do not drive each other out at every batch. A ring that nobody holds any more gives
    back its room.
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

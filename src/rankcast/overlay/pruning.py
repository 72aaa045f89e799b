"""Going through subscriptions from the top and keeping some: which kept ones stand above the next."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Protocol

import numpy as np

from rankcast.cover.sketches import Sketches
from rankcast.overlay.order import Order, OrderEntry

if TYPE_CHECKING:
    from numpy.typing import NDArray


class KeptEntries(Protocol):
    """The kept entries, numbered from 0 in the order in which they were kept.

    It is enough to compare the next entry with the kept ones. If all entries with fewer than k ancestors are kept, an
    entry with k ancestors has k kept ones: its k topmost ancestors have fewer than k themselves.
    """

    def above(self, entry: OrderEntry) -> "NDArray[np.int64]":
        """The numbers of the kept entries that stand above the next entry, ascending."""

    def keep(self, entry: OrderEntry) -> None:
        """Keep the next entry."""


def kept_of(order: Order, entries: Sequence[OrderEntry]) -> KeptEntries:
    """An empty collection. It finds candidates in numpy; pairs that are not both boxes are compared one by one."""
    return _Kept(order, entries)


class _Kept:
    def __init__(self, order: Order, entries: Sequence[OrderEntry]) -> None:
        self._order = order
        self._sketches = Sketches()
        self._kept: list[OrderEntry] = []
        # Scores as integers in the same order, to compare many at once.
        scores = sorted({score for entry in entries for score in (entry.low, entry.high)})
        self._place = {score: place for place, score in enumerate(scores)}
        self._lows = np.zeros(len(entries), np.int64)
        self._mixed = False

    def above(self, entry: OrderEntry) -> "NDArray[np.int64]":
        if self._order.proves_nothing:
            return np.zeros(0, np.int64)
        mask = self._sketches.covering(entry.sketch)
        high = self._place[entry.high]
        if len(self._place) > 1:
            mask &= self._lows[: len(mask)] >= high
        found = np.flatnonzero(mask)
        # At equal scores, ids or the ranking decide.
        close = not self._order.lets_ties_stand and bool((self._lows[found] == high).any())
        if close or entry.box is None or self._mixed:
            found = np.array([at for at in found.tolist() if self._stands(self._kept[at], entry)], np.int64)
        return found

    def keep(self, entry: OrderEntry) -> None:
        self._lows[len(self._kept)] = self._place[entry.low]
        self._sketches.append(entry.sketch)
        self._kept.append(entry)
        self._mixed = self._mixed or entry.box is None

    def _stands(self, kept: OrderEntry, entry: OrderEntry) -> bool:
        if not self._order.outranks(kept, entry):
            return False
        return (kept.box is not None and entry.box is not None) or kept.form.covers(entry.form)

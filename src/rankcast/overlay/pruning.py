"""Going through subscriptions from the top, keeping some: which of the kept ones stand above the next."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Protocol

import numpy as np

from rankcast.cover.boxes import Boxes
from rankcast.overlay.order import Entry, Order, Standing

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["Kept", "kept_of"]


class Kept(Protocol):
    """The kept entries, numbered from 0 in the order in which they were kept.

    What has k ancestors has k kept ones, if all with fewer are kept: the k topmost of its ancestors have fewer
    themselves. So it is enough to compare with the kept.
    """

    def above(self, entry: Entry) -> "NDArray[np.int64]":
        """The numbers of the kept ones that stand above the next entry, ascending."""

    def keep(self, entry: Entry) -> None:
        """Keep the next entry."""


def kept_of(order: Order, entries: Sequence[Entry]) -> Kept:
    """Nothing kept yet: in numpy if all entries are boxes, else one normal form at a time."""
    if all(entry.box is not None for entry in entries):
        return _KeptBoxes(order, entries)
    return _KeptForms(order)


class _KeptBoxes:
    def __init__(self, order: Order, entries: Sequence[Entry]) -> None:
        self._boxes = Boxes(sorted({name for entry in entries for name in entry.box or ()}))
        self._kept: list[Entry] = []
        self._order = order
        # Scores and ids as numbers of the same order, to compare many at once.
        scores = sorted({score for entry in entries for score in (entry.low, entry.high)})
        self._place = {score: place for place, score in enumerate(scores)}
        self._by_score = order.standing is not Standing.COVER and len(scores) > 1
        self._lows = np.zeros(len(entries), np.int64)

    def above(self, entry: Entry) -> "NDArray[np.int64]":
        if self._order.proves_nothing:
            return np.zeros(0, np.int64)
        mask = self._boxes.covering(entry.box or {})
        if self._by_score:
            mask &= self._lows[: len(mask)] >= self._place[entry.high]
        found = np.flatnonzero(mask)
        if self._order.lets_ties_stand:
            return found
        # Of those that do not lie clearly above, ids or the ranking decide.
        close = self._lows[found] <= self._place[entry.high]
        if not close.any():
            return found
        return np.array(
            [
                at
                for at, near in zip(found.tolist(), close.tolist(), strict=True)
                if not near or self._order.outranks(self._kept[at], entry)
            ],
            np.int64,
        )

    def keep(self, entry: Entry) -> None:
        place = self._boxes.append(entry.box or {})
        self._lows[place] = self._place[entry.low]
        self._kept.append(entry)


class _KeptForms:
    def __init__(self, order: Order) -> None:
        self._order = order
        self._kept: list[Entry] = []

    def above(self, entry: Entry) -> "NDArray[np.int64]":
        found = [
            number
            for number, kept in enumerate(self._kept)
            if self._order.outranks(kept, entry) and kept.form.covers(entry.form)
        ]
        return np.array(found, np.int64)

    def keep(self, entry: Entry) -> None:
        self._kept.append(entry)

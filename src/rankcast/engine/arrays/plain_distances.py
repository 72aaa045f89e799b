"""What kernels need for distances between events if all attributes have weight 1, shared by all users."""

from typing import TYPE_CHECKING

import numpy as np

from rankcast.choose.codes import Codes
from rankcast.engine.arrays.matching import Integers
from rankcast.plain import Array

if TYPE_CHECKING:
    from rankcast.engine.arrays.table import EventTable

__all__ = ["NO_SPACE", "PlainDistances"]

_NONE = np.empty(0, np.int64)
NO_SPACE: tuple[object, ...] = (_NONE, np.empty((0, 0), np.int64), (_NONE,) * 6, np.empty(0), np.empty((3, 1)))
"""A space without events."""


class PlainDistances:
    """The events of a table as lines of a matrix (`rankcast.choose.kernels.distances`), each written once.

    The first line is that of `first_row`. Lines are written when a distance of their event may first be needed. They
    are all written again when a new name of an attribute appears or the table encodes its events anew.
    """

    def __init__(self, table: "EventTable") -> None:
        self._table = table
        self._codes: Codes | None = None
        self._names = 0
        self._lines: Array = np.empty((0, 0), np.int64)
        self.first_row = 0

    @property
    def has_begun(self) -> bool:
        """Whether the lines that were written are still valid; if not, all rows in use must be given again."""
        return self._table.codes is self._codes

    def space(self, rows: Integers) -> tuple[object, ...]:
        """The space of the table, with lines for these rows and for those of earlier calls."""
        from rankcast.choose.kernels.distances import spread

        table = self._table
        places, codes, weights, room = table.encoded(np.unique(rows), {}, None)
        if not self.has_begun or len(weights) != self._names:
            self._codes, self._names, self.first_row = table.codes, len(weights), table.first_row
            self._lines = spread(_NONE, codes, weights)
            places = np.flatnonzero(codes[0] >= 0)
        size = table.next_row - self.first_row
        if size > len(self._lines):
            grown = np.full((size + size // 2, self._lines.shape[1]), -1, np.int64)
            grown[: len(self._lines)] = self._lines
            self._lines = grown
        ahead = table.first_row - self.first_row
        self._lines[ahead + places] = spread(places, codes, weights)
        if ahead > size // 2:
            self._lines = self._lines[ahead:].copy()
            self.first_row, ahead = table.first_row, 0
            size = table.next_row - self.first_row
        return np.arange(size) - ahead, self._lines[:size], codes, weights, room

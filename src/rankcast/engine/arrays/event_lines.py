"""What kernels need for the distances between events, shared by all users who compare events in the same way."""

from typing import TypeAlias

import numpy as np

from rankcast.choose.codes import NO_COLUMNS, Codes
from rankcast.engine.arrays.matching import Integers
from rankcast.engine.arrays.table import EventTable
from rankcast.model import DistanceName, Policy
from rankcast.plain import Array

_Compared: TypeAlias = tuple[tuple[tuple[str, float], ...], tuple[str, ...] | None, DistanceName]
"""How a policy compares events: the weights of attributes, the attributes that count, and the distance."""

_MOST = 64
"""The number of ways to compare events whose lines are kept in memory."""

_NONE = np.empty(0, np.int64)
_NO_LINES: Array = np.empty((0, 0), np.int64)
NO_SPACE: tuple[object, ...] = (_NONE, _NO_LINES, (_NONE,) * 6, np.empty(0), np.empty((3, 1)), NO_COLUMNS)
"""A space without events."""


class EventLines:
    """The events of a table as lines of a matrix (`rankcast.choose.kernels.distances`), each written once.

    The first line is that of `first_row`. Lines are written when a distance of their event may first be needed. They
    are all written again when a new name of an attribute appears or the table encodes its events anew.
    """

    def __init__(self, table: EventTable, compared: _Compared) -> None:
        weights, attributes, distance = compared
        self._table = table
        self._compared = dict(weights), attributes, distance
        self._codes: Codes | None = None
        self._names = 0
        self._lines: Array = _NO_LINES
        self._unwritten: list[Integers] = []
        self.first_row = 0

    @property
    def has_begun(self) -> bool:
        """Whether the lines that were written are still valid; if not, all rows in use must be given again."""
        return self._table.codes is self._codes

    def add(self, rows: Integers) -> None:
        """Note rows whose distances are needed from now on."""
        self._unwritten.append(rows)

    def forget(self) -> None:
        """Free the memory, until `space` is next called."""
        self._codes = None
        self._lines = _NO_LINES

    def space(self) -> tuple[object, ...]:
        """The space of the table, with lines for all rows that were added."""
        from rankcast.choose.kernels.distances import spread

        table = self._table
        rows = np.unique(np.concatenate([_NONE, *self._unwritten]))
        self._unwritten.clear()
        places, codes, weights, room = table.encoded(rows[rows >= table.first_row], *self._compared)
        if not self.has_begun or len(weights) != self._names:
            self._codes, self._names, self.first_row = table.codes, len(weights), table.first_row
            self._lines = spread(_NONE, codes, weights)
            places = np.flatnonzero(codes[0] >= 0)
        size = table.next_row - self.first_row
        if size > len(self._lines):
            grown = np.empty((size + size // 2, self._lines.shape[1]), np.int64)
            grown[: len(self._lines)] = self._lines
            self._lines = grown
        ahead = table.first_row - self.first_row
        self._lines[ahead + places] = spread(places, codes, weights)
        if ahead > size // 2:
            self._lines = self._lines[ahead:].copy()
            self.first_row, ahead = table.first_row, 0
            size = table.next_row - self.first_row
        return np.arange(size) - ahead, self._lines[:size], codes, weights, room, NO_COLUMNS


class EventSpaces:
    """The lines for each way in which policies compare events, numbered from 1."""

    def __init__(self, table: EventTable) -> None:
        self._table = table
        self._numbers: dict[_Compared, int] = {}
        self._lines: list[EventLines] = []
        self._used: dict[int, None] = {}
        """The numbers of those whose lines are in memory, in the order of last use."""

    def number(self, policy: Policy) -> int:
        """The number for a policy."""
        attributes = None if policy.attributes is None else tuple(policy.attributes)
        compared = tuple(sorted(policy.weights.items())), attributes, policy.distance
        if compared not in self._numbers:
            self._lines.append(EventLines(self._table, compared))
            self._numbers[compared] = len(self._lines)
        return self._numbers[compared]

    def __getitem__(self, number: int) -> EventLines:
        self._used.pop(number, None)
        self._used[number] = None
        if len(self._used) > _MOST:
            oldest = next(iter(self._used))
            del self._used[oldest]
            self._lines[oldest - 1].forget()
        return self._lines[number - 1]

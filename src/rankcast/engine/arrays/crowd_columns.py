"""The memory of a crowd: where the entries of each user lie."""

from collections.abc import Mapping
from typing import NamedTuple

import numpy as np

from rankcast.engine.arrays.matching import Integers

__all__ = ["CrowdColumns", "Snapshot"]

_KINDS = {
    "pattern": np.int32,
    "degree": np.float64,
    "sent": np.bool_,
    "later": np.int32,
    "picked": np.int32,
    "sigma": np.float64,
}
"""The types of columns that are not 64-bit integers."""


class Snapshot(NamedTuple):
    """A copy of some users of a crowd, and of entries."""

    numbers: Integers
    columns: list[object]
    entries: Integers
    held: list[object]
    used: int


class CrowdColumns:
    """The users and their entries as columns.

    The entries of a user are contiguous, with room for half as many more; a user who outgrows the room moves to the
    end.
    """

    def __init__(self) -> None:
        from rankcast.engine.arrays.kernels.crowds.columns import EntryColumns, MemberColumns

        self.members: MemberColumns = MemberColumns(
            *(np.zeros(16, _KINDS.get(name, np.int64)) for name in MemberColumns._fields)
        )
        """The users as columns, by number."""
        self.held: EntryColumns = EntryColumns(
            *(np.zeros(1024, _KINDS.get(name, np.int64)) for name in EntryColumns._fields)
        )
        """The entries of all users, as columns."""
        self.used = 0
        """The end of the places in use."""

    def put(self, number: int, values: Mapping[str, float]) -> None:
        """Begin a user without entries; columns that `values` does not name are 0."""
        if number >= len(self.members.base):
            more = len(self.members.base)
            self.members = type(self.members)(*(np.concatenate((c, np.zeros(more, c.dtype))) for c in self.members))
        for name, column in zip(self.members._fields, self.members, strict=True):
            column[number] = values.get(name, 0)

    def entries(self, numbers: Integers) -> Integers:
        """The indexes of the entries of some users, user by user."""
        begin, count = self.members.begin[numbers], self.members.count[numbers]
        ends = np.cumsum(count)
        return np.repeat(begin - (ends - count), count) + np.arange(ends[-1] if len(ends) else 0)

    def allot(self, numbers: Integers, counts: Integers) -> None:
        """Give users this many entries, to be written afterwards."""
        members = self.members
        members.count[numbers] = 0
        self.reserve(numbers, counts)
        outgrown = counts > members.room[numbers]
        moved, room = numbers[outgrown], counts[outgrown] * 3 // 2
        members.base[moved], members.room[moved] = self.used + np.cumsum(room) - room, room
        self.used += int(room.sum())
        members.begin[numbers], members.count[numbers] = members.base[numbers], counts

    def reserve(self, numbers: Integers, wanted: Integers) -> None:
        """Make room at the end for all users who want more entries than they have room for."""
        more = int(wanted[wanted > self.members.room[numbers]].sum()) * 3 // 2
        if self.used + more <= len(self.held.row):
            return
        if 2 * int(self.members.room.sum()) < self.used:
            self._close_gaps()
        size = max(self.used + more, len(self.held.row) * 3 // 2)
        made = type(self.held)(*(np.empty(size, column.dtype) for column in self.held))
        for new, old in zip(made, self.held, strict=True):
            new[: self.used] = old[: self.used]
        self.held = made

    def snapshot(self, numbers: Integers, changing: Integers) -> Snapshot:
        """A copy of some users, and of the entries of those who are `changing`, for `go_back`."""
        entries = self.entries(changing)
        return Snapshot(
            numbers,
            [column[numbers] for column in self.members],
            entries,
            [column[entries] for column in self.held],
            self.used,
        )

    def go_back(self, before: Snapshot) -> None:
        """Restore some users."""
        for column, values in zip(self.members, before.columns, strict=True):
            column[before.numbers] = values
        for column, values in zip(self.held, before.held, strict=True):
            column[before.entries] = values
        self.used = before.used

    def renumber(self, numbers: Integers) -> None:
        """Keep only these users, numbered in this order."""
        room = len(numbers) + 16
        self.members = type(self.members)(
            *(np.concatenate((column[numbers], np.zeros(room, column.dtype))) for column in self.members)
        )

    def _close_gaps(self) -> None:
        """Move the users together, each keeping its room."""
        numbers = np.flatnonzero(self.members.room)
        entries = self.entries(numbers)
        room, count = self.members.room[numbers], self.members.count[numbers]
        base = np.cumsum(room) - room
        targets = np.repeat(base - (np.cumsum(count) - count), count) + np.arange(len(entries))
        self.used = int(room.sum())
        made = type(self.held)(*(np.empty(self.used, column.dtype) for column in self.held))
        for new, old in zip(made, self.held, strict=True):
            new[targets] = old[entries]
        self.held = made
        self.members.base[numbers] = self.members.begin[numbers] = base

"""The memory of a crowd: where the entries of each user lie."""

from collections.abc import Mapping
from typing import NamedTuple

import numpy as np

from rankcast.engine.arrays.matching import Integers
from rankcast.plain import Array

_KINDS = {
    "pattern": np.int32,
    "degree": np.float64,
    "sent": np.bool_,
    "later": np.int32,
    "picked": np.int32,
    "kept": np.bool_,
    "sigma": np.float64,
}
"""The types of columns that are not 64-bit integers."""


class Snapshot(NamedTuple):
    """A copy of some users of a crowd, and by name of the column, of entries: which, and their values."""

    numbers: Integers
    columns: list[Array]
    held: list[tuple[str, Integers | slice, Array]]
    used: int


_CHANGING = ("sent", "later")
_CHANGING_DIVERSELY = (*_CHANGING, "picked", "worth", "kept")
"""The columns of entries that serving changes in windows by rank, and in diverse or calm ones."""


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

    def put(self, first: int, values: Mapping[str, float], count: int = 1) -> None:
        """Begin users without entries, from number `first` on; columns that `values` does not name are 0."""
        more = first + count - len(self.members.base)
        if more > 0:
            more = max(more, len(self.members.base))
            self.members = type(self.members)(*(np.concatenate((c, np.zeros(more, c.dtype))) for c in self.members))
        for name, column in zip(self.members._fields, self.members, strict=True):
            column[first : first + count] = values.get(name, 0)

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
        for column in self.held:
            column.resize(size, refcheck=False)  # in place: nobody holds a view, and new memory is expensive

    def make_room(self, numbers: Integers, new: Integers) -> None:
        """Make room for new entries behind those of some users, which may move; nothing else changes."""
        from rankcast.engine.arrays.kernels.crowds.columns import make_room_for

        self.reserve(numbers, self.members.count[numbers] + new)
        self.used = make_room_for(numbers, new, self.held, self.members, self.used)

    def snapshot(self, numbers: Integers) -> Snapshot:
        """A copy of some users, and of what serving them changes in the entries that they hold, for `go_back`.

        The entries of periods do not change, and windows have room for what arrives (`make_room`).
        """
        from rankcast.engine.arrays.kernels.crowds.columns import DIVERSE, HISTORY, SLIDING

        mode, held = self.members.mode[numbers], list[tuple[str, Integers | slice, Array]]()
        for kind, names in ((SLIDING, _CHANGING), (DIVERSE, _CHANGING_DIVERSELY), (HISTORY, self.held._fields)):
            own = numbers[mode == kind]
            count = int(self.members.count[own].sum())
            which = (
                slice(0, self.used) if 8 * count > self.used else self.entries(own)
            )  # copying is cheaper than picking
            held += [(name, which, getattr(self.held, name)[which].copy()) for name in names if count]
        return Snapshot(numbers, [column[numbers] for column in self.members], held, self.used)

    def go_back(self, before: Snapshot) -> None:
        """Restore some users."""
        for column, values in zip(self.members, before.columns, strict=True):
            column[before.numbers] = values
        for name, which, values in before.held:
            getattr(self.held, name)[which] = values
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

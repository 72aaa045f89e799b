"""Columns of lines: many sets on a line, some of which are compared with all at once."""

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

import numpy as np

from rankcast.cover.line import EMPTY, Cut, ValueLine
from rankcast.cover.order_codes import NO_END, NO_START, OrderCodes

if TYPE_CHECKING:
    from numpy.typing import NDArray

    _Pieces = tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]
    """Slots, and the codes of the start and end of their intervals."""

_FIRST_ROOM = 8
_AFTER_ALL, _BEFORE_ALL = NO_END + 1, NO_START - 1
_SPARE = 1024


class LineColumn:
    """Sets on a line, stored in slots.

    `compare` is exact. A pair of intervals takes about 2 ns. Sets of single values are compared through the slots
    that share a value. Any other set of s intervals takes s comparisons with each interval of the other such sets.
    """

    def __init__(self) -> None:
        self._lines: list[ValueLine] = []
        self._codes = OrderCodes()
        self._low, self._high = np.zeros((2, _FIRST_ROOM), np.int64)
        self._sizes = np.zeros(_FIRST_ROOM, np.int64)
        """The number of values in a set of single values; 0 for other sets."""
        self._is_whole = np.ones(_FIRST_ROOM, np.bool_)
        """Whether the set is at most one interval."""
        self._gaps = np.zeros(_FIRST_ROOM, np.int64)
        """The number of excluded values in a set of all but single values; 0 for other sets."""
        self._holders = _ValueIndex()
        self._leavers = _ValueIndex()
        self._ragged: dict[int, None] = {}
        """Sets of several intervals, at least one of which is not a single value."""
        self._flat: _Pieces | None = None
        """The intervals of all sets with several intervals."""
        self._flat_ragged: _Pieces | None = None
        self._kinds: dict[ValueLine, int] = {}
        self._cuts = 0

    def put(self, slots: Sequence[int], lines: Sequence[ValueLine]) -> None:
        """Put lines into free slots: the first slot is 0, each further one at most one more than before."""
        room = max(slots, default=0) + 1
        while room > len(self._low):
            self._grow()
        self._lines += [EMPTY] * (room - len(self._lines))
        self._cuts += sum(len(line.cuts) for line in lines)
        if self._codes.learn(cut for line in lines for cut in line.cuts):
            self._read_codes()
        for slot, line in zip(slots, lines, strict=True):
            self._set(slot, line)

    def remove(self, slot: int) -> None:
        """Free a slot."""
        line = self._lines[slot]
        self._kinds[line] -= 1
        if not self._kinds[line]:
            del self._kinds[line]
        if self._sizes[slot]:
            self._holders.remove(slot, line)
        if self._gaps[slot]:
            self._leavers.remove(slot, ~line)
        self._ragged.pop(slot, None)
        if not self._is_whole[slot]:
            self._flat = self._flat_ragged = None
        self._lines[slot] = EMPTY
        self._low[slot], self._high[slot] = _AFTER_ALL, _BEFORE_ALL
        self._sizes[slot], self._gaps[slot], self._is_whole[slot] = 0, 0, True
        self._cuts -= len(line.cuts)
        if len(self._codes) > 2 * self._cuts + _SPARE:
            self._codes = OrderCodes()
            self._codes.learn(cut for one in self._lines for cut in one.cuts)
            self._read_codes()

    def compare(self, slots: "NDArray[np.int64]") -> "tuple[NDArray[np.bool_], NDArray[np.bool_]] | None":
        """Compare some slots with every slot: whether the first lies within the second, and whether it contains it.

        None if all lines are equal.
        """
        size = len(self._lines)
        if len(self._kinds) == 1:
            return None
        low, high = self._low[:size], self._high[:size]
        own_low, own_high = low[slots, None], high[slots, None]
        within = (low <= own_low) & (high >= own_high)
        containing = (low >= own_low) & (high <= own_high)
        if self._is_whole[:size].all():
            return within, containing
        is_whole = self._is_whole[:size]
        within &= is_whole | (own_low > own_high)
        for number, slot in enumerate(slots.tolist()):
            line = self._lines[slot]
            if line:
                self._compare(line, slot, within[number], containing[number])
        return within, containing

    def _compare(
        self, line: ValueLine, slot: int, within: "NDArray[np.bool_]", containing: "NDArray[np.bool_]"
    ) -> None:
        """Refine the comparison of hulls between a line and all slots, if either has several intervals."""
        size = len(self._lines)
        values, gaps = int(self._sizes[slot]), int(self._gaps[slot])
        pieces = [self._piece(*piece) for piece in line.pieces()]
        if values:
            shared = self._holders.shared(line, size)
            within |= shared == values
            if values > 1:
                sizes = self._sizes[:size]
                containing &= (shared == sizes) & (sizes > 0) | (self._low[:size] > self._high[:size])
        elif gaps:
            shared = self._leavers.shared(~line, size)
            is_alike = self._gaps[:size] > 0
            contained = self._contained(pieces, self._is_whole[:size])
            contained |= (shared == gaps) & is_alike
            contained |= (self._holders.shared(~line, size) == 0) & (self._sizes[:size] > 1)
            if len(self._ragged) > np.count_nonzero(is_alike):
                contained |= self._contained(pieces, ~self._is_whole[:size] & ~is_alike & (self._sizes[:size] == 0))
            containing &= contained
            within |= (shared == self._gaps[:size]) & is_alike
            return
        elif len(pieces) > 1:
            containing &= self._contained(pieces, np.ones(size, np.bool_))
        if self._ragged:
            slots, lows, highs = self._pieces_of_ragged()
            found = np.zeros(size, np.int64)
            for start, end in pieces:
                found[slots[(lows <= start) & (highs >= end)]] += 1
            within |= (found == len(pieces)) & ~self._is_whole[:size]

    def _contained(self, pieces: list[tuple[int, int]], among: "NDArray[np.bool_]") -> "NDArray[np.bool_]":
        """Which of some slots lie within the given intervals."""
        starts, ends = np.array(pieces, np.int64).T
        size = len(self._lines)
        low, high = self._low[:size], self._high[:size]
        whole = np.flatnonzero(among & self._is_whole[:size])
        is_in = np.zeros(size, np.bool_)
        if len(whole):
            place = np.searchsorted(starts, low[whole], "right") - 1
            is_in[whole] = (place >= 0) & (high[whole] <= ends[place]) | (low[whole] > high[whole])
        several = among & ~self._is_whole[:size]
        if several.any():
            slots, lows, highs = self._pieces()
            place = np.searchsorted(starts, lows, "right") - 1
            several[slots[(place < 0) | (highs > ends[place])]] = False
            is_in |= several
        return is_in

    def _set(self, slot: int, line: ValueLine) -> None:
        self._lines[slot] = line
        self._kinds[line] = self._kinds.get(line, 0) + 1
        self._low[slot], self._high[slot] = self._hull(line)
        pieces = list(line.pieces())
        self._is_whole[slot] = len(pieces) <= 1
        has_values = bool(pieces) and all(is_point(*piece) for piece in pieces)
        self._sizes[slot] = len(pieces) if has_values else 0
        if has_values:
            self._holders.put(slot, line)
        elif len(pieces) > 1:
            self._ragged[slot] = None
            gaps = list((~line).pieces())
            if all(is_point(*gap) for gap in gaps):
                self._gaps[slot] = len(gaps)
                self._leavers.put(slot, ~line)
        if len(pieces) > 1:
            self._flat = self._flat_ragged = None

    def _read_codes(self) -> None:
        """Read the codes again after they have changed."""
        self._flat = self._flat_ragged = None
        for slot, line in enumerate(self._lines):
            self._low[slot], self._high[slot] = self._hull(line)

    def _hull(self, line: ValueLine) -> tuple[int, int]:
        if not line:
            return _AFTER_ALL, _BEFORE_ALL
        start = None if line.below else line.cuts[0]
        end = line.cuts[-1] if line.cuts and line.below == (len(line.cuts) % 2 == 1) else None
        return self._piece(start, end)

    def _piece(self, start: Cut | None, end: Cut | None) -> tuple[int, int]:
        return NO_START if start is None else self._codes[start], NO_END if end is None else self._codes[end]

    def _pieces(self) -> "_Pieces":
        if self._flat is None:
            self._flat = self._pieces_of(np.flatnonzero(~self._is_whole[: len(self._lines)]).tolist())
        return self._flat

    def _pieces_of_ragged(self) -> "_Pieces":
        if self._flat_ragged is None:
            self._flat_ragged = self._pieces_of(self._ragged)
        return self._flat_ragged

    def _pieces_of(self, slots: Iterable[int]) -> "_Pieces":
        found = [(slot, *self._piece(*piece)) for slot in slots for piece in self._lines[slot].pieces()]
        columns = np.array(found, np.int64).reshape(-1, 3)
        return columns[:, 0].copy(), columns[:, 1].copy(), columns[:, 2].copy()

    def _grow(self) -> None:
        room = len(self._low)
        self._low = np.concatenate((self._low, np.full(room, _AFTER_ALL, np.int64)))
        self._high = np.concatenate((self._high, np.full(room, _BEFORE_ALL, np.int64)))
        self._sizes = np.concatenate((self._sizes, np.zeros(room, np.int64)))
        self._gaps = np.concatenate((self._gaps, np.zeros(room, np.int64)))
        self._is_whole = np.concatenate((self._is_whole, np.ones(room, np.bool_)))


class _ValueIndex:
    """The slots of each single value."""

    def __init__(self) -> None:
        self._slots_of: dict[Cut, dict[int, None]] = {}
        self._arrays: dict[Cut, NDArray[np.int64]] = {}

    def put(self, slot: int, line: ValueLine) -> None:
        """Record the values of a slot."""
        for start in _starts(line):
            self._slots_of.setdefault(start, {})[slot] = None
            self._arrays.pop(start, None)

    def remove(self, slot: int, line: ValueLine) -> None:
        """Forget the values of a slot."""
        for start in _starts(line):
            self._arrays.pop(start, None)
            del self._slots_of[start][slot]
            if not self._slots_of[start]:
                del self._slots_of[start]

    def shared(self, line: ValueLine, size: int) -> "NDArray[np.int64]":
        """How many of the given values each slot contains."""
        found = [self._slots(start) for start in _starts(line) if start in self._slots_of]
        return np.bincount(np.concatenate(found), minlength=size) if found else np.zeros(size, np.int64)

    def _slots(self, start: Cut) -> "NDArray[np.int64]":
        if start not in self._arrays:
            slots = self._slots_of[start]
            self._arrays[start] = np.fromiter(slots, np.int64, len(slots))
        return self._arrays[start]


def _starts(line: ValueLine) -> list[Cut]:
    return [start for start, _ in line.pieces() if start is not None]


def is_point(start: Cut | None, end: Cut | None) -> bool:
    """Whether an interval is a single value. For strings, it then ends before the string with a NUL appended."""
    if start is None or end is None:
        return False
    value = start[0]
    return bool(end == (value + "\0", 0)) if isinstance(value, str) else bool(start[1] == 0 and end == (value, 1))

# mypy: allow-untyped-defs, no-check-untyped-defs, allow-untyped-calls
"""The search for one event at a time, without what a call with many arrays costs.

numba takes longer to unpack twenty arrays than the search for an event. So the arrays of the index are passed as their
addresses, in one array, and so are those that the search writes. They are made once and used by one call at a time.
"""

from collections.abc import Callable
from functools import cache

import numba
import numpy as np
from numba import types
from numba.core import cgutils
from numba.extending import intrinsic
from numba.np.arrayobj import make_array
from numpy.typing import NDArray

from rankcast.compiling import kernel
from rankcast.engine.index.compiled import CompiledIndex
from rankcast.engine.index.holding import MISSING
from rankcast.engine.index.singles import MOST, search_events
from rankcast.plain import Array

MARKED, NO_ROOM = -1, -2
"""Why a search has no result: some of it may have flags; the room is too small."""

FEW = 64
"""At most so many places are sorted by the search. Of more, numpy is faster."""

_ROOM = 1 << 9


_ARRAYS = 23
"""The number of arrays."""


class SingleSearch:
    """The arrays of an index and of one search by address, for `search_one`."""

    def __init__(self, compiled: CompiledIndex, room: int = _ROOM) -> None:
        it, attributes = compiled, len(compiled.level_start) - 1
        ends = np.full((attributes, 2), (MISSING, -1), np.int32)
        is_true = np.zeros(it.literals.shape[1] + 1, np.uint8)
        is_true[-1] = 1
        self._read: list[Array] = [
            np.ascontiguousarray(array, kind)
            for array, kind in (
                (it.words, np.int32), (it.literals, np.int32), (it.instructions, np.int32), (it.set_words, np.int32),
                (it.group_ends, np.int32), (it.scored, np.float64), (it.list_start, np.int64),
                (it.level_start, np.int32), (it.levels, np.int32), (it.literal_start, np.int32), (it.place_at, np.int32),
            )
        ]  # fmt: skip
        self._written: list[Array] = [
            ends, np.ones(attributes, np.int32), np.empty(attributes, np.int64), is_true, np.empty(MOST, np.int64),
            np.empty(MOST, np.int64), np.empty(MOST, np.int64), np.empty(MOST, np.int64), np.empty(MOST, np.int64),
            np.empty((2, room), np.int32), np.empty(room, np.int32),
            np.empty(FEW, np.int64),
        ]  # fmt: skip
        self.places: NDArray[np.int32] = self._written[-2]
        """Where the search writes the places of more than `FEW` matches, unordered."""
        self.few_places: NDArray[np.int64] = self._written[-1]
        """Where it writes those of fewer, in order."""
        self.room = room
        arrays = [*self._read, *self._written]
        table = [(array.ctypes.data, len(array), array.shape[-1]) for array in arrays]
        self.table: Array = np.array(table, np.int64)
        """Address, length and width of each array."""
        self.address: int = self.table.ctypes.data
        self.run: Callable[[int, bytes], int] = _compiled_search()
        """`search_one`, compiled: numba does not look at the types of each call."""


@intrinsic
def _pointer(typing, address):
    """An address as a pointer."""

    def made(context, builder, signature, arguments):
        return builder.inttoptr(arguments[0], cgutils.voidptr_t)

    return types.voidptr(types.int64), made


@intrinsic
def _content(typing, text):
    """A pointer to the content of bytes."""

    def made(context, builder, signature, arguments):
        return make_array(signature.args[0])(context, builder, arguments[0]).data

    return types.voidptr(text), made


@kernel
def _row(table, i, kind):
    return numba.carray(_pointer(table[i, 0]), table[i, 1], kind)


@kernel
def _rows(table, i, kind):
    return numba.carray(_pointer(table[i, 0]), (table[i, 1], table[i, 2]), kind)


@kernel
def search_one(address, pairs):
    """Find the places of the matches of an event, given by `Encoder.pairs`.

    `address` is that of `SingleSearch.table`. Returns their number, or why there is no result.
    """
    table = numba.carray(_pointer(address), (_ARRAYS, 3), np.int64)
    words = _row(table, 0, np.int32)
    numbers = numba.carray(_pointer(table[0, 0]), 2 * table[0, 1], np.uint16)
    values = len(pairs) >> 3
    codes = numba.carray(_content(pairs), (values, 2), np.int32)
    attribute, low = codes[:, 0], codes[:, 1]
    ends = numba.carray(_pointer(table[11, 0]), (1, table[11, 1], 2), np.int32)
    counts = numba.carray(_pointer(table[12, 0]), (1, table[12, 1]), np.int32)
    begins = numba.carray(_pointer(table[13, 0]), (1, table[13, 1]), np.int64)
    out = _rows(table, 20, np.int32)
    size, is_marked = search_events(
        words, numbers, _rows(table, 1, np.int32), _rows(table, 2, np.int32), _row(table, 3, np.int32),
        _rows(table, 4, np.int32), _rows(table, 5, np.float64), _row(table, 6, np.int64), _row(table, 7, np.int32),
        _rows(table, 8, np.int32), _row(table, 9, np.int32), (0, values), attribute, low, low, (False,),
        0, 1, 0, out[0], out[1], 0, ends, counts, begins, _row(table, 14, np.uint8), _row(table, 15, np.int64),
        _row(table, 16, np.int64), _row(table, 17, np.int64), _row(table, 18, np.int64),
        _row(table, 19, np.int64),
    )  # fmt: skip
    if size < 0 or is_marked:
        return NO_ROOM if size < 0 else MARKED
    place_at, places = _row(table, 10, np.int32), _row(table, 21, np.int32)
    for i in range(size):
        places[i] = place_at[out[1, i]]
    if size <= FEW:
        # The rank of each among all, without a branch: faster than any sort for so few.
        few = _row(table, 22, np.int64)
        for i in range(size):
            place, rank = places[i], np.int32(0)
            for j in range(size):
                rank += np.int32(places[j] < place)
            few[rank] = place
    return size


@cache
def _compiled_search():
    return search_one.compile((types.int64, numba.typeof(b"")))

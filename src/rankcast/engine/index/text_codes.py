"""The codes of events that are known by their JSON text alone, found in the bytes without making objects."""

from array import array
from collections.abc import Callable, Mapping, Sequence
from typing import cast

import numpy as np
from numpy.typing import NDArray

from rankcast.engine.event_texts.reading import joined
from rankcast.engine.index.spaces import AttributeSpace
from rankcast.errors import RankcastError
from rankcast.language import decode_event
from rankcast.model import MAX_NAME, Values
from rankcast.plain import Array

_REMEMBERED = 1 << 18
"""The number of values that are cached with their codes."""

_FIRST_SLOTS = 1 << 12
_EVENT = b'{"id":"e","time":"2000-01-01T00:00:00Z","attributes":{"a":%b}}'


class TextCodes:
    """The names of attributes and their values by their bytes in JSON, each decoded once. Numbers need no decoding.

    Parameters
    ----------
    numbers
        The attributes by name.
    spaces
        The constants of each attribute.
    members
        The attributes whose numbers have further codes.
    codes_of
        The attributes and codes of the values of an attribute, in turn, as bytes of 32-bit integers.
    """

    def __init__(
        self,
        numbers: Mapping[str, int],
        spaces: Sequence[AttributeSpace],
        members: Mapping[int, int],
        codes_of: Callable[[tuple[str, Values]], bytes],
    ) -> None:
        self._numbers, self._codes_of = numbers, codes_of
        is_direct = [number not in members and not len(one.remainders) for number, one in enumerate(spaces)]
        ends = np.cumsum([0, *(len(one.numbers) for one in spaces)])
        constants = np.concatenate([np.empty(0), *(one.numbers for one in spaces)])
        self._constants = ends, constants, np.array(is_direct, np.bool_)
        self._forget()

    def _forget(self) -> None:
        self._known: set[tuple[int, bytes]] = set()
        self._entries, self._store, self._pairs = array("q"), bytearray(), bytearray()
        self._slots: Array = np.full(_FIRST_SLOTS, -1, np.int32)
        self._table: tuple[Array, ...] = ()
        self._enter(0)

    def encode(self, texts: Sequence[bytes]) -> tuple[NDArray[np.int64], NDArray[np.int32]]:
        """Where the codes of each event begin, and the end of all; and attributes and codes as rows.

        An event that must be decoded has no codes, and its begin is given as its (negative) complement. About 0.6 µs
        for ten attributes whose values are cached or numbers, 5 µs more for each other value.
        """
        from rankcast.engine.index.text_kernels import write_codes

        data, bounds = joined(texts)
        content, room = np.frombuffer(data, np.uint8), 16 * len(texts) + 1024
        start, missing = np.empty(len(bounds), np.int64), np.empty((2 * len(texts) + 1024, 4), np.int64)
        may_learn = True
        while True:
            out = np.empty((room, 2), np.int32)
            unknown: int = write_codes(content, bounds, MAX_NAME, *self._table, *self._constants, start, out, missing)
            if unknown < 0:
                room *= 4
            elif may_learn and unknown:
                self._learn(data, missing[:unknown].tolist())
                may_learn = False
            else:
                return start, out[: start[-1]]

    def _learn(self, data: bytes, missing: list[list[int]]) -> None:
        """Enter names and values that were not known."""
        if len(self._known) + 2 * len(missing) > _REMEMBERED:
            self._forget()
        self._table = ()  # it holds the memory of what grows now
        first = len(self._entries) // 5
        for name_begin, name_end, begin, end in missing:
            name = data[name_begin:name_end]
            number = self._numbers.get(name.decode(), -1)
            self._note(-1, name, number, number)
            if number >= 0 and (number, value := data[begin:end]) not in self._known:
                try:
                    decoded = decode_event(_EVENT % value, seq=1).attributes["a"]
                except RankcastError:  # such as text that is not Unicode: it stays unknown
                    continue
                at = len(self._pairs) // 8
                self._pairs += self._codes_of((name.decode(), cast("Values", decoded)))
                self._note(number, value, at, len(self._pairs) // 8)
        self._enter(first)

    def _note(self, of: int, text: bytes, *known: int) -> None:
        if (of, text) not in self._known:
            self._known.add((of, text))
            self._entries.extend((of, len(self._store), len(self._store) + len(text), *known))
            self._store += text

    def _enter(self, first: int) -> None:
        """Enter the entries from one on into the table."""
        from rankcast.engine.index.text_kernels import enter

        entries = np.frombuffer(self._entries, np.int64).reshape(-1, 5)
        if 2 * len(entries) > len(self._slots):
            self._slots = np.full(1 << (4 * len(entries)).bit_length(), -1, np.int32)
            first = 0
        store = np.frombuffer(self._store, np.uint8)
        enter(self._slots, entries, store, first)
        self._table = self._slots, entries, store, np.frombuffer(self._pairs, np.int32).reshape(-1, 2)

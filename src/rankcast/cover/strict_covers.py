"""Strict covers among thousands of expressions, kept while they come and go."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from rankcast.cover.normal import NormalForm
from rankcast.cover.outlines import CoverOutline, outline_of
from rankcast.cover.span_columns import SpanColumn
from rankcast.cover.vague import ConceptDegree

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["StrictCovers"]

_FIRST_ROOM = 64
_WORD = 64
_NEVER = -1
_ROWS_AT_ONCE = 2048


class StrictCovers:
    """Forms under keys, and for each pair whether one covers the other and is not covered by it: just what
    `rankcast.cover.relate` says of every pair.

    A pair takes a bit, so 10,000 forms 13 to 20 MB. `add` compares the outline of the new one with all others, at once: some
    milliseconds among 10,000. The outlines decide between conjunctions of intervals, sets, single patterns and degrees to the same
    concept. Other pairs stay open, in a second bit, until both are asked for, and then `NormalForm.covers` decides.
    `most_specific` of m keys takes O(m^2 / 64), and 5 to 50 µs for each open pair among them, once.

    >>> from rankcast.cover import normal_form
    >>> from rankcast.language import parse
    >>> covers = StrictCovers()
    >>> for key, text in {"s1": "x > 1", "s2": "x > 2", "s3": "x > 2 and y = 1", "s4": "x > 2"}.items():
    ...     covers.add(key, normal_form(parse(text)))
    >>> covers.most_specific(["s1", "s2", "s4"]), covers.strictly_covers("s1", "s3"), covers.strictly_covers("s2", "s4")
    (('s2', 's4'), True, False)
    """

    def __init__(self) -> None:
        self._row_of: dict[str, int] = {}
        self._forms: list[NormalForm | None] = []
        self._outlines: list[CoverOutline | None] = []
        self._free: list[int] = []
        self._columns: dict[str | ConceptDegree, SpanColumn] = {}
        self._below = np.zeros((_FIRST_ROOM, _FIRST_ROOM // _WORD), np.uint64)
        self._open: NDArray[np.uint64] | None = None
        self._sure_needs, self._needs = np.full((2, _FIRST_ROOM), _NEVER, np.int32)
        self._used, self._empty, self._unlisted = np.zeros((3, _FIRST_ROOM), np.bool_)

    def __len__(self) -> int:
        return len(self._row_of)

    def __contains__(self, key: object) -> bool:
        return key in self._row_of

    def add(self, key: str, form: NormalForm) -> None:
        """Take a form; `key` must be new."""
        row = self._free.pop() if self._free else len(self._forms)
        if row == len(self._forms):
            self._forms.append(None)
            self._outlines.append(None)
        if row == len(self._used):
            self._grow()
        outline = outline_of(form)
        (above, may_be_above), (below, may_be_below) = self._above(form, outline), self._under(form, outline)
        self._set_bits(self._below, row, above & ~below & ~may_be_below, below & ~above & ~may_be_above)
        is_open = may_be_above | may_be_below
        if is_open.any():
            if self._open is None:
                self._open = np.zeros_like(self._below)
            self._set_bits(self._open, row, is_open & (above | may_be_above), is_open & (below | may_be_below))
        self._row_of[key] = row
        self._forms[row], self._outlines[row] = form, outline
        self._used[row] = True
        self._empty[row] = form.conjunctions == ()
        self._unlisted[row] = form.conjunctions is None
        if outline is not None:
            self._sure_needs[row] = len(outline.spans) if outline.is_exact else _NEVER
            self._needs[row] = _needs(outline)
            for name, span in outline.spans.items():
                self._columns.setdefault(name, SpanColumn()).put(row, span)

    def remove(self, key: str) -> None:
        """Give a form up."""
        row = self._row_of.pop(key)
        outline = self._outlines[row]
        for name, span in outline.spans.items() if outline is not None else ():
            self._columns[name].remove(row, span)
            if not self._columns[name]:
                del self._columns[name]
        for bits in (self._below, self._open):
            if bits is not None:
                bits[row] = 0
                bits[:, row // _WORD] &= ~_bit(row)
        self._used[row] = self._empty[row] = self._unlisted[row] = False
        self._sure_needs[row] = self._needs[row] = _NEVER
        self._forms[row] = self._outlines[row] = None
        self._free.append(row)

    def strictly_covers(self, general: str, special: str) -> bool:
        """Whether `general` matches all that `special` matches, and more."""
        return self._strictly(self._row_of[general], self._row_of[special])

    def most_specific(self, keys: Sequence[str]) -> tuple[str, ...]:
        """Those that do not strictly cover another of them, in the given order; of equal ones, all."""
        rows = np.fromiter((self._row_of[key] for key in keys), np.int64, len(keys))
        given = np.zeros(len(self._used), np.bool_)
        given[rows] = True
        wanted = _packed(given)
        words = np.flatnonzero(wanted)
        covers_one = _meets(self._below, rows, words, wanted)
        if self._open is not None:
            left = np.flatnonzero(~covers_one)
            for place in left[_meets(self._open, rows[left], words, wanted)].tolist():
                row = int(rows[place])
                rivals = np.flatnonzero(_unpacked(self._open[row] & wanted))
                covers_one[place] = any(self._strictly(row, rival) for rival in rivals.tolist())
        return tuple(key for key, does in zip(keys, covers_one.tolist(), strict=True) if not does)

    def _strictly(self, row: int, other: int) -> bool:
        """Whether a row strictly covers another; decided now if it was left open."""
        word, bit = other // _WORD, _bit(other)
        if self._open is not None and self._open[row, word] & bit:
            a, b = self._forms[row], self._forms[other]
            self._open[row, word] &= ~bit
            if a is not None and b is not None and a.covers(b) and not b.covers(a):
                self._below[row, word] |= bit
        return bool(self._below[row, word] & bit)

    def _above(self, form: NormalForm, outline: CoverOutline | None) -> "tuple[NDArray[np.bool_], NDArray[np.bool_]]":
        """Which rows surely cover a form, and which may."""
        nowhere = np.zeros(len(self._used), np.bool_)
        if form.conjunctions == ():
            return self._used.copy(), nowhere
        sure, possible = np.zeros((2, len(self._used)), np.int32)
        for name, span in outline.spans.items() if outline is not None else ():
            column = self._columns.get(name)
            if column is not None:
                surely, maybe = column.covering(span)
                sure[surely] += 1
                if isinstance(name, str):
                    possible[maybe] += 1
        is_sure = self._used & (sure == self._sure_needs)
        is_open = self._used & (possible == self._needs) & ~is_sure
        if form.conjunctions is None:
            is_open |= self._unlisted
        return is_sure, is_open

    def _under(self, form: NormalForm, outline: CoverOutline | None) -> "tuple[NDArray[np.bool_], NDArray[np.bool_]]":
        """Which rows a form surely covers, and which it may cover."""
        if outline is None:
            return self._empty.copy(), self._unlisted & (form.conjunctions is None)
        sure, possible = np.zeros((2, len(self._used)), np.int32)
        for name, span in outline.spans.items():
            column = self._columns.get(name)
            if column is not None:
                surely, maybe = column.covered(span)
                sure[surely] += 1
                if span.is_needed and isinstance(name, str):
                    possible[maybe] += 1
        is_sure = self._used & (sure == len(outline.spans)) & outline.is_exact | self._empty
        return is_sure, self._used & (possible == _needs(outline)) & ~is_sure

    @staticmethod
    def _set_bits(bits: "NDArray[np.uint64]", row: int, above: "NDArray[np.bool_]", below: "NDArray[np.bool_]") -> None:
        bits[np.flatnonzero(above), row // _WORD] |= _bit(row)
        bits[row] = _packed(below)

    def _grow(self) -> None:
        room = len(self._used)
        more = max(_WORD, room // 4 // _WORD * _WORD)
        self._below = _larger(self._below, room + more)
        self._open = None if self._open is None else _larger(self._open, room + more)
        never, no = np.full(more, _NEVER, np.int32), np.zeros(more, np.bool_)
        self._sure_needs = np.concatenate((self._sure_needs, never))
        self._needs = np.concatenate((self._needs, never))
        self._used = np.concatenate((self._used, no))
        self._empty = np.concatenate((self._empty, no))
        self._unlisted = np.concatenate((self._unlisted, no))


def _needs(outline: CoverOutline) -> int:
    """How many attributes whatever the outline covers must name."""
    return sum(span.is_needed for name, span in outline.spans.items() if isinstance(name, str))


def _bit(row: int) -> np.uint64:
    return np.uint64(1 << row % _WORD)


def _packed(flags: "NDArray[np.bool_]") -> "NDArray[np.uint64]":
    return np.packbits(flags, bitorder="little").view("<u8")


def _unpacked(words: "NDArray[np.uint64]") -> "NDArray[np.uint8]":
    return np.unpackbits(words.view(np.uint8), bitorder="little")


def _larger(bits: "NDArray[np.uint64]", room: int) -> "NDArray[np.uint64]":
    larger = np.zeros((room, room // _WORD), np.uint64)
    larger[: bits.shape[0], : bits.shape[1]] = bits
    return larger


def _meets(
    bits: "NDArray[np.uint64]", rows: "NDArray[np.int64]", words: "NDArray[np.int64]", wanted: "NDArray[np.uint64]"
) -> "NDArray[np.bool_]":
    """For each of the rows, whether it has a bit that is wanted; `words` are the words that have one."""
    found = np.zeros(len(rows), np.bool_)
    for start in range(0, len(rows), _ROWS_AT_ONCE):
        part = slice(start, start + _ROWS_AT_ONCE)
        found[part] = (bits[np.ix_(rows[part], words)] & wanted[words]).any(axis=1)
    return found

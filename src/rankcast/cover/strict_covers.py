"""Strict covers among thousands of expressions, maintained while expressions are added and removed."""

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np

from rankcast.cover.cell_column import CellColumn, CellOutline, cell_outline
from rankcast.cover.cells import ANY
from rankcast.cover.normal import NormalForm

if TYPE_CHECKING:
    from numpy.typing import NDArray

_FIRST_ROOM = 64
_WORD = 64
_ONE = np.uint64(1)
_ROWS_AT_ONCE = 2048
_FIRST_WORDS = 4
_PARTS_AT_ONCE = 64

PartOutline = dict[str, CellOutline]
"""A conjunction that can be compared in bulk: an outline for each attribute that it names."""


def part_outlines(form: NormalForm) -> tuple[PartOutline, ...] | None:
    """The conjunctions of a form.

    None if there are too many, or if one of them constrains the degree in a concept or makes several requirements on
    the strings of an attribute.
    """
    if form.conjunctions is None:
        return None
    parts: list[PartOutline] = []
    for conjunction in form.conjunctions:
        part: PartOutline = {}
        for name, cell in conjunction.items():
            outline = cell_outline(cell)
            if not isinstance(name, str) or outline is None:
                return None
            if not ANY.within(cell):
                part[name] = outline
        parts.append(part)
    return tuple(parts)


class StrictCovers:
    """Forms under keys, and for each pair whether one strictly covers the other by parts.

    Covering by parts means that each conjunction of the covered form lies within a conjunction of the other
    (`NormalForm.covers` without comparisons).

    A pair of forms takes one bit, so 10,000 forms take 13 to 20 MB. `add` compares the new parts with all parts:
    about 2 ns for each pair of parts and each attribute that both name. `most_specific` of m keys takes O(m^2 / 64).

    >>> from rankcast.cover import normal_form
    >>> from rankcast.language import parse
    >>> texts = {"s1": "x > 1 or y = 1", "s2": "x > 2", "s3": "x > 2 and y = 1", "s4": "x > 2"}
    >>> covers = StrictCovers()
    >>> covers.add({key: part_outlines(normal_form(parse(text))) for key, text in texts.items()})
    >>> covers.most_specific(["s1", "s2", "s4"]), covers.strictly_covers("s1", "s3"), covers.strictly_covers("s2", "s4")
    (('s2', 's4'), True, False)
    """

    def __init__(self) -> None:
        self._number_of: dict[str, int] = {}
        self._rows_of: list[tuple[int, ...]] = []
        self._parts: list[PartOutline] = []
        self._free_numbers: list[int] = []
        self._free_rows: list[int] = []
        self._columns: dict[str, CellColumn] = {}
        self._needs = np.full(_FIRST_ROOM, -1, np.int32)
        """The number of attributes that a row names; -1 for a free row."""
        self._first = np.full(_FIRST_ROOM, -1, np.int64)
        """The first row of each form; -1, the last row, for a form that nothing matches."""
        self._several: dict[int, None] = {}
        self._further: list[tuple[NDArray[np.int64], NDArray[np.int64]]] | None = None
        self._below = np.zeros((_FIRST_ROOM, _FIRST_ROOM // _WORD), np.uint64)
        self._witness = np.full(_FIRST_ROOM, -1, np.int64)
        """For each form, one that it strictly covers, or covered before that was removed; -1 if it covers none."""

    def __len__(self) -> int:
        return len(self._number_of)

    def __contains__(self, key: object) -> bool:
        return key in self._number_of

    def add(self, forms: Mapping[str, tuple[PartOutline, ...]]) -> None:
        """Add forms under new keys."""
        new = [self._number(key, parts) for key, parts in forms.items()]
        by_name: dict[str, tuple[list[int], list[CellOutline]]] = {}
        for number in new:
            for row in self._rows_of[number]:
                for name, outline in self._parts[row].items():
                    rows, outlines = by_name.setdefault(name, ([], []))
                    rows.append(row)
                    outlines.append(outline)
        for name, (rows, outlines) in by_name.items():
            self._columns.setdefault(name, CellColumn()).put(rows, outlines)
        is_used = np.ones(len(self._rows_of), np.bool_)
        is_used[self._free_numbers] = False
        is_old = is_used.copy()
        is_old[new] = False
        together: list[int] = []
        size = 0
        for number in new:
            together.append(number)
            size += len(self._rows_of[number])
            if size >= _PARTS_AT_ONCE or number == new[-1]:
                self._relate(together, is_old, is_used)
                together, size = [], 0

    def remove(self, key: str) -> None:
        """Remove a form."""
        number = self._number_of.pop(key)
        for row in self._rows_of[number]:
            for name in self._parts[row]:
                column = self._columns[name]
                column.remove(row)
                if not len(column):
                    del self._columns[name]
            self._parts[row] = {}
            self._needs[row] = -1
            self._free_rows.append(row)
        if number in self._several:
            del self._several[number]
            self._further = None
        self._rows_of[number] = ()
        self._first[number] = -1
        self._below[number] = 0
        self._below[:, number // _WORD] &= ~_bit(number)
        self._free_numbers.append(number)

    def strictly_covers(self, general: str, special: str) -> bool:
        """Whether `general` matches everything that `special` matches, and more."""
        number = self._number_of[special]
        return bool(self._below[self._number_of[general], number // _WORD] & _bit(number))

    def most_specific(self, keys: Sequence[str]) -> tuple[str, ...]:
        """The keys that do not strictly cover another of them, in the given order. Equal ones are all kept."""
        numbers = np.fromiter((self._number_of[key] for key in keys), np.int64, len(keys))
        given = np.zeros(len(self._below), np.bool_)
        given[numbers] = True
        covers_one = self._covers_given(numbers, given)
        return tuple(key for key, does in zip(keys, covers_one.tolist(), strict=True) if not does)

    def _covers_given(self, numbers: "NDArray[np.int64]", given: "NDArray[np.bool_]") -> "NDArray[np.bool_]":
        """For each number, whether it strictly covers a given one. Its witness mostly answers this at once."""
        witness = self._witness[numbers]
        is_known = witness >= 0
        bits = self._below[numbers, witness // _WORD] >> (witness % _WORD).astype(np.uint64)
        covers_one = is_known & given[witness] & (bits & _ONE).astype(np.bool_)
        unsure = np.flatnonzero(is_known & ~covers_one)
        if len(unsure):
            wanted = _packed(given)
            met = _meets(self._below, numbers[unsure], np.flatnonzero(wanted), wanted)
            is_met = met >= 0
            self._witness[numbers[unsure[is_met]]] = met[is_met]
            covers_one[unsure] = is_met
        return covers_one

    def _number(self, key: str, parts: tuple[PartOutline, ...]) -> int:
        """Assign a number to a new form, and rows to its parts."""
        number = self._free_numbers.pop() if self._free_numbers else len(self._rows_of)
        if number == len(self._rows_of):
            self._rows_of.append(())
        if number == len(self._below):
            self._grow()
        rows: list[int] = []
        for part in parts:
            row = self._free_rows.pop() if self._free_rows else len(self._parts)
            if row == len(self._parts):
                self._parts.append({})
            if row == len(self._needs):
                self._needs = np.concatenate((self._needs, np.full(len(self._needs), -1, np.int32)))
            self._parts[row] = part
            self._needs[row] = len(part)
            rows.append(row)
        self._rows_of[number] = tuple(rows)
        self._first[number] = rows[0] if rows else -1
        if len(rows) > 1:
            self._several[number] = None
            self._further = None
        self._number_of[key] = number
        return number

    def _relate(self, numbers: list[int], is_old: "NDArray[np.bool_]", is_used: "NDArray[np.bool_]") -> None:
        """Compare some forms with all and record which strictly cover which; for old forms, also the reverse."""
        rows = [row for number in numbers for row in self._rows_of[number]]
        counts = np.array([len(self._rows_of[number]) for number in numbers], np.int64)
        within, containing = self._compare(rows)
        covered = _each(self._any_part(within), counts, np.logical_and)
        inside = _each(containing, counts, np.logical_or)
        inside[:, -1] = True
        covering = self._every_part(inside)
        if is_old.any():
            for number, above in zip(numbers, covered & ~covering & is_old, strict=True):
                self._below[np.flatnonzero(above), number // _WORD] |= _bit(number)
                self._witness[np.flatnonzero(above)] = number
        covering &= ~covered & is_used
        below = np.zeros((len(numbers), len(self._below)), np.bool_)
        below[:, : len(is_used)] = covering
        self._below[numbers] = _packed(below)
        self._witness[numbers] = np.where(below.any(axis=1), below.argmax(axis=1), -1)

    def _compare(self, rows: list[int]) -> "tuple[NDArray[np.bool_], NDArray[np.bool_]]":
        """Compare some rows with every row, and with a last column that stands for no part.

        Returns whether the first lies within the second, and whether it contains it.
        """
        size = len(self._parts)
        met, meeting = np.zeros((2, len(rows), size), np.int16)
        of_name: dict[str, list[int]] = {}
        for place, row in enumerate(rows):
            for name in self._parts[row]:
                of_name.setdefault(name, []).append(place)
        for name, places in of_name.items():
            column = self._columns[name]
            within, containing = column.compare([rows[place] for place in places])
            slots, named = column.slots(size)
            if named is not None:
                chosen = np.ix_(np.array(places, np.int64), named)
                met[chosen] += within[:, slots]
                meeting[chosen] += containing[:, slots]
            else:
                for count, flags in ((met, within), (meeting, containing)):
                    of_rows = np.take(flags, slots, axis=1, mode="wrap")
                    if len(places) == len(rows):
                        count += of_rows
                    else:
                        count[places] += of_rows
        needs = self._needs[:size]
        is_within, is_containing = np.zeros((2, len(rows), size + 1), np.bool_)
        is_within[:, :size] = met == needs
        is_containing[:, :size] = (meeting == needs[rows, None]) & (needs >= 0)
        is_containing[:, size] = True
        return is_within, is_containing

    def _any_part(self, within: "NDArray[np.bool_]") -> "NDArray[np.bool_]":
        """From flags for rows: for each form, whether at least one of its rows is set."""
        found = np.take(within, self._first[: len(self._rows_of)], axis=1, mode="wrap")
        for numbers, rows in self._further_rows():
            found[:, numbers] |= within[:, rows]
        return found

    def _every_part(self, inside: "NDArray[np.bool_]") -> "NDArray[np.bool_]":
        """From flags for rows: for each form, whether all of its rows are set."""
        found = np.take(inside, self._first[: len(self._rows_of)], axis=1, mode="wrap")
        for numbers, rows in self._further_rows():
            found[:, numbers] &= inside[:, rows]
        return found

    def _further_rows(self) -> "list[tuple[NDArray[np.int64], NDArray[np.int64]]]":
        """The forms with a second row and these rows, then the forms with a third row, and so on."""
        if self._further is None:
            self._further = []
            numbers: Iterable[int] = self._several
            place = 1
            while numbers:
                rows = [self._rows_of[number][place] for number in numbers]
                self._further.append((np.array(list(numbers), np.int64), np.array(rows, np.int64)))
                place += 1
                numbers = [number for number in numbers if len(self._rows_of[number]) > place]
        return self._further

    def _grow(self) -> None:
        room = len(self._below)
        more = max(_WORD, room // 4 // _WORD * _WORD)
        below = np.zeros((room + more, (room + more) // _WORD), np.uint64)
        below[:room, : self._below.shape[1]] = self._below
        self._below = below
        self._first = np.concatenate((self._first, np.full(more, -1, np.int64)))
        self._witness = np.concatenate((self._witness, np.full(more, -1, np.int64)))


def _bit(number: int) -> np.uint64:
    return np.uint64(1 << number % _WORD)


def _lowest_bit(words: "NDArray[np.uint64]") -> "NDArray[np.int64]":
    """The number of the lowest bit of each word that is set; a power of two is exact as a float."""
    found: NDArray[np.int64] = np.log2((words & (~words + _ONE)).astype(np.float64)).astype(np.int64)
    return found


def _each(flags: "NDArray[np.bool_]", counts: "NDArray[np.int64]", joint: np.ufunc) -> "NDArray[np.bool_]":
    """Combine the flags of consecutive groups of rows with `joint`; `counts` gives the group sizes."""
    if len(flags) == len(counts) and bool((counts == 1).all()):
        return flags
    starts = np.cumsum(counts) - counts
    found = np.full((len(counts), flags.shape[1]), joint.identity, np.bool_)
    for place in range(int(counts.max(initial=0))):
        longer = np.flatnonzero(counts > place)
        found[longer] = joint(found[longer], flags[starts[longer] + place])
    return found


def _packed(flags: "NDArray[np.bool_]") -> "NDArray[np.uint64]":
    return np.packbits(flags, axis=-1, bitorder="little").view("<u8")


def _meets(
    bits: "NDArray[np.uint64]", rows: "NDArray[np.int64]", words: "NDArray[np.int64]", wanted: "NDArray[np.uint64]"
) -> "NDArray[np.int64]":
    """For each row, one of the wanted bits that it has, or -1; `words` are the words that contain wanted bits.

    Most rows have one in the first words, so the others are looked at only for the rest.
    """
    found = np.full(len(rows), -1, np.int64)
    for start in range(0, len(rows), _ROWS_AT_ONCE):
        left = np.arange(start, min(start + _ROWS_AT_ONCE, len(rows)))
        begin, size = 0, _FIRST_WORDS
        while begin < len(words) and len(left):
            some = words[begin : begin + size]
            met = bits[np.ix_(rows[left], some)] & wanted[some]
            place = (met != 0).argmax(axis=1)
            word = met[np.arange(len(left)), place]
            has = word != 0
            found[left[has]] = some[place[has]] * _WORD + _lowest_bit(word[has])
            left = left[~has]
            begin, size = begin + size, 4 * size
    return found

"""Columns of cells: the constraints of many forms on one attribute."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from rankcast.cover.cells import ANY_TEXT, Cell
from rankcast.cover.line_column import LineColumn
from rankcast.cover.text_column import TextColumn, TextOutline, text_outline

if TYPE_CHECKING:
    from numpy.typing import NDArray

_SPARSE = 4
"""If fewer than one in this many rows name the attribute, the rows are stored as a list."""


class CellOutline(NamedTuple):
    """A cell that a column can compare."""

    cell: Cell
    flags: int
    texts: TextOutline


def cell_outline(cell: Cell) -> CellOutline | None:
    """The outline of a cell; None if strings must meet several requirements at once, or lists any."""
    texts = text_outline(cell.texts)
    known = Cell(cell.missing, cell.numbers, cell.times, cell.booleans, cell.texts, cell.lists)
    if texts is None or cell != known or cell.lists not in (None, ANY_TEXT):
        return None
    return CellOutline(cell, cell.booleans | cell.missing << 3 | (cell.lists is not None) << 4, texts)


class CellColumn:
    """The cells of the rows that name one attribute. Equal cells share a slot and are compared once."""

    def __init__(self) -> None:
        self._slot_of: dict[Cell, int] = {}
        self._outlines: list[CellOutline | None] = []
        self._uses: list[int] = []
        self._free: list[int] = []
        self._flags = np.zeros(8, np.int8)
        self._numbers, self._times = LineColumn(), LineColumn()
        self._texts = TextColumn()
        self._slot_of_row: dict[int, int] = {}
        self._slots: tuple[NDArray[np.int64], NDArray[np.int64] | None] | None = None

    def __len__(self) -> int:
        return len(self._slot_of_row)

    def put(self, rows: Sequence[int], outlines: Sequence[CellOutline]) -> None:
        """Set the cells of new rows."""
        self._slots = None
        slots, new = list[int](), list[CellOutline]()
        for row, outline in zip(rows, outlines, strict=True):
            slot = self._slot_of.get(outline.cell)
            if slot is None:
                slot = self._free.pop() if self._free else len(self._outlines)
                if slot == len(self._outlines):
                    self._outlines.append(None)
                    self._uses.append(0)
                self._slot_of[outline.cell] = slot
                self._outlines[slot] = outline
                slots.append(slot)
                new.append(outline)
            self._uses[slot] += 1
            self._slot_of_row[row] = slot
        while len(self._outlines) > len(self._flags):
            self._flags = np.concatenate((self._flags, np.zeros_like(self._flags)))
        self._flags[slots] = [outline.flags for outline in new]
        self._numbers.put(slots, [outline.cell.numbers for outline in new])
        self._times.put(slots, [outline.cell.times for outline in new])
        self._texts.put(slots, [outline.texts for outline in new])

    def remove(self, row: int) -> None:
        """Remove the cell of a row."""
        self._slots = None
        slot = self._slot_of_row.pop(row)
        self._uses[slot] -= 1
        outline = self._outlines[slot]
        if not self._uses[slot] and outline is not None:
            del self._slot_of[outline.cell]
            self._outlines[slot] = None
            self._free.append(slot)
            for column in (self._numbers, self._times, self._texts):
                column.remove(slot)

    def slots(self, rows: int) -> "tuple[NDArray[np.int64], NDArray[np.int64] | None]":
        """The slots of the rows that name the attribute, and these rows.

        If many rows name the attribute, the slots are given for all rows up to `rows` (-1 for a row that does not
        name it), and the second result is None.
        """
        if self._slots is None or (self._slots[1] is None and len(self._slots[0]) != rows):
            size = len(self._slot_of_row)
            named = np.fromiter(self._slot_of_row, np.int64, size)
            slots = np.fromiter(self._slot_of_row.values(), np.int64, size)
            if size * _SPARSE < rows:
                self._slots = slots, named
            else:
                dense = np.full(rows, -1, np.int64)
                dense[named] = slots
                self._slots = dense, None
        return self._slots

    def compare(self, rows: Sequence[int]) -> "tuple[NDArray[np.bool_], NDArray[np.bool_]]":
        """Compare the cells of some rows with every slot, and with a last column that stands for no cell.

        Returns whether the row's cell lies within the slot's cell, and whether it contains it.
        """
        own = [self._slot_of_row[row] for row in rows]
        distinct, place_of = np.unique(own, return_inverse=True)
        size = len(self._outlines)
        flags = self._flags[:size]
        within, containing = np.zeros((2, len(distinct), size + 1), np.bool_)
        within[:, :size] = (flags[distinct, None] & ~flags) == 0
        containing[:, :size] = (~flags[distinct, None] & flags) == 0
        for column in (self._numbers, self._times, self._texts):
            more = column.compare(distinct)
            if more is not None:
                within[:, :size] &= more[0]
                containing[:, :size] &= more[1]
        if own != distinct.tolist():
            return within[place_of], containing[place_of]
        return within, containing

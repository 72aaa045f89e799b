# mypy: allow-untyped-defs, no-check-untyped-defs, allow-untyped-calls
"""Bulk building: from columns of conjunctions to a draft without an object per subscription."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rankcast.compiling import kernel
from rankcast.engine.index.draft import Draft
from rankcast.model import Between, Compare, Exists, Op, Predicate, Scalar
from rankcast.plain import Array

OPERATORS = tuple(Op)
BETWEEN, EXISTS = len(OPERATORS), len(OPERATORS) + 1
"""Operators are numbered as in `Op`; these two follow."""


@dataclass(frozen=True)
class Conjunctions:
    """Conjunctions as columns with a row per predicate.

    Parameters
    ----------
    start
        Where the predicates of each conjunction begin, followed by the end.
    attribute, names
        The index of the attribute in `names`.
    op
        An index in `OPERATORS`, or `BETWEEN` or `EXISTS`.
    number, upper
        The number to compare with; `upper` is the upper bound of `BETWEEN`.
    text, texts
        The index of the string to compare with; -1 for numbers.
    """

    start: NDArray[np.int64]
    names: Sequence[str]
    attribute: NDArray[np.int32]
    op: NDArray[np.int8]
    number: NDArray[np.float64]
    upper: NDArray[np.float64]
    text: NDArray[np.int32]
    texts: Sequence[str]


def bulk_draft(given: Conjunctions) -> tuple[Draft, NDArray[np.int64]]:
    """The draft, and the index of each conjunction's expression in it; equal conjunctions share one.

    Takes a few sorts over all predicates, and about 10 µs per distinct predicate.
    """
    draft = Draft()
    key = given.attribute.astype(np.int64) * (EXISTS + 1) + given.op
    for column in (given.number, given.upper, given.text):
        values, place = _distinct(column)
        key = _distinct(key * max(1, len(values)) + place)[1]
    order = np.argsort(key, kind="stable")
    rows = order[np.flatnonzero(np.diff(key[order], prepend=-1))]
    literals = np.array([draft.predicate(_predicate(given, row)) for row in rows.tolist()], np.int32)
    entry_literals = literals[key] if len(literals) else np.zeros(0, np.int32)
    _sort_within(given.start, entry_literals)
    owner, kept = _owners(given.start, entry_literals)
    sizes = np.diff(given.start)[kept]
    start = np.concatenate([np.zeros(1, np.int64), np.cumsum(sizes)])
    filled: Any = draft
    filled.entry_start = start
    places = np.arange(start[-1]) - np.repeat(start[:-1] - given.start[:-1][kept], sizes)
    filled.entry_literals = entry_literals[places]
    filled.entry_owner = np.arange(len(kept), dtype=np.int32)
    filled.entry_program = np.full(len(kept), -1, np.int32)
    filled.owner_flags = np.zeros(len(kept), np.int8)
    return draft, owner


def _predicate(given: Conjunctions, row: int) -> Predicate:
    name = given.names[given.attribute[row]]
    op = int(given.op[row])
    if op == EXISTS:
        return Predicate(name, Exists())
    if op == BETWEEN:
        return Predicate(name, Between(_plain(given.number[row]), _plain(given.upper[row])))
    text = int(given.text[row])
    value: Scalar = given.texts[text] if text >= 0 else _plain(given.number[row])
    return Predicate(name, Compare(OPERATORS[op], value))


def _plain(number: np.float64) -> float:
    return int(number) if float(number).is_integer() and abs(number) < 2**53 else float(number)


def _distinct(column: Array) -> tuple[Array, NDArray[np.int64]]:
    """The distinct values, and the index of each row's value among them."""
    if column.dtype.kind == "i" and len(column):
        low, high = int(column.min()), int(column.max())
        if high - low < 4 * len(column) + 1024:
            seen = np.zeros(high - low + 1, np.bool_)
            seen[column - low] = True
            return np.flatnonzero(seen) + low, (np.cumsum(seen) - 1)[column - low]
    values, place = np.unique(column, return_inverse=True)
    return values, place.reshape(-1).astype(np.int64)


@kernel
def _sort_within(start, literals):
    for entry in range(len(start) - 1):
        for i in range(start[entry] + 1, start[entry + 1]):
            moved = literals[i]
            j = i
            while j > start[entry] and literals[j - 1] > moved:
                literals[j] = literals[j - 1]
                j -= 1
            literals[j] = moved


@kernel
def _hashes(start, literals, out):
    for entry in range(len(start) - 1):
        a, b = np.uint64(0x9E3779B97F4A7C15), np.uint64(0xC2B2AE3D27D4EB4F)
        for i in range(start[entry], start[entry + 1]):
            a = (a ^ np.uint64(literals[i] + 1)) * np.uint64(0xFF51AFD7ED558CCD)
            a ^= a >> np.uint64(32)
            b = (b ^ a) * np.uint64(0xC4CEB9FE1A85EC53)
            b ^= b >> np.uint64(29)
        out[entry] = b


@kernel
def _same_as_before(order, start, literals, out):
    for i in range(1, len(order)):
        a, b = order[i - 1], order[i]
        size = start[a + 1] - start[a]
        same = size == start[b + 1] - start[b]
        if same:
            for j in range(size):
                if literals[start[a] + j] != literals[start[b] + j]:
                    same = False
                    break
        out[i] = same


def _owners(start: NDArray[np.int64], literals: NDArray[np.int32]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """The index of each conjunction among the distinct ones, and one example of each.

    Different conjunctions with equal hashes are distinguished when they meet; in the worst case, equal ones are not
    shared.
    """
    hashes = np.empty(len(start) - 1, np.uint64)
    _hashes(start, literals, hashes)
    order = np.argsort(hashes, kind="stable")
    same = np.zeros(len(order), np.bool_)
    _same_as_before(order, start, literals, same)
    owner = np.empty(len(order), np.int64)
    owner[order] = np.cumsum(~same) - 1
    return owner, order[~same]

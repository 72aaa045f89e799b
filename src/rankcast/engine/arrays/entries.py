"""The contents of a user's window, period or history as one array, or as candidates of the reference engine."""

from collections.abc import Sequence
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from rankcast.choose import Candidate
from rankcast.engine.arrays.matching import Integers
from rankcast.engine.arrays.patterns import Pattern, UserPatterns, grid_of
from rankcast.engine.arrays.stream import EventBatch, UserMatches
from rankcast.engine.arrays.table import EventTable
from rankcast.plain import State

__all__ = ["ENTRY", "Entries", "candidates_of", "entries_of", "grown"]

Entries: TypeAlias = NDArray[np.void]

ENTRY = np.dtype(
    [
        ("row", np.int64),
        ("seq", np.int64),
        ("position", np.int64),
        ("pattern", np.int64),
        ("rank", np.float64),
        ("grid", np.int64),
        ("degree", np.float64),
        ("sent", np.bool_),
        ("kept", np.bool_),
        ("dominated", np.int64),
        ("best", np.int64),
        ("best_with", np.int64),
    ]
)
"""An entry; arrays hold the oldest first. A calm window keeps the set that it last chose. The kernels use the last three fields: the number of later entries that
outrank it, and its best pair with an older entry."""


def grown(entries: Entries, stream: EventBatch, found: UserMatches, positions: Integers) -> Entries:
    """The entries followed by the user's events in a batch."""
    old = len(entries)
    made = np.zeros(old + len(found.at), ENTRY)
    made[:old] = entries
    new = made[old:]
    new["row"] = stream.first_row + found.at
    new["seq"] = stream.seq[found.at]
    new["position"] = positions[found.at]
    new["pattern"] = found.pattern
    new["rank"] = found.rank
    new["grid"] = found.grid
    new["degree"] = found.degree
    new["best_with"] = -1
    return made


def candidates_of(entries: Entries, table: EventTable, patterns: UserPatterns) -> list[Candidate]:
    """The entries as candidates of the reference engine."""
    return [
        Candidate(table[row], rank, patterns.all[pattern].matching, patterns.all[pattern].specific, degree)
        for row, rank, pattern, degree in zip(
            entries["row"].tolist(),
            entries["rank"].tolist(),
            entries["pattern"].tolist(),
            entries["degree"].tolist(),
            strict=True,
        )
    ]


def entries_of(states: Sequence[State], positions: Sequence[int], table: EventTable, patterns: UserPatterns) -> Entries:
    """Entries from the states of candidates (`Candidate.state`)."""
    candidates = [Candidate.of_state(state) for state in states]
    entries = np.zeros(len(candidates), ENTRY)
    entries["row"] = table.rows_of([candidate.event for candidate in candidates])
    entries["seq"] = [candidate.seq for candidate in candidates]
    entries["position"] = positions
    entries["rank"] = [candidate.rank for candidate in candidates]
    entries["grid"] = [grid_of(candidate.rank) for candidate in candidates]
    entries["degree"] = [candidate.degree for candidate in candidates]
    known: dict[Pattern, int] = {}
    same: dict[tuple[int, int, float], int] = {}
    """Patterns by the identity of their tuples. In a state of this process they are often identical, and comparing is
    slower."""
    numbers: list[int] = []
    for candidate in candidates:
        seen = (id(candidate.matching), id(candidate.specific), candidate.rank)
        if seen not in same:
            pattern = Pattern(candidate.matching, candidate.specific, candidate.rank)
            if pattern not in known:
                known[pattern] = patterns.add(pattern)
            same[seen] = known[pattern]
        numbers.append(same[seen])
    entries["pattern"] = numbers
    entries["best_with"] = -1
    return entries

# mypy: allow-untyped-defs, no-check-untyped-defs, allow-untyped-calls
"""From the kernel's results directly to one row per event and user: the highest score among the matches."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from rankcast.compiling import kernel
from rankcast.engine.index.words import TURN

_MOST_ROWS = np.iinfo(np.int32).max


class RankedMatches(NamedTuple):
    """Columns: event, user number, highest score, number of matches.

    Sorted by event, then in the order in which users were found.
    """

    event: NDArray[np.int32]
    user: NDArray[np.int32]
    score: NDArray[np.float64]
    matches: NDArray[np.int32]

    @classmethod
    def room(cls, rows: int) -> "RankedMatches":
        """Uninitialised space for this many rows."""
        return cls(np.empty(rows, np.int32), np.empty(rows, np.int32), np.empty(rows), np.empty(rows, np.int32))

    def first(self, rows: int) -> "RankedMatches":
        """The first rows."""
        return RankedMatches(self.event[:rows], self.user[:rows], self.score[:rows], self.matches[:rows])


class MatchRanking:
    """The best of each user's matches, one block of events at a time.

    Parameters
    ----------
    scored
        By turn: the score and user of each subscription, side by side, because they are read together.
    users
        The number of users.

    Attributes
    ----------
    found
        Space for the kernel's results in a block: events, counted from the first of the block, and items.

    This is the rank of semantics: Preference if none of a user's matching subscriptions covers another. One pass by
    event, then one over users: about 15 ns per match. The next block reuses all memory (about 50 bytes per match of a
    block), because allocating new memory costs more than ranking.
    """

    def __init__(self, scored: NDArray[np.float64], users: int, room: int = 1 << 16) -> None:
        self._scored = scored
        # Row numbers continue from block to block, so that data of earlier events need not be cleared.
        self._row_of = np.full(users, -1, np.int32)
        self._counted = 0
        self._make(room)

    def widen(self) -> None:
        """Double the space."""
        self._make(2 * len(self._by_event))

    def best(self, size: int, first: int, events: int) -> RankedMatches:
        """The rows of `events` events from `first` on, from the first `size` items of `found`.

        The items must be certain and without duplicates. The next call overwrites the rows.
        """
        if self._counted + size > _MOST_ROWS:
            self._row_of[:], self._counted = -1, 0
        event, item = (column[:size] for column in self.found)
        where = self._by_event, self._row_of, self._counted
        rows = _rank(event, item, first, events, self._scored, *where, *self._rows)
        self._counted += rows
        return self._rows.first(rows)

    def _make(self, room: int) -> None:
        self.found = np.empty(room, np.int32), np.empty(room, np.int32)
        self._by_event, self._rows = np.empty((room, 2)), RankedMatches.room(room)


@kernel
def _rank(event, item, first, events, scored, by_event, row_of, counted, out_event, out_user, out_score, out_matches):
    start = np.zeros(events + 1, np.int64)
    for e in event:
        start[e + 1] += 1
    for e in range(events):
        start[e + 1] += start[e]
    # In the order of the search, in which events that use the same list read it together.
    filled = start[:-1].copy()
    for i in range(len(item)):
        at, turn = filled[event[i]], item[i] & TURN
        by_event[at, 0], by_event[at, 1] = scored[turn, 0], scored[turn, 1]
        filled[event[i]] = at + 1
    size = 0
    for e in range(events):
        begin = size
        for i in range(start[e], start[e + 1]):
            score, user = by_event[i, 0], np.int64(by_event[i, 1])
            row = row_of[user] - counted
            if row < begin:  # left by an earlier event
                row_of[user] = counted + size
                out_event[size], out_user[size], out_score[size], out_matches[size] = first + e, user, score, 1
                size += 1
            else:
                out_matches[row] += 1
                if score > out_score[row]:
                    out_score[row] = score
    return size

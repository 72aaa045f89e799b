# mypy: allow-untyped-defs, no-check-untyped-defs, allow-untyped-calls
"""From what the kernel finds straight to one row per event and user: the highest score among the matches."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from rankcast.compiling import kernel
from rankcast.engine.index.words import TURN

__all__ = ["MatchRanking", "RankedMatches"]

_MOST_ROWS = np.iinfo(np.int32).max


class RankedMatches(NamedTuple):
    """By event, then in the order in which users were found: event, user's number, highest score, how many matches."""

    event: NDArray[np.int32]
    user: NDArray[np.int32]
    score: NDArray[np.float64]
    matches: NDArray[np.int32]

    @classmethod
    def room(cls, rows: int) -> "RankedMatches":
        """So many rows, yet to be written."""
        return cls(np.empty(rows, np.int32), np.empty(rows, np.int32), np.empty(rows), np.empty(rows, np.int32))

    def first(self, rows: int) -> "RankedMatches":
        """The first rows."""
        return RankedMatches(self.event[:rows], self.user[:rows], self.score[:rows], self.matches[:rows])


class MatchRanking:
    """The best of each user's matches, block of events by block.

    Parameters
    ----------
    scored
        By turn: score and user of each subscription, side by side, for they are read together.
    users
        How many users there are.

    Attributes
    ----------
    found
        Room for what the kernel finds in a block: events, counted from the block's first, and items.

    This is the rank of semantics: Preference where none of a user's matching subscriptions covers another. One pass by event, then one over
    users: some 15 ns per match. All memory (some 50 bytes per match of a block) is used again by the next block, for memory
    that the process does not have yet costs more than ranking does.
    """

    def __init__(self, scored: NDArray[np.float64], users: int, room: int = 1 << 16) -> None:
        self._scored = scored
        # Rows are counted on from block to block, so that what an earlier event left behind need not be cleared.
        self._row_of = np.full(users, -1, np.int32)
        self._counted = 0
        self._make(room)

    def widen(self) -> None:
        """Twice the room."""
        self._make(2 * len(self._by_event))

    def best(self, size: int, first: int, events: int) -> RankedMatches:
        """The rows of so many events from the `first` on, from the first items of `found`, which must be sure and there once.
        The next call writes over the rows."""
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
    # In the order of the search, in which events that look at one list read it together.
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
            if row < begin:  # an earlier event's
                row_of[user] = counted + size
                out_event[size], out_user[size], out_score[size], out_matches[size] = first + e, user, score, 1
                size += 1
            else:
                out_matches[row] += 1
                if score > out_score[row]:
                    out_score[row] = score
    return size

# mypy: allow-untyped-defs, no-check-untyped-defs, allow-untyped-calls
"""From what the kernel finds straight to one row per event and user: the highest score among the matches."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from rankcast.match.index.compiling import kernel
from rankcast.match.index.words import TURN

__all__ = ["Ranked", "best_by_user"]


class Ranked(NamedTuple):
    """By event, then in the order in which users were found: event, user's number, highest score, how many matches."""

    event: NDArray[np.int32]
    user: NDArray[np.int32]
    score: NDArray[np.float64]
    matches: NDArray[np.int32]

    @classmethod
    def none(cls) -> "Ranked":
        """No rows."""
        return cls(np.empty(0, np.int32), np.empty(0, np.int32), np.empty(0), np.empty(0, np.int32))


def best_by_user(
    events: int,
    event: NDArray[np.int32],
    item: NDArray[np.int32],
    user: NDArray[np.int32],
    users: int,
    scores: NDArray[np.float64],
) -> Ranked:
    """The best of each user's matches, from the arrays of `Index.found` and the columns of the index, by turn.

    This is the rank of SPEC 2 where none of a user's matching subscriptions covers another. The items must be sure and
    found once. One pass by event, then one over users: some 10 ns per match.
    """
    out_event, out_user = np.empty(len(event), np.int32), np.empty(len(event), np.int32)
    out_score, out_matches = np.empty(len(event)), np.empty(len(event), np.int32)
    place = np.full(users, -1, np.int32)
    size = _rank(events, event, item, user, scores, place, out_event, out_user, out_score, out_matches)
    return Ranked(out_event[:size], out_user[:size], out_score[:size], out_matches[:size])


@kernel
def _rank(events, event, item, user, scores, place, out_event, out_user, out_score, out_matches):
    start = np.zeros(events + 1, np.int64)
    for e in event:
        start[e + 1] += 1
    for e in range(events):
        start[e + 1] += start[e]
    # In the order of the search, in which events that look at one list read it together.
    filled = start[:-1].copy()
    its_user, its_score = np.empty(len(item), np.int32), np.empty(len(item))
    for i in range(len(item)):
        at, turn = filled[event[i]], item[i] & TURN
        its_user[at], its_score[at] = user[turn], scores[turn]
        filled[event[i]] = at + 1
    size = 0
    for e in range(events):
        begin = size
        for i in range(start[e], start[e + 1]):
            who, score = its_user[i], its_score[i]
            at = place[who]
            # What an earlier event left behind points before this event's rows.
            if at < begin:
                place[who] = size
                out_event[size], out_user[size], out_score[size], out_matches[size] = e, who, score, 1
                size += 1
            else:
                out_matches[at] += 1
                if score > out_score[at]:
                    out_score[at] = score
    return size

"""The columns that the windows of many users lie in."""

from typing import NamedTuple

import numpy as np

from rankcast.compiling import kernel
from rankcast.plain import Array

__all__ = [
    "EVENTS",
    "MATCHED",
    "NEVER",
    "TIME",
    "MemberColumns",
    "SentColumns",
    "WindowColumns",
    "grown",
    "make_room",
    "room_for",
]

EVENTS, MATCHED, TIME = 0, 1, 2
"""What a window's length counts."""

NEVER = np.int64(2**62)


class WindowColumns(NamedTuple):
    """What the windows hold, a column each; an entry is a place in them.

    `later` is by how many later entries of its window an entry is outranked, or equalled; beyond the user's k it
    is not counted on."""

    row: Array
    seq: Array
    position: Array
    pattern: Array
    degree: Array
    sent: Array
    later: Array


class MemberColumns(NamedTuple):
    """The users, a column each: whose window lies where among the entries, and how long it is.

    A user has the places from `base` on, `room` of them; the window begins at `begin` and has `count` entries, oldest first. From the
    position `until` on something may happen though nothing matches."""

    base: Array
    room: Array
    begin: Array
    count: Array  # type: ignore[assignment]  # also a method of tuples, which nobody calls here
    k: Array
    span: Array
    unit: Array
    matched: Array
    until: Array


class SentColumns(NamedTuple):
    """What is sent: at which event of the batch, by which of the visited, and which entry; in the order of the visited."""

    event: Array
    visit: Array
    row: Array
    seq: Array
    pattern: Array


@kernel
def room_for(size: int) -> SentColumns:
    """Room for so much that is sent."""
    return SentColumns(
        np.empty(size, np.int64),
        np.empty(size, np.int64),
        np.empty(size, np.int64),
        np.empty(size, np.int64),
        np.empty(size, np.int64),
    )


@kernel
def grown(sendings: SentColumns, written: int, size: int) -> SentColumns:
    """The first `written` of what is sent, with room for so many."""
    made: SentColumns = room_for(size)
    made.event[:written] = sendings.event[:written]
    made.visit[:written] = sendings.visit[:written]
    made.row[:written] = sendings.row[:written]
    made.seq[:written] = sendings.seq[:written]
    made.pattern[:written] = sendings.pattern[:written]
    return made


@kernel
def make_room(member: int, new: int, held: "WindowColumns", members: MemberColumns, used: int) -> int:
    """Let a window have so many more entries: where it is, at the beginning of its room, or in a larger room at the end of the
    places in use, which are there (`Crowd` sees to that); the new end of them."""
    begin, count, room = members.begin[member], members.count[member], members.room[member]
    base = members.base[member]
    if begin + count + new <= base + room:
        return used
    if count + new > room:
        base = used
        members.room[member] = (count + new) * 3 // 2
        used += (count + new) * 3 // 2
    for place in range(count):
        source, target = begin + place, base + place
        held.row[target] = held.row[source]
        held.seq[target] = held.seq[source]
        held.position[target] = held.position[source]
        held.pattern[target] = held.pattern[source]
        held.degree[target] = held.degree[source]
        held.sent[target] = held.sent[source]
        held.later[target] = held.later[source]
    members.base[member] = members.begin[member] = base
    return used

"""The columns that hold the windows of many users."""

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
"""What the length of a window counts."""

NEVER = np.int64(2**62)


class WindowColumns(NamedTuple):
    """The contents of the windows as columns; an entry is an index into them.

    `later` is the number of later entries in the window with at least the same rank. Counting stops beyond the user's
    k.
    """

    row: Array
    seq: Array
    position: Array
    pattern: Array
    degree: Array
    sent: Array
    later: Array


class MemberColumns(NamedTuple):
    """The users as columns: where each window lies among the entries, and its length.

    A user has `room` places from `base` on. The window begins at `begin` and has `count` entries, oldest first. From
    position `until` on, something may happen even if nothing matches.
    """

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
    """The deliveries in the order of the visits: the event of the batch, the visited user, and the entry."""

    event: Array
    visit: Array
    row: Array
    seq: Array
    pattern: Array


@kernel
def room_for(size: int) -> SentColumns:
    """Space for `size` deliveries."""
    return SentColumns(
        np.empty(size, np.int64),
        np.empty(size, np.int64),
        np.empty(size, np.int64),
        np.empty(size, np.int64),
        np.empty(size, np.int64),
    )


@kernel
def grown(sendings: SentColumns, written: int, size: int) -> SentColumns:
    """The first `written` deliveries, with space for `size`."""
    made: SentColumns = room_for(size)
    made.event[:written] = sendings.event[:written]
    made.visit[:written] = sendings.visit[:written]
    made.row[:written] = sendings.row[:written]
    made.seq[:written] = sendings.seq[:written]
    made.pattern[:written] = sendings.pattern[:written]
    return made


@kernel
def make_room(member: int, new: int, held: "WindowColumns", members: MemberColumns, used: int) -> int:
    """Make room for `new` more entries in a window.

    The window grows in place, moves to the beginning of its room, or moves to a larger room at the end of the places
    in use, which `Crowd` has reserved. Returns the new end of the places in use.
    """
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

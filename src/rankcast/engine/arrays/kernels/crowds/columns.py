"""The columns that hold the windows, periods and lists of many users, and the batch that they are served."""

from typing import NamedTuple

import numpy as np

from rankcast.compiling import kernel, kernel_part
from rankcast.plain import Array, Arrays

EVENTS, MATCHED, TIME = 0, 1, 2
"""What the length of a window or period counts."""

ALL, SLIDING, PERIODIC, HISTORY, DIVERSE = 0, 1, 2, 3, 4
"""The delivery modes. Sliding windows are by rank alone; those with diversity, and calm ones, are DIVERSE."""

NEVER = np.int64(2**62)
"""A position beyond every other; -NEVER stands for a period or a clock that has not begun."""


class EntryColumns(NamedTuple):
    """The contents of windows, periods and lists as columns; an entry is an index into them.

    `later` is the number of later entries in the window with at least the same rank. Counting stops beyond the user's
    k. `picked` is the place of an entry in the order in which the last diverse choice was made, -1 if it is not in it,
    and `worth` what it was worth then. `kept` marks the set that a calm window last chose. `sent` and the columns after
    it are for windows only.
    """

    row: Array
    seq: Array
    position: Array
    pattern: Array
    degree: Array
    sent: Array
    later: Array
    picked: Array
    worth: Array
    kept: Array


class MemberColumns(NamedTuple):
    """The users as columns: where the entries of each lie, the policy, and the state.

    A user has `room` places from `base` on. The entries begin at `begin`, and `count` are in use, oldest first. From
    position `until` on, something may happen even if nothing matches. `replaces` is 1 if an equal rank replaces an
    entry of a list. `improves` is 1 if swaps improve a diverse choice, and `calm` the grid steps by which another set
    must be worth more, -1 without calm. `space` numbers the space of the user's distances, 0 if there are none. `wide`
    is 1 if the user has more subscriptions than fit into a mask, and `filters` is 1 if the user has a filter. The
    columns from `origin` on are for periods: the current one, the time of the last event, the receiver's clock, and 1
    if periods follow the clock.
    """

    base: Array
    room: Array
    begin: Array
    count: Array  # type: ignore[assignment]  # also a method of tuples, which nobody calls here
    mode: Array
    k: Array
    span: Array
    unit: Array
    replaces: Array
    sigma: Array
    improves: Array
    calm: Array
    space: Array
    wide: Array
    filters: Array
    matched: Array
    until: Array
    origin: Array
    period: Array
    last: Array
    clock: Array
    by_clock: Array


class Batch(NamedTuple):
    """The events of a batch, and what arrives with them.

    By event: `seqs` and `times`, the latest time up to it and from it on, and the latest clock up to it (-NEVER without a
    clock). The first event has row `first_row`. By arrival: the event that it arrives with (ascending for each user),
    the pattern, and the degree. By pattern: the rank in steps of the grid, and exactly. `is_sorted` says that times never go back.
    Distances are known for rows from `space_row` on.
    """

    seqs: Array
    times: Array
    reached: Array
    latest: Array
    clocks: Array
    first_row: int
    is_sorted: bool
    arrived: Array
    patterns: Array
    degrees: Array
    grids: Array
    ranks: Array
    space_row: int


class SentColumns(NamedTuple):
    """The deliveries in the order of the visits: the event of the batch, the visited user, the entry, and the step."""

    event: Array
    visit: Array
    row: Array
    seq: Array
    pattern: Array
    window: Array
    forwarded: Array


@kernel
def room_for(size: int) -> SentColumns:
    """Space for `size` deliveries."""
    return SentColumns(
        np.empty(size, np.int64),
        np.empty(size, np.int64),
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
    made.window[:written] = sendings.window[:written]
    made.forwarded[:written] = sendings.forwarded[:written]
    return made


class Visit(NamedTuple):
    """A user who is served a batch.

    The number of the visit, the user, where the arrivals begin and end, all columns, the space of the user's distances,
    scratch space for all entries of the user, and where deliveries go.
    """

    number: int
    member: int
    begin: int
    end: int
    batch: Batch
    held: EntryColumns
    members: MemberColumns
    space: Arrays
    order: Array
    sent: SentColumns


@kernel_part
def send_step(visit: Visit, event: int, window: int, forwarded: int, written: int) -> int:
    """Append a delivery whose entry is already written; returns the number of deliveries so far."""
    visit.sent.event[written] = event
    visit.sent.visit[written] = visit.number
    visit.sent.window[written] = window
    visit.sent.forwarded[written] = forwarded
    return written + 1


@kernel_part
def send(visit: Visit, entry: int, event: int, window: int, forwarded: int, written: int) -> int:
    """Append the delivery of an entry; returns the number of deliveries so far."""
    visit.sent.row[written] = visit.held.row[entry]
    visit.sent.seq[written] = visit.held.seq[entry]
    visit.sent.pattern[written] = visit.held.pattern[entry]
    return int(send_step(visit, event, window, forwarded, written))


@kernel_part
def move(source: int, target: int, held: EntryColumns) -> None:
    """Copy an entry to another place."""
    held.row[target] = held.row[source]
    held.seq[target] = held.seq[source]
    held.position[target] = held.position[source]
    held.pattern[target] = held.pattern[source]
    held.degree[target] = held.degree[source]
    held.sent[target] = held.sent[source]
    held.later[target] = held.later[source]
    held.picked[target] = held.picked[source]
    held.worth[target] = held.worth[source]
    held.kept[target] = held.kept[source]


@kernel
def make_room(member: int, new: int, held: EntryColumns, members: MemberColumns, used: int) -> int:
    """Make room for `new` more entries of a user.

    The entries grow in place, move to the beginning of their room, or move to a larger room at the end of the places
    in use, which `Crowd` has reserved. Returns the new end of the places in use.
    """
    begin, count, room = members.begin[member], members.count[member], members.room[member]
    base = members.base[member]
    if begin + count + new <= base + room:
        return used
    if count + new > room:
        base = used
        members.base[member] = base
        members.room[member] = (count + new) * 3 // 2
        used += (count + new) * 3 // 2
    for place in range(count):
        move(begin + place, base + place, held)
    members.begin[member] = base
    return used


@kernel
def make_room_for(numbers: Array, new: Array, held: EntryColumns, members: MemberColumns, used: int) -> int:
    """Makes room for `new` more entries of each user; returns the new end of the places in use."""
    for place in range(len(numbers)):
        used = make_room(numbers[place], new[place], held, members, used)
    return used


@kernel_part
def position_of(visit: Visit, arrival: int) -> int:
    """The position of an arrival in the unit of the user's length."""
    unit = visit.members.unit[visit.member]
    if unit == EVENTS:
        return int(visit.batch.seqs[visit.batch.arrived[arrival]])
    if unit == TIME:
        return int(visit.batch.times[visit.batch.arrived[arrival]])
    return int(visit.members.matched[visit.member] + arrival - visit.begin + 1)


@kernel_part
def write_entry(visit: Visit, entry: int, arrival: int) -> None:
    """Write an arrival into an entry."""
    batch, held, event = visit.batch, visit.held, visit.batch.arrived[arrival]
    held.row[entry] = batch.first_row + event
    held.seq[entry] = batch.seqs[event]
    held.position[entry] = position_of(visit, arrival)
    held.pattern[entry] = batch.patterns[arrival]
    held.degree[entry] = batch.degrees[arrival]
    held.sent[entry] = False
    held.later[entry] = 0
    held.picked[entry] = -1
    held.kept[entry] = False


@kernel_part
def write_arrivals(visit: Visit, first: int) -> None:
    """Write the arrivals of a user into the entries from `first` on."""
    for arrival in range(visit.begin, visit.end):
        write_entry(visit, first + arrival - visit.begin, arrival)

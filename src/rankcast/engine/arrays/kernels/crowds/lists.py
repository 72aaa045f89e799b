"""Lists of sent events of many users, by rank alone (mode history), and plain publish/subscribe."""

from rankcast.compiling import inlined
from rankcast.engine.arrays.kernels.crowds.columns import (
    NEVER,
    Batch,
    EntryColumns,
    MemberColumns,
    SentColumns,
    make_room,
    move,
    position_of,
    send,
    write_entry,
)
from rankcast.plain import Array

__all__ = ["remember", "send_at_once"]


@inlined
def send_at_once(visit: int, arrival: int, batch: Batch, sendings: SentColumns, written: int) -> int:
    """Sends an arrival with its event; returns the number of deliveries so far."""
    event = batch.arrived[arrival]
    seq = batch.seqs[event]
    return int(
        send(
            sendings,
            written,
            visit,
            event,
            batch.first_row + event,
            seq,
            batch.patterns[arrival],
            seq,
            batch.times[event],
        )
    )


@inlined
def remember(
    visit: int,
    member: int,
    begin: int,
    end: int,
    batch: Batch,
    held: EntryColumns,
    members: MemberColumns,
    order: Array,
    sendings: SentColumns,
    written: int,
    used: int,
) -> tuple[int, int]:
    """Decides on each arrival of a user; returns the number of deliveries so far, and the end of the places in use.

    `order` has space for the list. It holds the numbers of old entries, and of arrivals from `old` on, oldest first.
    """
    first, old, k = members.begin[member], members.count[member], members.k[member]
    span = members.span[member]
    size = old
    for place in range(old):
        order[place] = place
    lowest, earliest = -1, -NEVER
    for nth in range(end - begin):
        oldest = position_of(member, begin + nth, nth, batch, members) - span
        if earliest <= oldest:
            kept = 0
            earliest = NEVER
            for place in range(size):
                position = _position(order[place], old, first, member, begin, batch, held, members)
                if position > oldest:
                    order[kept] = order[place]
                    kept += 1
                    earliest = min(earliest, position)
            if kept < size:
                lowest = -1
            size = kept
        if size == k:
            if lowest < 0:
                lowest = 0
                for place in range(1, size):
                    if _grid(order[place], old, first, begin, batch, held) < _grid(
                        order[lowest], old, first, begin, batch, held
                    ):
                        lowest = place
            low = _grid(order[lowest], old, first, begin, batch, held)
            grid = batch.grids[batch.patterns[begin + nth]]
            if grid < low or (grid == low and not members.replaces[member]):
                continue
            for place in range(lowest, size - 1):
                order[place] = order[place + 1]
            size -= 1
        order[size] = old + nth
        size += 1
        earliest = min(earliest, oldest + span)
        lowest = -1
        written = send_at_once(visit, begin + nth, batch, sendings, written)
    stay = 0
    while stay < size and order[stay] < old:
        if order[stay] != stay:
            move(first + order[stay], first + stay, held)
        stay += 1
    members.count[member] = stay
    used = make_room(member, size - stay, held, members, used)
    first = members.begin[member]
    for place in range(stay, size):
        nth = order[place] - old
        write_entry(first + place, begin + nth, position_of(member, begin + nth, nth, batch, members), batch, held)
    members.count[member] = size
    members.matched[member] += end - begin
    return written, used


@inlined
def _position(
    number: int,
    old: int,
    first: int,
    member: int,
    begin: int,
    batch: Batch,
    held: EntryColumns,
    members: MemberColumns,
) -> int:
    if number < old:
        return int(held.position[first + number])
    return int(position_of(member, begin + number - old, number - old, batch, members))


@inlined
def _grid(number: int, old: int, first: int, begin: int, batch: Batch, held: EntryColumns) -> int:
    if number < old:
        return int(batch.grids[held.pattern[first + number]])
    return int(batch.grids[batch.patterns[begin + number - old]])

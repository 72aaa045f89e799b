"""Lists of sent events of many users (mode history), and plain publish/subscribe."""

import numpy as np

from rankcast.choose.kernels.distances import measure
from rankcast.choose.kernels.swaps import replace_one, upper
from rankcast.compiling import kernel, kernel_part
from rankcast.engine.arrays.kernels.crowds.columns import (
    NEVER,
    Visit,
    make_room,
    move,
    position_of,
    send_step,
    write_entry,
)
from rankcast.plain import Array, Arrays


@kernel_part
def send_at_once(visit: Visit, arrival: int, written: int) -> int:
    """Sends an arrival with its event; returns the number of deliveries so far."""
    batch, sent, event = visit.batch, visit.sent, visit.batch.arrived[arrival]
    sent.row[written] = batch.first_row + event
    sent.seq[written] = batch.seqs[event]
    sent.pattern[written] = batch.patterns[arrival]
    return int(send_step(visit, event, batch.seqs[event], batch.times[event], written))


@kernel_part
def remember(visit: Visit, written: int, used: int) -> tuple[int, int]:
    """Decides on each arrival of a user by rank alone; returns the number of deliveries so far, and the end of the places in use.

    The scratch space holds the numbers of old entries, and of arrivals from `old` on, oldest first.
    """
    member, batch, members, order = visit.member, visit.batch, visit.members, visit.order
    first, old, k = members.begin[member], members.count[member], members.k[member]
    span = members.span[member]
    size = old
    for place in range(old):
        order[place] = place
    lowest, earliest = -1, -NEVER
    for nth in range(visit.end - visit.begin):
        oldest = position_of(visit, visit.begin + nth) - span
        if earliest <= oldest:
            kept = 0
            earliest = NEVER
            for place in range(size):
                position = _position(visit, order[place], old, first)
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
                    if _grid(visit, order[place], old, first) < _grid(visit, order[lowest], old, first):
                        lowest = place
            low = _grid(visit, order[lowest], old, first)
            grid = batch.grids[batch.patterns[visit.begin + nth]]
            if grid < low or (grid == low and not members.replaces[member]):
                continue
            for place in range(lowest, size - 1):
                order[place] = order[place + 1]
            size -= 1
        order[size] = old + nth
        size += 1
        earliest = min(earliest, oldest + span)
        lowest = -1
        written = send_at_once(visit, visit.begin + nth, written)
    return written, _hold(visit, old, order[:size], used)


@kernel_part
def _hold(visit: Visit, old: int, order: Array, used: int) -> int:
    """Writes the list of a user, which `order` gives; returns the new end of the places in use."""
    member, held, members = visit.member, visit.held, visit.members
    first, size = members.begin[member], len(order)
    stay = 0
    while stay < size and order[stay] < old:
        if order[stay] != stay:
            move(first + order[stay], first + stay, held)
        stay += 1
    members.count[member] = stay
    used = make_room(member, size - stay, held, members, used)
    first = members.begin[member]
    for place in range(stay, size):
        write_entry(visit, first + place, visit.begin + order[place] - old)
    members.count[member] = size
    members.matched[member] += visit.end - visit.begin
    return used


@kernel
def remember_diversely(visit: Visit, written: int, used: int) -> tuple[int, int]:
    """Decides on each arrival of a user by divrank; returns as `remember` does.

    The sums of each member's distances are exact (`rankcast.choose.kernels.swaps`), so they can be carried from arrival
    to arrival. One costs O(k) distances and O(k) sums, and O(k) exact values if all are equal.
    """
    member, batch, held, members, space = visit.member, visit.batch, visit.held, visit.members, visit.space
    first, old, new = members.begin[member], members.count[member], visit.end - visit.begin
    k, span, sigma = min(members.k[member], old + new), members.span[member], members.sigma[member]
    size = 0
    order, places, rank_of = np.empty(k + 1, np.int64), np.empty(k + 1, np.int64), np.empty(k + 1)
    high, low, apart = np.zeros(k + 1), np.zeros(k + 1), np.empty(k + 1)
    for number in range(old + new):
        arrival = visit.begin + number - old
        if number < old:
            row, rank = held.row[first + number], batch.ranks[held.pattern[first + number]]
        else:
            row, rank = batch.first_row + batch.arrived[arrival], batch.ranks[batch.patterns[arrival]]
            oldest = position_of(visit, arrival) - span
            place = 0
            while place < size:
                if _position(visit, order[place], old, first) <= oldest:
                    size = _leave(place, size, order, places, rank_of, high, low, space, apart)
                else:
                    place += 1
        order[size], places[size], rank_of[size] = number, row - batch.space_row, rank
        measure(places[size], places[:size], space, apart)
        high[size], low[size] = 0.0, 0.0
        for place in range(size):
            part = upper(apart[place])
            high[size] += part
            low[size] += apart[place] - part
        out = -1
        if size == k and number >= old:
            out, best, present = replace_one(k, rank_of, sigma, high, low, apart)
            if best < present or (best == present and not members.replaces[member]):
                continue
        for place in range(size):
            part = upper(apart[place])
            high[place] += part
            low[place] += apart[place] - part
        size += 1
        if out >= 0:
            size = _leave(out, size, order, places, rank_of, high, low, space, apart)
        if number >= old:
            written = send_at_once(visit, arrival, written)
    return written, _hold(visit, old, order[:size], used)


@kernel
def _leave(
    place: int,
    size: int,
    order: Array,
    places: Array,
    rank_of: Array,
    high: Array,
    low: Array,
    space: Arrays,
    apart: Array,
) -> int:
    """Removes a member from the list, and its distances from the sums of the others; returns how many are left."""
    gone = places[place]
    for at in range(place, size - 1):
        order[at], places[at], rank_of[at] = order[at + 1], places[at + 1], rank_of[at + 1]
        high[at], low[at] = high[at + 1], low[at + 1]
    measure(gone, places[: size - 1], space, apart)
    for at in range(size - 1):
        part = upper(apart[at])
        high[at] -= part
        low[at] -= apart[at] - part
    return size - 1


@kernel_part
def _position(visit: Visit, number: int, old: int, first: int) -> int:
    if number < old:
        return int(visit.held.position[first + number])
    return int(position_of(visit, visit.begin + number - old))


@kernel_part
def _grid(visit: Visit, number: int, old: int, first: int) -> int:
    if number < old:
        return int(visit.batch.grids[visit.held.pattern[first + number]])
    return int(visit.batch.grids[visit.batch.patterns[visit.begin + number - old]])

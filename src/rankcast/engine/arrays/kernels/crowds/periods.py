"""Periods of many users."""

import numpy as np

from rankcast.choose.kernels.distances import columns_of
from rankcast.choose.kernels.greedy import Pool, best_pair, choose_greedily, remember_distances
from rankcast.choose.kernels.swaps import improve
from rankcast.compiling import kernel, kernel_part
from rankcast.engine.arrays.kernels.crowds.columns import (
    EVENTS,
    MATCHED,
    NEVER,
    TIME,
    Batch,
    EntryColumns,
    MemberColumns,
    SentColumns,
    Visit,
    grown,
    room_for,
    send,
    write_arrivals,
)
from rankcast.engine.arrays.kernels.crowds.lending import lent
from rankcast.plain import Array, Arrays

LATEST = np.int64(253402300799999999)
"""The last time that Python can represent, in microseconds since the epoch."""

_LARGEST_TABLE = 2048
"""The most entries of a period that may keep its distances in a table while choosing."""


@kernel_part
def _number(member: int, position: int, members: MemberColumns) -> int:
    """The period of a position; -NEVER for a clock that has not begun."""
    if position == -NEVER:
        return int(-NEVER)
    return int((position - members.origin[member]) // members.span[member] + 1)


@kernel_part
def _clock_from(member: int, batch: Batch, members: MemberColumns) -> int:
    """The first event of the batch from which periods follow the clock; one beyond the batch if there is none."""
    if members.unit[member] != TIME:
        return len(batch.seqs)
    if members.by_clock[member]:
        return 0
    known = members.clock[member]
    if known == -NEVER and batch.clocks[0] == -NEVER:
        return len(batch.seqs)
    for event in range(len(batch.seqs)):
        present = _number(member, max(known, batch.clocks[event]), members)
        if present <= _number(member, batch.times[event], members):
            return event
    return len(batch.seqs)


@kernel_part
def _period_at(member: int, event: int, matched: int, clock_from: int, batch: Batch, members: MemberColumns) -> int:
    """The period at an event, before which `matched` events of the user matched, this one included."""
    unit = members.unit[member]
    position = matched
    if unit == EVENTS:
        position = batch.seqs[event]
    elif unit == TIME:
        position = batch.reached[event]
    period = max(members.period[member], _number(member, position, members))
    if event >= clock_from:
        period = max(period, _number(member, max(members.clock[member], batch.clocks[event]), members))
    return int(period)


@kernel_part
def _ending(
    member: int, period: int, begin: int, new: int, clock_from: int, batch: Batch, members: MemberColumns
) -> tuple[int, bool]:
    """The event at which a period ends, one beyond the batch if none; and whether the event itself belongs to it."""
    count = len(batch.seqs)
    unit = members.unit[member]
    last = members.origin[member] + period * members.span[member] - 1
    if unit == MATCHED:
        left = last - members.matched[member]
        if left <= 0:
            return 0, False
        if left <= new:
            return int(batch.arrived[begin + left - 1]), True
        return count, False
    low, high = 0, count
    while low < high:
        middle = (low + high) // 2
        if unit == EVENTS:
            is_before = batch.seqs[middle] < last
        else:
            is_before = _period_at(member, middle, 0, clock_from, batch, members) <= period
        if is_before:
            low = middle + 1
        else:
            high = middle
    return low, unit == EVENTS and low < count and batch.seqs[low] == last


@kernel_part
def end_periods(visit: Visit, written: int) -> int:
    """Ends the periods of a user that end during a batch; returns the number of deliveries so far.

    The user has room for all arrivals.
    """
    member, begin, batch, members = visit.member, visit.begin, visit.batch, visit.members
    first, old, new = members.begin[member], members.count[member], visit.end - visit.begin
    write_arrivals(visit, first + old)
    clock_from = _clock_from(member, batch, members)
    period = members.period[member]
    size, following = old, 0
    while size > 0 or following < new:
        if size == 0:
            matched = members.matched[member] + following + 1
            period = _period_at(member, batch.arrived[begin + following], matched, clock_from, batch, members)
        event, includes = _ending(member, period, begin, new, clock_from, batch, members)
        while following < new and (
            batch.arrived[begin + following] < event or (includes and batch.arrived[begin + following] == event)
        ):
            size += 1
            following += 1
        if event == len(batch.seqs):
            break
        if members.unit[member] == TIME:
            forwarded = _time_of_end(member, period, members)
        elif includes:
            forwarded = batch.times[event]
        else:
            forwarded = batch.times[event - 1] if event > 0 else members.last[member]
        written = _send_best(visit, first, size, event, period, forwarded, written)
        first += size
        size = 0
    members.begin[member], members.count[member] = first, size
    members.matched[member] += new
    _reach(member, clock_from, batch, members)
    return written


@kernel
def pass_over(numbers: Array, batch: Batch, members: MemberColumns) -> None:
    """Moves users on over a batch in which nothing matches them and no period of theirs with entries ends."""
    batch, members = lent(batch), lent(members)
    for member in numbers:
        _reach(member, _clock_from(member, batch, members), batch, members)


@kernel_part
def _reach(member: int, clock_from: int, batch: Batch, members: MemberColumns) -> None:
    """Moves a user to the last event of the batch."""
    count = len(batch.seqs)
    members.period[member] = _period_at(member, count - 1, members.matched[member], clock_from, batch, members)
    members.last[member] = batch.times[count - 1]
    if members.unit[member] == TIME:
        members.clock[member] = max(members.clock[member], batch.clocks[count - 1])
        if clock_from < count:
            members.by_clock[member] = 1
    see_period(member, members)


@kernel_part
def see_period(member: int, members: MemberColumns) -> None:
    """Recomputes from which position on the period may end."""
    until = NEVER
    if members.count[member] > 0:
        last = members.origin[member] + members.period[member] * members.span[member] - 1
        if members.unit[member] == EVENTS:
            until = last
        elif members.unit[member] == TIME:
            until = last + 1
        elif members.matched[member] >= last:
            until = -NEVER
    members.until[member] = until


@kernel_part
def _time_of_end(member: int, period: int, members: MemberColumns) -> int:
    """When a period is forwarded that only time, or the end of the stream, ends."""
    if members.unit[member] == TIME:
        return int(min(members.origin[member] + period * members.span[member], LATEST))
    return int(members.last[member])


@kernel
def end_all(
    numbers: Array, clock: int, batch: Batch, held: EntryColumns, members: MemberColumns, space: Arrays
) -> SentColumns:
    """Ends the current periods of users that are over at a time of the clock, or all if that is NEVER.

    Returns what they still owed. A visit is an index of `numbers`.
    """
    written = 0
    sendings = room_for(64)
    order = np.empty(64, np.int64)
    for number in range(len(numbers)):
        member = numbers[number]
        present = members.period[member]
        if clock < NEVER:
            if members.unit[member] != TIME:
                continue
            members.clock[member] = max(members.clock[member], clock)
            present = _number(member, members.clock[member], members)
            if not members.by_clock[member] or present <= members.period[member]:
                continue
        size, period = members.count[member], members.period[member]
        if size > 0:
            if size > len(order):
                order = np.empty(2 * size, np.int64)
            if written + size > len(sendings.event):
                sendings = grown(sendings, written, 2 * (written + size))
            visit = Visit(number, member, 0, 0, batch, held, members, space, order, sendings)
            forwarded = _time_of_end(member, period, members)
            written = _send_best(visit, members.begin[member], size, 0, period, forwarded, written)
            members.count[member] = 0
            members.until[member] = NEVER
        members.period[member] = present
    made: SentColumns = grown(sendings, written, written)
    return made


@kernel
def _send_best(visit: Visit, first: int, size: int, event: int, period: int, forwarded: int, written: int) -> int:
    """Sends the best k entries of a period, by seq; returns the number of deliveries so far."""
    member, members, order = visit.member, visit.members, visit.order
    if size > members.k[member]:
        if members.sigma[member] < 1:
            size = _most_diverse(visit, first, size)
        else:
            size = _highest(first, size, members.k[member], visit.batch.grids, visit.held, order)
    else:
        for place in range(size):
            order[place] = first + place
    for entry in order[:size]:
        written = send(visit, entry, event, period, forwarded, written)
    return written


@kernel
def _highest(first: int, size: int, k: int, grids: Array, held: EntryColumns, order: Array) -> int:
    """Writes the k entries with the highest (rank, seq) into `order`; returns their number."""
    ranks = order[:size]
    for place in range(size):
        ranks[place] = grids[held.pattern[first + place]]
    ranks.sort()
    lowest = ranks[size - k]
    beyond = np.searchsorted(ranks, lowest, side="right")
    equal = beyond - np.searchsorted(ranks, lowest)
    ties = k - (size - beyond)  # so many of those with the lowest rank are taken: the latest
    taken = 0
    for entry in range(first, first + size):
        grid = grids[held.pattern[entry]]
        if grid == lowest:
            equal -= 1
        if grid > lowest or (grid == lowest and equal < ties):
            order[taken] = entry
            taken += 1
    return taken


@kernel
def _most_diverse(visit: Visit, first: int, size: int) -> int:
    """Writes the greedy choice among more than k entries into the scratch space, improved by swaps if the user wants it.

    Returns its size. If a large part of the entries is chosen, their distances are kept in a table meanwhile.
    """
    member, batch, held, members, order = visit.member, visit.batch, visit.held, visit.members, visit.order
    k, sigma = members.k[member], members.sigma[member]
    places, ranks = np.empty(size, np.int64), np.empty(size)
    chosen, picks, worth = np.zeros(size, np.bool_), np.empty(k, np.int64), np.empty(k, np.int64)
    for place in range(size):
        places[place] = held.row[first + place] - batch.space_row
        ranks[place] = batch.ranks[held.pattern[first + place]]
    rows, lines, codes, weights, room, _ = visit.space
    space = rows, lines, codes, weights, room, columns_of(places, lines)
    # For few entries, k distances of all cost more than all pairs.
    longest = size if size <= min(4 * k, _LARGEST_TABLE) and len(space[5]) == 0 else 0
    table, row, nearest = np.empty((longest, longest)), np.empty(size), np.empty(size)
    pool = Pool(places, np.arange(size), ranks, held.seq[first : first + size], sigma, table, space, row, nearest)
    for place in range(longest):
        remember_distances(pool, place, 0)
    one, other = 0, 0
    if k > 1:
        one, other = best_pair(pool, np.argsort(-ranks))
    choose_greedily(pool, 0, size, one, other, k, chosen, picks, worth)
    if members.improves[member]:
        improve(pool, 0, size, k, chosen, picks)
    taken = 0
    for place in range(size):
        if chosen[place]:
            order[taken] = first + place
            taken += 1
    return taken

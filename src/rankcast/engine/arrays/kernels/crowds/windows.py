"""Windows of many users that slide over a batch by rank alone."""

import numpy as np

from rankcast.compiling import kernel, kernel_part
from rankcast.engine.arrays.kernels.crowds.columns import (
    EVENTS,
    MATCHED,
    NEVER,
    Batch,
    EntryColumns,
    MemberColumns,
    Visit,
    send_step,
    write_arrivals,
)
from rankcast.plain import Array


@kernel_part
def slide(visit: Visit, written: int) -> int:
    """Slides the window of a user over a batch; returns the number of deliveries so far.

    The user has room for all arrivals.
    """
    batch, members, member = visit.batch, visit.members, visit.member
    old, new = members.count[member], visit.end - visit.begin
    write_arrivals(visit, members.begin[member] + old)
    arrived = batch.arrived[visit.begin : visit.end]
    size = _rank_old(member, visit.held, members, batch.grids, visit.order)
    is_by_event = members.unit[member] == EVENTS
    now = batch.seqs if is_by_event else batch.times
    written = _step(visit, now, batch.is_sorted or is_by_event, arrived, size, written)
    members.matched[member] += new
    members.count[member] = old + new
    _settle(member, old, arrived, batch, visit.held, members)
    return written


@kernel
def is_in_order(member: int, held: EntryColumns, members: MemberColumns, times: Array, arrived: Array) -> bool:
    """Whether the entries of a window of time, followed by the arrivals, are in order of time."""
    begin = members.begin[member]
    last = -NEVER
    for entry in range(begin, begin + members.count[member]):
        if held.position[entry] < last:
            return False
        last = held.position[entry]
    for event in arrived:
        if times[event] < last:
            return False
        last = times[event]
    return True


@kernel_part
def _rank_old(member: int, held: EntryColumns, members: MemberColumns, grids: Array, order: Array) -> int:
    """Puts the entries that can still enter the top-k into `order`, best first; returns their number."""
    size = 0
    begin, k = members.begin[member], members.k[member]
    for entry in range(begin, begin + members.count[member]):
        if held.later[entry] < k:
            order[size] = entry
            size += 1
    if size > 64:
        keys = np.empty(size, np.int64)
        for place in range(size):
            keys[place] = grids[held.pattern[order[place]]]
        order[:size] = order[:size][np.argsort(keys, kind="mergesort")][::-1].copy()
        return size
    for place in range(1, size):
        entry = order[place]
        grid = grids[held.pattern[entry]]
        slot = place
        while slot > 0 and grids[held.pattern[order[slot - 1]]] <= grid:
            order[slot] = order[slot - 1]
            slot -= 1
        order[slot] = entry
    return size


@kernel_part
def first_at(now: Array, position: int, event: int, end: int, is_sorted: bool) -> int:
    """The first event from `event` on, before `end`, at or beyond a position; `end` if there is none."""
    if not is_sorted:
        while event < end and now[event] < position:
            event += 1
        return event
    if event >= end or now[end - 1] < position:
        return end
    low, high = event, end - 1
    while low < high:
        middle = (low + high) // 2
        if now[middle] < position:
            low = middle + 1
        else:
            high = middle
    return low


@kernel_part
def _step(visit: Visit, now: Array, is_sorted: bool, arrived: Array, size: int, written: int) -> int:
    """Steps through the events at which an entry leaves or arrives; returns the number of deliveries so far."""
    member, batch, held, members = visit.member, visit.batch, visit.held, visit.members
    order, sendings = visit.order, visit.sent
    grids = batch.grids
    k, span = members.k[member], members.span[member]
    by_match = members.unit[member] == MATCHED
    arriving = members.begin[member] + members.count[member]
    matched = members.matched[member]
    lowest = NEVER
    for place in range(size):
        lowest = min(lowest, held.position[order[place]])
    following = 0
    event = 0
    while True:
        end = arrived[following] if following < len(arrived) else len(now)
        event = first_at(now, lowest + span, event, end, is_sorted) if size > 0 and not by_match else end
        if event == len(now):
            return written
        arrives = following < len(arrived) and event == arrived[following]
        oldest = matched + following + 1 - span if by_match else now[event] - span
        if size > 0 and lowest <= oldest:
            kept = 0
            lowest = NEVER
            for place in range(size):
                entry = order[place]
                if held.position[entry] > oldest:
                    order[kept] = entry
                    kept += 1
                    lowest = min(lowest, held.position[entry])
            size = kept
        if arrives:
            grid = grids[held.pattern[arriving]]
            place = size
            while place > 0 and grids[held.pattern[order[place - 1]]] <= grid:
                place -= 1
            kept = place
            for behind in range(place, size):  # each of these is outranked once more
                entry = order[behind]
                held.later[entry] += 1
                if held.later[entry] < k:
                    order[kept] = entry
                    kept += 1
            for slot in range(kept, place, -1):
                order[slot] = order[slot - 1]
            order[place] = arriving
            size = kept + 1
            lowest = min(lowest, held.position[arriving])
            arriving += 1
            following += 1
        begin = written
        for place in range(min(k, size)):
            entry = order[place]
            if not held.sent[entry]:
                held.sent[entry] = True
                slot = written
                while slot > begin and sendings.seq[slot - 1] > held.seq[entry]:
                    sendings.row[slot] = sendings.row[slot - 1]
                    sendings.seq[slot] = sendings.seq[slot - 1]
                    sendings.pattern[slot] = sendings.pattern[slot - 1]
                    slot -= 1
                sendings.row[slot] = held.row[entry]
                sendings.seq[slot] = held.seq[entry]
                sendings.pattern[slot] = held.pattern[entry]
                written = send_step(visit, event, batch.seqs[event], batch.times[event], written)
        event += 1


@kernel_part
def _settle(member: int, old: int, arrived: Array, batch: Batch, held: EntryColumns, members: MemberColumns) -> None:
    """Drops the entries that left the window during the batch."""
    unit, span = members.unit[member], members.span[member]
    begin, count = members.begin[member], members.count[member]
    gone = 0
    while gone < count:
        if unit == EVENTS:
            reached = batch.seqs[len(batch.seqs) - 1]
        elif unit == MATCHED:
            reached = members.matched[member]
        else:
            reached = batch.latest[arrived[gone - old] + 1] if gone >= old else batch.latest[0]
        if held.position[begin + gone] > reached - span:
            break
        gone += 1
    members.begin[member] = begin + gone
    members.count[member] = count - gone
    if unit == MATCHED or gone == count:
        members.until[member] = NEVER
    else:
        members.until[member] = held.position[begin + gone] + span


@kernel
def look_again(member: int, held: EntryColumns, members: MemberColumns, grids: Array) -> None:
    """Recomputes `later`, up to the user's k, and `until` for a window with entries written from outside.

    A diverse choice is made anew.
    """
    begin, count, k = members.begin[member], members.count[member], members.k[member]
    best = np.empty(min(k, count) + 1, np.int64)  # the k highest of the later entries, descending
    size = 0
    oldest = NEVER
    for entry in range(begin + count - 1, begin - 1, -1):
        oldest = min(oldest, held.position[entry])
        grid = grids[held.pattern[entry]]
        place = size
        while place > 0 and best[place - 1] < grid:
            place -= 1
        held.later[entry] = place
        held.picked[entry] = -1
        if place < k:
            if size < k:
                size += 1
            for slot in range(size - 1, place, -1):
                best[slot] = best[slot - 1]
            best[place] = grid
    is_quiet = members.unit[member] == MATCHED or count == 0
    members.until[member] = NEVER if is_quiet else oldest + members.span[member]

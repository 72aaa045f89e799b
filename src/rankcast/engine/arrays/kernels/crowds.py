"""Windows of many users that slide over a batch by rank alone."""

from typing import Any

import numpy as np

from rankcast.compiling import kernel
from rankcast.engine.arrays.kernels.crowd_columns import (
    EVENTS,
    MATCHED,
    NEVER,
    TIME,
    MemberColumns,
    SentColumns,
    WindowColumns,
    grown,
    make_room,
    room_for,
)
from rankcast.plain import Array

__all__ = ["look_again", "oldest_row", "slide_all"]


@kernel
def slide_all(
    visited: Array,
    borders: Array,
    arrived: Array,
    patterns: Array,
    degrees: Array,
    grids: Array,
    first_row: int,
    seqs: Array,
    times: Array,
    latest: Array,
    is_sorted: bool,
    held: WindowColumns,
    members: MemberColumns,
    used: int,
    refused: Array,
) -> Any:
    """Slides the windows of the visited users over a batch; returns the deliveries and the end of the places in use.

    The new entries of visit v are those from ``borders[v]`` to ``borders[v + 1]``: the event of the batch that each
    arrives with (ascending), its pattern and its degree. `latest` is the latest time from each event on. Users with
    entries out of time order are marked in `refused` and left unchanged.
    """
    written = 0
    sendings = room_for(len(arrived) + 64)
    order = np.empty(256, np.int64)
    for visit in range(len(visited)):
        member = visited[visit]
        begin, end = borders[visit], borders[visit + 1]
        new = end - begin
        old = members.count[member]
        if members.unit[member] == TIME and not _in_order(member, held, members, times, arrived[begin:end]):
            refused[visit] = True
            continue
        used = make_room(member, new, held, members, used)
        first = members.begin[member] + old
        for place in range(new):
            entry = first + place
            event = arrived[begin + place]
            held.row[entry] = first_row + event
            held.seq[entry] = seqs[event]
            held.pattern[entry] = patterns[begin + place]
            held.degree[entry] = degrees[begin + place]
            held.sent[entry] = False
            held.later[entry] = 0
            unit = members.unit[member]
            if unit == EVENTS:
                held.position[entry] = seqs[event]
            elif unit == TIME:
                held.position[entry] = times[event]
            else:
                held.position[entry] = members.matched[member] + place + 1
        if old + new + 1 > len(order):
            order = np.empty(2 * (old + new + 1), np.int64)
        if written + old + new > len(sendings.event):
            sendings = grown(sendings, written, 2 * (written + old + new))
        size = _rank_old(member, held, members, grids, order)
        is_by_event = members.unit[member] == EVENTS
        now = seqs if is_by_event else times
        rises = is_sorted or is_by_event
        written = _slide(
            visit, member, now, rises, arrived[begin:end], held, members, grids, order, size, sendings, written
        )
        members.matched[member] += new
        members.count[member] = old + new
        _settle(member, old, seqs, latest, arrived[begin:end], held, members)
    return grown(sendings, written, written), used


@kernel
def _in_order(member: int, held: WindowColumns, members: MemberColumns, times: Array, arrived: Array) -> bool:
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


@kernel
def _rank_old(member: int, held: WindowColumns, members: MemberColumns, grids: Array, order: Array) -> int:
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


@kernel
def _first_at(now: Array, position: int, event: int, end: int, is_sorted: bool) -> int:
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


@kernel
def _slide(
    visit: int,
    member: int,
    now: Array,
    is_sorted: bool,
    arrived: Array,
    held: WindowColumns,
    members: MemberColumns,
    grids: Array,
    order: Array,
    size: int,
    sendings: SentColumns,
    written: int,
) -> int:
    """Steps through the events at which an entry leaves or arrives; returns the number of deliveries so far."""
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
        event = _first_at(now, lowest + span, event, end, is_sorted) if size > 0 and not by_match else end
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
                sendings.event[written] = event
                sendings.visit[written] = visit
                written += 1
        event += 1


@kernel
def _settle(
    member: int, old: int, seqs: Array, latest: Array, arrived: Array, held: WindowColumns, members: MemberColumns
) -> None:
    """Drops the entries that left the window during the batch."""
    unit, span = members.unit[member], members.span[member]
    begin, count = members.begin[member], members.count[member]
    gone = 0
    while gone < count:
        if unit == EVENTS:
            reached = seqs[len(seqs) - 1]
        elif unit == MATCHED:
            reached = members.matched[member]
        else:
            reached = latest[arrived[gone - old] + 1] if gone >= old else latest[0]
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
def look_again(numbers: Array, held: WindowColumns, members: MemberColumns, grids: Array) -> None:
    """Recomputes `later`, up to the user's k, and `until` for windows with entries written from outside."""
    for member in numbers:
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
            if place < k:
                if size < k:
                    size += 1
                for slot in range(size - 1, place, -1):
                    best[slot] = best[slot - 1]
                best[place] = grid
        is_quiet = members.unit[member] == MATCHED or count == 0
        members.until[member] = NEVER if is_quiet else oldest + members.span[member]


@kernel
def oldest_row(held: WindowColumns, members: MemberColumns) -> int:
    """The first row that any window holds; NEVER if there is none."""
    oldest = NEVER
    for member in range(len(members.begin)):
        for entry in range(members.begin[member], members.begin[member] + members.count[member]):
            oldest = min(oldest, held.row[entry])
    return int(oldest)

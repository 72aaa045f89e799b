"""Serving a batch to many users of all delivery modes."""

from typing import Any

import numpy as np

from rankcast.compiling import kernel
from rankcast.engine.arrays.kernels.crowds.columns import (
    ALL,
    DIVERSE,
    HISTORY,
    NEVER,
    PERIODIC,
    SLIDING,
    TIME,
    Batch,
    EntryColumns,
    MemberColumns,
    Visit,
    grown,
    room_for,
)
from rankcast.engine.arrays.kernels.crowds.diverse import slide_diversely
from rankcast.engine.arrays.kernels.crowds.lending import lent
from rankcast.engine.arrays.kernels.crowds.lists import remember, remember_diversely, send_at_once
from rankcast.engine.arrays.kernels.crowds.periods import end_periods, see_period
from rankcast.engine.arrays.kernels.crowds.windows import is_in_order, look_again, slide
from rankcast.plain import Array, Arrays


@kernel
def serve_all(
    visited: Array,
    begins: Array,
    ends: Array,
    batch: Batch,
    held: EntryColumns,
    members: MemberColumns,
    space: Arrays,
    used: int,
    refused: Array,
) -> Any:
    """Serves a batch to the visited users; returns the deliveries and the end of the places in use.

    The arrivals of visit v are those from ``begins[v]`` to ``ends[v]``. Users with windows that would be out
    of time order are marked in `refused` and left unchanged. All users but those with lists have room for what arrives.
    """
    written = 0
    made = room_for(len(batch.arrived) + 64)
    batch, held, members, space, sendings = lent(batch), lent(held), lent(members), lent(space), lent(made)
    order = np.empty(256, np.int64)
    for visit in range(len(visited)):
        member = visited[visit]
        mode = members.mode[member]
        begin, end = begins[visit], ends[visit]
        size = members.count[member] + end - begin
        if size + 1 > len(order):
            order = np.empty(2 * (size + 1), np.int64)
        if written + size > len(sendings.event):
            made = grown(made, written, 2 * (written + size))
            sendings = lent(made)
        at = Visit(visit, member, begin, end, batch, held, members, space, order, sendings)
        if mode == ALL:
            for arrival in range(begin, end):
                written = send_at_once(at, arrival, written)
        elif mode == HISTORY and members.sigma[member] < 1:
            written, used = remember_diversely(at, written, used)
        elif mode == HISTORY:
            written, used = remember(at, written, used)
        elif mode == PERIODIC:
            written = end_periods(at, written)
        elif members.unit[member] == TIME and not is_in_order(
            member, held, members, batch.times, batch.arrived[begin:end]
        ):
            refused[visit] = True
        elif mode == DIVERSE:
            written = slide_diversely(at, written)
        else:
            written = slide(at, written)
    return grown(made, written, written), used


@kernel
def go_on(numbers: Array, held: EntryColumns, members: MemberColumns, grids: Array) -> None:
    """Recomputes what follows from the entries of users, after these were written from outside."""
    for member in numbers:
        if members.mode[member] == SLIDING or members.mode[member] == DIVERSE:
            look_again(member, held, members, grids)
        elif members.mode[member] == PERIODIC:
            see_period(member, members)


@kernel
def oldest_row(held: EntryColumns, members: MemberColumns) -> int:
    """The first row that any user holds; NEVER if there is none."""
    oldest = NEVER
    for member in range(len(members.begin)):
        for entry in range(members.begin[member], members.begin[member] + members.count[member]):
            oldest = min(oldest, held.row[entry])
    return int(oldest)

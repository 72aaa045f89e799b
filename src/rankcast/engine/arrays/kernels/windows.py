"""A window that slides over a batch."""

import numpy as np

from rankcast.choose.kernels.greedy import NONE, add_greedily, best_older, choose_greedily, later, remember_distances
from rankcast.choose.kernels.swaps import improve, keep_calm
from rankcast.compiling import kernel
from rankcast.plain import Array, Arrays

__all__ = ["slide_by_rank", "slide_diverse"]


@kernel
def slide_by_rank(
    now: Array,
    at: Array,
    positions: Array,
    grid: Array,
    old: int,
    order: Array,
    size: int,
    k: int,
    span: int,
    dominated: Array,
    sent: Array,
    triggers: Array,
    entries: Array,
) -> int:
    """Slides over a batch by rank alone; returns the number of (trigger, entry) pairs written.

    `order` holds the `size` entries that can still enter the top-k, best first: those with fewer than k later entries
    of at least their rank. `now` is the position at each published event, and `at` the event that brings each new
    entry; the first new entry is `old`.
    """
    written = 0
    arriving = old
    lowest = np.int64(2**62)
    for place in range(size):
        lowest = min(lowest, positions[order[place]])
    for event in range(len(now)):
        changed = False
        oldest = now[event] - span
        if size > 0 and lowest <= oldest:
            kept = 0
            lowest = np.int64(2**62)
            for place in range(size):
                entry = order[place]
                if positions[entry] > oldest:
                    order[kept] = entry
                    kept += 1
                    lowest = min(lowest, positions[entry])
            size = kept
            changed = True
        if arriving < len(positions) and at[arriving - old] == event:
            place = size
            while place > 0 and grid[order[place - 1]] <= grid[arriving]:
                place -= 1
            kept = place
            for behind in range(place, size):  # each of these is outranked once more
                entry = order[behind]
                dominated[entry] += 1
                if dominated[entry] < k:
                    order[kept] = entry
                    kept += 1
            for slot in range(kept, place, -1):
                order[slot] = order[slot - 1]
            order[place] = arriving
            size = kept + 1
            lowest = min(lowest, positions[arriving])
            arriving += 1
            changed = True
        if changed:
            begin = written
            for place in range(min(k, size)):
                entry = order[place]
                if not sent[entry]:
                    sent[entry] = True
                    triggers[written] = event
                    slot = written
                    while slot > begin and entries[slot - 1] > entry:
                        entries[slot] = entries[slot - 1]
                        slot -= 1
                    entries[slot] = entry
                    written += 1
    return written


@kernel
def slide_diverse(
    now: Array,
    at: Array,
    positions: Array,
    seqs: Array,
    ranks: Array,
    old: int,
    k: int,
    sigma: float,
    improves: bool,
    calm: int,
    span: int,
    space: Arrays,
    slots: Array,
    known: int,
    table: Array,
    best: Array,
    best_with: Array,
    kept: Array,
    sent: Array,
    triggers: Array,
    entries: Array,
) -> int:
    """Slides over a batch with diversity, or calmly; returns the number of (trigger, entry) pairs written.

    Distances are kept in `table`, with a slot for each entry of the longest window, unless the table is empty; those
    of the first `known` entries are already there. `best` is the value of an entry's best pair with an older entry,
    `best_with`; it is searched again when the older entry leaves. The choice is greedy, or improved by swaps if
    `improves` is set. If `calm` is at least 0, the set that `kept` marks stays, filled up, unless the new one is worth
    more by more than `calm` grid steps. With `sigma` 1 no distance is computed.
    """
    written = 0
    begin, end = 0, old
    order = np.arange(len(ranks))
    row = np.empty(len(ranks))
    nearest = np.empty(len(ranks))
    chosen = np.zeros(len(ranks), np.bool_)
    members = np.empty(min(k, len(ranks)), np.int64)
    for entry in range(known, old) if len(table) > 0 else range(0):
        remember_distances(entry, 0, order, slots, table, space, row)
    for event in range(len(now)):
        changed = False
        while begin < end and positions[begin] <= now[event] - span:
            begin += 1
            changed = True
        if end < len(ranks) and at[end - old] == event:
            if sigma < 1:
                best[end], best_with[end] = best_older(end, begin, order, slots, ranks, sigma, table, True, space, row)
            end += 1
            changed = True
        if not changed or begin == end:
            continue
        chosen[begin:end] = False
        if end - begin <= k:
            chosen[begin:end] = True
            kept[begin:end] = True
        elif sigma == 1:
            add_greedily(begin, end, 0, order, slots, ranks, k, sigma, table, space, row, nearest, chosen, members)
        else:
            first, second = begin, begin
            value = NONE
            for entry in range(begin + 1, end) if k > 1 else range(0):
                if best_with[entry] < begin:
                    best[entry], best_with[entry] = best_older(
                        entry, begin, order, slots, ranks, sigma, table, False, space, row
                    )
                partner = best_with[entry]
                if best[entry] > value or (
                    best[entry] == value and later(seqs[entry], seqs[partner], seqs[second], seqs[first])
                ):
                    value, first, second = best[entry], partner, entry
            choose_greedily(
                begin, end, first, second, order, slots, ranks, k, sigma, table, space, row, nearest, chosen, members
            )
            if improves:
                improve(begin, end, order, slots, ranks, seqs, k, sigma, table, space, row, chosen, members)
        if calm >= 0 and end - begin > k:
            keep_calm(
                begin, end, order, slots, ranks, k, sigma, calm, table, space, row, nearest, chosen, kept, members
            )
        for entry in range(begin, end):
            if chosen[entry] and not sent[entry]:
                sent[entry] = True
                triggers[written] = event
                entries[written] = entry
                written += 1
    return written

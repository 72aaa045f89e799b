"""Windows of many users that slide over a batch with diversity, or calmly."""

import numpy as np

from rankcast.choose.kernels.distances import columns_of
from rankcast.choose.kernels.greedy import (
    NEAR,
    Pool,
    add_greedily,
    best_pair,
    choose_greedily,
    later,
    look_up,
    remember_distances,
)
from rankcast.choose.kernels.swaps import improve, keep_calm
from rankcast.choose.numbers import grid_steps
from rankcast.compiling import kernel, kernel_part
from rankcast.engine.arrays.kernels.crowds.columns import (
    EVENTS,
    MATCHED,
    NEVER,
    Visit,
    send,
    write_arrivals,
)
from rankcast.engine.arrays.kernels.crowds.windows import first_at
from rankcast.plain import Array, Arrays

_STEP = 1e-12
"""A step of the grid."""

_LARGEST_TABLE = 1024
"""The most entries of a window that may keep its distances during a batch; this takes 8 MiB at most."""


@kernel
def slide_diversely(visit: Visit, written: int) -> int:
    """Slides the window of a user over a batch; returns the number of deliveries so far.

    The user has room for all arrivals. The space holds the events of all rows from ``batch.space_row`` on.

    The greedy choice is known from batch to batch: each entry has its place in the order of picking, and what it was
    worth then. It stays the choice as long as no member leaves and a new entry would be picked nowhere; a step then
    costs one distance per member. The best pair stays as long as it does not leave, and only a new entry can be in a
    better one. Otherwise the choice starts over, with one distance per entry and member. Swaps start over with every
    change of the window. A calm window compares two sets only if one of them has changed.
    """
    member, batch, held, members = visit.member, visit.batch, visit.held, visit.members
    old, new = members.count[member], visit.end - visit.begin
    first, k, span, sigma = members.begin[member], members.k[member], members.span[member], members.sigma[member]
    calm, improves = members.calm[member], members.improves[member] == 1 and sigma < 1
    by_rank = sigma == 1.0 or k == 1
    size = old + new
    places, ranks = np.empty(size, np.int64), np.empty(size)
    picks, worth = np.empty(min(k, size), np.int64), np.empty(min(k, size), np.int64)
    chosen, row, nearest = np.zeros(size, np.bool_), np.empty(size), np.empty(size)
    known = 0
    write_arrivals(visit, first + old)
    for entry in range(size):
        places[entry] = held.row[first + entry] - batch.space_row
        ranks[entry] = batch.ranks[held.pattern[first + entry]]
        pick = held.picked[first + entry]
        if pick >= 0:
            picks[pick], worth[pick] = entry, held.worth[first + entry]
            known += 1
    is_known = has_pair = known == k
    positions, seqs = held.position[first : first + size], held.seq[first : first + size]
    kept = held.kept[first : first + size]
    rows, lines, codes, weights, room, _ = visit.space
    space = rows, lines, codes, weights, room, columns_of(places[: 0 if by_rank else size], lines)
    slots, table = _room_for_distances(old, new, k, sigma, improves, positions, span, space)
    pool = Pool(places, slots, ranks, seqs, sigma, table, space, row, nearest)
    if len(table) > 0:
        for entry in range(old):
            remember_distances(pool, entry, 0)
    by_match, is_by_event = members.unit[member] == MATCHED, members.unit[member] == EVENTS
    now = batch.seqs if is_by_event else batch.times
    rises = batch.is_sorted or is_by_event
    low, high, following, event = 0, old, 0, 0
    while True:
        until = batch.arrived[visit.begin + following] if following < new else len(now)
        event = first_at(now, positions[low] + span, event, until, rises) if low < high and not by_match else until
        if event == len(now):
            break
        oldest = members.matched[member] + following + 1 - span if by_match else now[event] - span
        is_calm = True
        while low < high and positions[low] <= oldest:
            has_pair = has_pair and (by_rank or (picks[0] != low and picks[1] != low))
            is_known = is_known and has_pair and not (picks == low).any()
            is_calm = is_calm and not kept[low]
            low += 1
        arrives = following < new and event == until
        if arrives:
            high += 1
            following += 1
            if len(table) > 0:
                remember_distances(pool, high - 1, low)
        if high - low <= k:
            is_known = has_pair = False
            if calm >= 0:
                kept[low:high] = True
            written = _send_new(visit, first + low, first + high, event, written)
            event += 1
            continue
        if arrives and has_pair:
            if not by_rank:
                look_up(pool, high - 1, low, high - 1, row)
                is_known = _stays_pair(pool, low, high - 1, picks, worth) and is_known
            is_known = is_known and not _is_picked(pool, high - 1, by_rank, picks, worth)
        if is_known and is_calm and not improves:
            event += 1
            continue
        chosen[low:high] = False
        if not is_known:
            if not by_rank and not has_pair:
                order = low + np.argsort(-ranks[low:high])
                picks[0], picks[1] = best_pair(pool, order)
            if sigma == 1.0:
                add_greedily(pool, low, high, 0, k, chosen, picks, worth)
            else:
                choose_greedily(pool, low, high, picks[0], picks[min(1, k - 1)], k, chosen, picks, worth)
            is_known = has_pair = True
        for pick in picks:
            chosen[pick] = True
        own = picks.copy()
        if improves:
            improve(pool, low, high, k, chosen, own)
        if calm >= 0:
            keep_calm(pool, low, high, k, calm, chosen, kept, own)
        for entry in range(low, high):
            if chosen[entry]:
                written = _send_new(visit, first + entry, first + entry + 1, event, written)
        event += 1
    for entry in range(first + low, first + high):
        held.picked[entry] = -1
    for pick in range(k if is_known else 0):
        held.picked[first + picks[pick]], held.worth[first + picks[pick]] = pick, worth[pick]
    members.begin[member], members.count[member] = first + low, high - low
    members.matched[member] += new
    members.until[member] = NEVER if by_match or low == high else positions[low] + span
    return written


@kernel
def _room_for_distances(
    old: int, new: int, k: int, sigma: float, improves: bool, positions: Array, span: int, space: Arrays
) -> tuple[Array, Array]:
    """The slot of each entry in a table for the distances within the window, and the table; it is empty if it does not pay.

    With columns, a distance is measured as fast as it is read from a table.

    An entry has the slot of one that has left the window before it came. Filling the table costs all pairs of the old
    entries; without it, each choice costs k distances per entry, and swaps as many again.
    """
    if len(space[5]) > 0:
        return np.arange(old + new), np.empty((0, 0))
    longest, low = old, 0
    for entry in range(old, old + new):
        while positions[low] <= positions[entry] - span:
            low += 1
        longest = max(longest, entry - low + 1)
    choices = new if improves else min(new, 2 * k * new // max(longest, 1) + 1)
    without = (2 if improves else 1) * choices * k * longest
    if sigma == 1.0 or longest > _LARGEST_TABLE or longest <= k or old * old + 2 * new * longest > without:
        return np.arange(old + new), np.empty((0, 0))
    return np.arange(old + new) % longest, np.empty((longest, longest))


@kernel_part
def _send_new(visit: Visit, begin: int, end: int, event: int, written: int) -> int:
    """Sends the entries that were not sent before; returns the number of deliveries so far."""
    for entry in range(begin, end):
        if not visit.held.sent[entry]:
            visit.held.sent[entry] = True
            written = send(visit, entry, event, visit.batch.seqs[event], visit.batch.times[event], written)
    return written


@kernel_part
def _stays_pair(pool: Pool, begin: int, entry: int, picks: Array, worth: Array) -> bool:
    """Whether the best pair stays when a last entry joins; if not, the first two of `picks` become the new pair.

    The row holds the distances of the new entry.
    """
    ranks, seqs, sigma, row = pool.ranks, pool.seqs, pool.sigma, pool.row
    first, second = min(picks[0], picks[1]), max(picks[0], picks[1])
    best, stays, enough = worth[0], True, worth[0] * _STEP - NEAR
    for other in range(begin, entry):
        value = sigma * ((ranks[entry] + ranks[other]) / 2) + (1 - sigma) * row[other]
        if value >= enough:
            steps = grid_steps(value)
            if steps > best or (steps == best and later(seqs[entry], seqs[other], seqs[second], seqs[first])):
                best, first, second, stays = steps, other, entry, False
    picks[0], picks[1] = first, second
    return stays


@kernel_part
def _is_picked(pool: Pool, entry: int, by_rank: bool, picks: Array, worth: Array) -> bool:
    """Whether a new last entry would be picked before one of the members after the best pair.

    It is more recent than all others, so it needs only the same worth as a member. The row holds its distances.
    """
    ranks, sigma, row = pool.ranks, pool.sigma, pool.row
    if by_rank:
        return bool(grid_steps(sigma * ranks[entry] + (1 - sigma) * 0.0) >= worth.min())
    near = min(row[picks[0]], row[picks[1]])
    for pick in range(2, len(picks)):
        if grid_steps(sigma * ranks[entry] + (1 - sigma) * near) >= worth[pick]:
            return True
        near = min(near, row[picks[pick]])
    return False

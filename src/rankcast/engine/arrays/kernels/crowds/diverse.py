"""Windows of many users that slide over a batch with diversity, by the greedy choice."""

import numpy as np

from rankcast.choose.kernels.distances import measure
from rankcast.choose.kernels.greedy import NEAR, best_pair, choose_greedily, later
from rankcast.choose.numbers import grid_steps
from rankcast.compiling import inlined, kernel
from rankcast.engine.arrays.kernels.crowds.columns import (
    EVENTS,
    MATCHED,
    NEVER,
    Batch,
    EntryColumns,
    MemberColumns,
    SentColumns,
    send,
    write_arrivals,
)
from rankcast.engine.arrays.kernels.crowds.windows import first_at
from rankcast.plain import Array, Arrays

__all__ = ["slide_diversely"]

_STEP = 1e-12
"""A step of the grid."""


@kernel
def slide_diversely(
    visit: int,
    member: int,
    begin: int,
    end: int,
    batch: Batch,
    held: EntryColumns,
    members: MemberColumns,
    space: Arrays,
    sendings: SentColumns,
    written: int,
) -> int:
    """Slides the window of a user over a batch; returns the number of deliveries so far.

    The user has room for all arrivals. `space` holds the events of all rows from ``batch.space_row`` on.

    The last choice is known from batch to batch: each entry has its place in the order of picking, and what it was
    worth then. It stays the choice as long as no member leaves and a new entry would be picked nowhere; a step then
    costs one distance per member. The best pair stays as long as it does not leave, and only a new entry can be in a
    better one. Otherwise the choice starts over, with one distance per entry and member.
    """
    old, new = members.count[member], end - begin
    first, k, span = members.begin[member], members.k[member], members.span[member]
    size = old + new
    places, ranks = np.empty(size, np.int64), np.empty(size)
    picks, worth = np.empty(k, np.int64), np.empty(k, np.int64)
    row, table = np.empty(size), np.empty((0, 0))
    known = 0
    write_arrivals(member, first + old, begin, end, batch, held, members)
    for entry in range(size):
        places[entry] = held.row[first + entry] - batch.space_row
        ranks[entry] = batch.ranks[held.pattern[first + entry]]
        pick = held.picked[first + entry]
        if pick >= 0:
            picks[pick], worth[pick] = entry, held.worth[first + entry]
            known += 1
    is_known = has_pair = known == k and k > 1
    positions, seqs = held.position[first : first + size], held.seq[first : first + size]
    by_match, is_by_event = members.unit[member] == MATCHED, members.unit[member] == EVENTS
    now = batch.seqs if is_by_event else batch.times
    rises = batch.is_sorted or is_by_event
    low, high, following, event = 0, old, 0, 0
    while True:
        until = batch.arrived[begin + following] if following < new else len(now)
        event = first_at(now, positions[low] + span, event, until, rises) if low < high and not by_match else until
        if event == len(now):
            break
        oldest = members.matched[member] + following + 1 - span if by_match else now[event] - span
        while low < high and positions[low] <= oldest:
            has_pair = has_pair and picks[0] != low and picks[1] != low
            is_known = is_known and has_pair and not (picks == low).any()
            low += 1
        arrives = following < new and event == until
        if arrives:
            high += 1
            following += 1
        if high - low <= k:
            is_known = has_pair = False
            written = _send_new(visit, first + low, first + high, event, batch, held, sendings, written)
            event += 1
            continue
        sigma = members.sigma[member]
        if arrives and has_pair:
            is_known = _stays_pair(low, high - 1, places, ranks, seqs, sigma, picks, worth, space, row) and is_known
            is_known = is_known and not _is_picked(high - 1, places, ranks, sigma, picks, worth, space, row)
        if not is_known:
            if k > 1 and not has_pair:
                by_rank = low + np.argsort(-ranks[low:high])
                picks[0], picks[1] = best_pair(by_rank, ranks, seqs, sigma, places, places, table, space, row)
            _choose(low, high, places, ranks, sigma, table, picks, worth, space, row)
            is_known = has_pair = k > 1
            for entry in np.sort(picks):
                written = _send_new(visit, first + entry, first + entry + 1, event, batch, held, sendings, written)
        event += 1
    for entry in range(first + low, first + high):
        held.picked[entry] = -1
    for pick in range(k if is_known else 0):
        held.picked[first + picks[pick]], held.worth[first + picks[pick]] = pick, worth[pick]
    members.begin[member], members.count[member] = first + low, high - low
    members.matched[member] += new
    members.until[member] = NEVER if by_match or low == high else positions[low] + span
    return written


@inlined
def _send_new(
    visit: int,
    begin: int,
    end: int,
    event: int,
    batch: Batch,
    held: EntryColumns,
    sendings: SentColumns,
    written: int,
) -> int:
    """Sends the entries that were not sent before; returns the number of deliveries so far."""
    for entry in range(begin, end):
        if not held.sent[entry]:
            held.sent[entry] = True
            seq, time = batch.seqs[event], batch.times[event]
            pattern = held.pattern[entry]
            written = send(sendings, written, visit, event, held.row[entry], held.seq[entry], pattern, seq, time)
    return written


@kernel
def _choose(
    begin: int,
    end: int,
    places: Array,
    ranks: Array,
    sigma: float,
    table: Array,
    picks: Array,
    worth: Array,
    space: Arrays,
    row: Array,
) -> None:
    """Writes the greedy choice among more than k entries in the order of picking, and what each was worth then.

    The first two are given: the best pair. They have its worth.
    """
    k = len(picks)
    nearest, chosen = np.empty(end), np.zeros(end, np.bool_)
    first, second = (picks[0], picks[1]) if k > 1 else (begin, begin)
    choose_greedily(
        begin, end, first, second, places, places, ranks, k, sigma, table, space, row, nearest, chosen, picks
    )
    chosen_places = places[picks]
    for pick in range(1, k):
        entry = picks[pick]
        measure(places[entry], chosen_places[:pick], space, row)
        if pick == 1:
            worth[1] = grid_steps(sigma * ((ranks[first] + ranks[second]) / 2) + (1 - sigma) * row[0])
            worth[0] = worth[1]
            continue
        near = row[0]
        for place in range(1, pick):
            near = min(near, row[place])
        worth[pick] = grid_steps(sigma * ranks[entry] + (1 - sigma) * near)


@kernel
def _stays_pair(
    begin: int,
    entry: int,
    places: Array,
    ranks: Array,
    seqs: Array,
    sigma: float,
    picks: Array,
    worth: Array,
    space: Arrays,
    row: Array,
) -> bool:
    """Whether the best pair stays when a last entry joins; if not, the first two of `picks` become the new pair.

    No distance is above 1, so pairs whose ranks are too low are skipped.
    """
    others, candidates = np.empty(entry - begin, np.int64), np.empty(entry - begin, np.int64)
    enough = worth[0] * _STEP - NEAR
    size = 0
    for other in range(begin, entry):
        if sigma * ((ranks[entry] + ranks[other]) / 2) + (1 - sigma) >= enough:
            others[size], candidates[size] = places[other], other
            size += 1
    measure(places[entry], others[:size], space, row)
    first, second = min(picks[0], picks[1]), max(picks[0], picks[1])
    best, stays = worth[0], True
    for place in range(size):
        other = candidates[place]
        value = sigma * ((ranks[entry] + ranks[other]) / 2) + (1 - sigma) * row[place]
        if value >= enough:
            steps = grid_steps(value)
            if steps > best or (steps == best and later(seqs[entry], seqs[other], seqs[second], seqs[first])):
                best, first, second, stays = steps, other, entry, False
    picks[0], picks[1] = first, second
    return stays


@kernel
def _is_picked(
    entry: int, places: Array, ranks: Array, sigma: float, picks: Array, worth: Array, space: Arrays, row: Array
) -> bool:
    """Whether a new last entry would be picked before one of the members after the best pair.

    It is more recent than all others, so it needs only the same worth as a member.
    """
    measure(places[entry], places[picks], space, row)
    near = min(row[0], row[1])
    for pick in range(2, len(picks)):
        if grid_steps(sigma * ranks[entry] + (1 - sigma) * near) >= worth[pick]:
            return True
        near = min(near, row[pick])
    return False

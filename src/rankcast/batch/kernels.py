"""The loops of ranking and choosing, compiled.

Each kernel serves one user over one batch. Entries are what the user's window or period holds, then what the batch
adds, in order of `seq`. All comparisons are made on the grid of 1e-12, as integers, and every float is computed as the
oracle computes it, to the last bit; so the choices are the oracle's.

They stand in one file because a compiled kernel is kept until its *own* file changes, whatever it calls.
"""

from typing import Any

import numpy as np

from rankcast.choose.numbers import exact_sum, grid_steps, kernel

__all__ = [
    "best_by_rank",
    "best_diverse",
    "by_user",
    "distances",
    "remember_by_rank",
    "remember_diverse",
    "slide_by_rank",
    "slide_diverse",
]

_NEAR = 1e-11
"""Values nearer to each other than this may be equal on the grid."""

_LARGEST_TABLE = 512
"""Periods of up to so many entries keep their distances in a table while they are chosen from."""

_NONE = -(2**62)
"""Less than every value on the grid."""

# ---- matches


@kernel
def by_user(events: Any, subscriptions: Any, user_of: Any, place_of: Any, bounds: Any) -> tuple[Any, Any, Any]:
    """Sorts matches by user, keeping the order of events: the events, the places of the subscriptions among the user's
    own, and the matches themselves. The matches of user u then lie from ``bounds[u]`` to ``bounds[u + 1]``."""
    count = len(events)
    for match in range(count):
        bounds[user_of[subscriptions[match]] + 1] += 1
    for user in range(len(bounds) - 1):
        bounds[user + 1] += bounds[user]
    following = bounds[:-1].copy()
    at = np.empty(count, np.int64)
    places = np.empty(count, np.int64)
    matches = np.empty(count, np.int64)
    for match in range(count):
        subscription = subscriptions[match]
        user = user_of[subscription]
        slot = following[user]
        following[user] += 1
        at[slot] = events[match]
        places[slot] = place_of[subscription]
        matches[slot] = match
    return at, places, matches


# ---- distances


@kernel
def _similarity(one: int, other: int, set_start: Any, set_values: Any) -> float:
    """Jaccard similarity of two sets of values, each a sorted run."""
    if one == other:
        return 1.0
    i, end_i = set_start[one], set_start[one + 1]
    j, end_j = set_start[other], set_start[other + 1]
    both = end_i - i + end_j - j
    common = 0
    while i < end_i and j < end_j:
        if set_values[i] == set_values[j]:
            common += 1
            i += 1
            j += 1
        elif set_values[i] < set_values[j]:
            i += 1
        else:
            j += 1
    return 0.0 if common == 0 else common / (both - common)


@kernel
def _distance(one: int, other: int, codes: Any, weights: Any, room: Any) -> float:
    """The distance of two events; a weight below 0 leaves an attribute out. `room` is three rows of floats.

    Most often all weights are 1 and the similarities add up without loss, so that no sum has to be taken with care.
    """
    start, end, names, sets, set_start, set_values = codes
    i, end_i = start[one], end[one]
    j, end_j = start[other], end[other]
    count = 0
    alike = 0.0
    while i < end_i or j < end_j:
        if j >= end_j or (i < end_i and names[i] < names[j]):
            weight = weights[names[i]]
            i += 1
        elif i >= end_i or names[j] < names[i]:
            weight = weights[names[j]]
            j += 1
        else:
            weight = weights[names[i]]
            mine, theirs = sets[i], sets[j]
            i += 1
            j += 1
            if weight == 1.0:
                if mine == theirs:
                    similarity = 1.0
                elif set_start[mine + 1] - set_start[mine] <= 1 and set_start[theirs + 1] - set_start[theirs] <= 1:
                    similarity = 0.0  # two different single values: the usual case
                else:
                    similarity = _similarity(mine, theirs, set_start, set_values)
                after = alike + similarity
                back = after - alike
                if (alike - (after - back)) + (similarity - back) != 0.0:
                    return _weighed_distance(one, other, codes, weights, room)
                alike = after
        if weight == 1.0:
            count += 1
        elif weight >= 0.0:
            return _weighed_distance(one, other, codes, weights, room)
    return 0.0 if count == 0 else 1.0 - alike / count


@kernel
def _weighed_distance(one: int, other: int, codes: Any, weights: Any, room: Any) -> float:
    """The distance of two events, whatever the weights."""
    start, end, names, sets, set_start, set_values = codes
    i, end_i = start[one], end[one]
    j, end_j = start[other], end[other]
    shares, alike, parts = room[0], room[1], room[2]
    count = 0
    largest = 0.0
    while i < end_i or j < end_j:
        similarity = 0.0
        if j >= end_j or (i < end_i and names[i] < names[j]):
            weight = weights[names[i]]
            i += 1
        elif i >= end_i or names[j] < names[i]:
            weight = weights[names[j]]
            j += 1
        else:
            weight = weights[names[i]]
            if weight >= 0.0:
                similarity = _similarity(sets[i], sets[j], set_start, set_values)
            i += 1
            j += 1
        if weight >= 0.0:
            shares[count] = weight
            alike[count] = similarity
            count += 1
            largest = max(largest, weight)
    if largest == 0.0:
        return 0.0
    for place in range(count):
        shares[place] = shares[place] / largest
        alike[place] = shares[place] * alike[place]
    return float(1.0 - exact_sum(alike, count, parts) / exact_sum(shares, count, parts))


@kernel
def distances(rows: Any, others: Any, codes: Any, weights: Any, room: Any) -> Any:
    """The distances of pairs of events, by row."""
    found = np.empty(len(rows))
    for place in range(len(rows)):
        found[place] = _distance(rows[place], others[place], codes, weights, room)
    return found


# ---- periods


@kernel
def best_by_rank(ends: Any, grid: Any, k: int, chosen: Any) -> None:
    """Marks, in each group of entries that ends before one of `ends`, the k of highest (rank, seq)."""
    heap = np.empty(k, np.int64)
    begin = 0
    for end in ends:
        size = 0
        for entry in range(begin, end):
            if size < k:
                at = size
                size += 1
                while at > 0 and grid[entry] < grid[heap[(at - 1) // 2]]:
                    heap[at] = heap[(at - 1) // 2]
                    at = (at - 1) // 2
                heap[at] = entry
            elif grid[entry] >= grid[heap[0]]:
                at = 0
                while 2 * at + 1 < size:
                    child = 2 * at + 1
                    if child + 1 < size and _lower(heap[child + 1], heap[child], grid):
                        child += 1
                    if not _lower(heap[child], entry, grid):
                        break
                    heap[at] = heap[child]
                    at = child
                heap[at] = entry
        for place in range(size):
            chosen[heap[place]] = True
        begin = end


@kernel
def _lower(one: int, other: int, grid: Any) -> bool:
    return bool(grid[one] < grid[other] or (grid[one] == grid[other] and one < other))


@kernel
def best_diverse(
    ends: Any, rows: Any, seqs: Any, ranks: Any, k: int, sigma: float, codes: Any, weights: Any, room: Any, chosen: Any
) -> None:
    """Marks, in each group of entries that ends before one of `ends`, what the greedy heuristic picks."""
    nearest = np.empty(len(rows))
    longest = 0
    begin = 0
    for end in ends:
        longest = max(longest, end - begin)
        begin = end
    size = longest if longest <= _LARGEST_TABLE else 0
    table = np.empty((size, size))
    begin = 0
    for end in ends:
        if end - begin <= k:
            chosen[begin:end] = True
        else:
            first, second = begin, begin
            best = _NONE
            for entry in range(begin + 1, end) if k > 1 else range(0):
                value, partner = _best_older(entry, begin, rows, ranks, sigma, table, 1, codes, weights, room)
                if value > best or (value == best and _later(seqs[entry], seqs[partner], seqs[second], seqs[first])):
                    best, first, second = value, partner, entry
            _greedy(begin, end, first, second, rows, ranks, k, sigma, table, codes, weights, room, nearest, chosen)
        begin = end


@kernel
def _later(newer: int, older: int, best_newer: int, best_older: int) -> bool:
    """Whether a pair is more recent than another: by the sum, then by the newer."""
    one, other = newer + older, best_newer + best_older
    return one > other or (one == other and newer > best_newer)


@kernel
def _apart(one: int, other: int, rows: Any, table: Any, codes: Any, weights: Any, room: Any) -> float:
    """The distance of two entries, out of the table (a ring) if there is one."""
    size = len(table)
    if size > 0:
        return float(table[one % size, other % size])
    return _distance(rows[one], rows[other], codes, weights, room)


@kernel
def _best_older(
    entry: int,
    begin: int,
    rows: Any,
    ranks: Any,
    sigma: float,
    table: Any,
    fill: int,
    codes: Any,
    weights: Any,
    room: Any,
) -> tuple[int, int]:
    """The best pair of an entry with an older one from `begin` on: its value and the older one. With `fill`, the
    distances are computed and go into the table; else they come from there."""
    best, partner = _NONE, -1
    size = len(table)
    for older in range(begin, entry):
        if size > 0 and not fill:
            apart = table[entry % size, older % size]
        else:
            apart = _distance(rows[entry], rows[older], codes, weights, room)
            if size > 0:
                table[entry % size, older % size] = apart
                table[older % size, entry % size] = apart
        value = grid_steps(sigma * ((ranks[entry] + ranks[older]) / 2) + (1 - sigma) * apart)
        if value >= best:
            best, partner = value, older
    return best, partner


@kernel
def _greedy(
    begin: int,
    end: int,
    first: int,
    second: int,
    rows: Any,
    ranks: Any,
    k: int,
    sigma: float,
    table: Any,
    codes: Any,
    weights: Any,
    room: Any,
    nearest: Any,
    chosen: Any,
) -> None:
    """Marks the greedy choice among more than k entries, given the best pair."""
    if k == 1:
        best, added = _NONE, begin
        for entry in range(begin, end):
            value = grid_steps(sigma * ranks[entry] + (1 - sigma) * 0.0)
            if value >= best:
                best, added = value, entry
        chosen[added] = True
        return
    chosen[first] = True
    chosen[second] = True
    for entry in range(begin, end):
        if not chosen[entry]:
            nearest[entry] = min(
                _apart(entry, first, rows, table, codes, weights, room),
                _apart(entry, second, rows, table, codes, weights, room),
            )
    for number in range(2, k):
        best, added = _NONE, -1
        for entry in range(begin, end):
            if not chosen[entry]:
                value = grid_steps(sigma * ranks[entry] + (1 - sigma) * nearest[entry])
                if value >= best:
                    best, added = value, entry
        chosen[added] = True
        if number < k - 1:
            for entry in range(begin, end):
                if not chosen[entry]:
                    nearest[entry] = min(nearest[entry], _apart(entry, added, rows, table, codes, weights, room))


# ---- sliding windows


@kernel
def slide_by_rank(
    now: Any,
    at: Any,
    positions: Any,
    grid: Any,
    old: int,
    order: Any,
    size: int,
    k: int,
    span: int,
    dominated: Any,
    sent: Any,
    triggers: Any,
    entries: Any,
) -> int:
    """Slides over a batch by rank alone; gives how many (trigger, entry) it wrote.

    `order` holds the entries that can still enter the top-k, `size` of them, best first: those with fewer than k
    later ones of at least their rank. `now` is the position at each published event, `at` the event that brings each
    new entry, the first of which is `old`.
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
    now: Any,
    at: Any,
    positions: Any,
    rows: Any,
    seqs: Any,
    ranks: Any,
    old: int,
    k: int,
    sigma: float,
    span: int,
    codes: Any,
    weights: Any,
    room: Any,
    table: Any,
    best: Any,
    best_with: Any,
    sent: Any,
    triggers: Any,
    entries: Any,
) -> int:
    """Slides over a batch with diversity; gives how many (trigger, entry) it wrote.

    Distances are kept in `table`, a ring of at least the longest window, if it has room at all. `best` is the value of an
    entry's best pair with an older one, and `best_with` that one; it is looked for again when the older one leaves.
    """
    written = 0
    begin, end = 0, old
    nearest = np.empty(len(rows))
    chosen = np.zeros(len(rows), np.bool_)
    size = len(table)
    for entry in range(old) if size > 0 else range(0):
        for older in range(entry):
            apart = _distance(rows[entry], rows[older], codes, weights, room)
            table[entry % size, older % size] = apart
            table[older % size, entry % size] = apart
    for event in range(len(now)):
        changed = False
        while begin < end and positions[begin] <= now[event] - span:
            begin += 1
            changed = True
        if end < len(rows) and at[end - old] == event:
            best[end], best_with[end] = _best_older(end, begin, rows, ranks, sigma, table, 1, codes, weights, room)
            end += 1
            changed = True
        if not changed or begin == end:
            continue
        chosen[begin:end] = False
        if end - begin <= k:
            chosen[begin:end] = True
        else:
            first, second = begin, begin
            value = _NONE
            for entry in range(begin + 1, end) if k > 1 else range(0):
                if best_with[entry] < begin:
                    best[entry], best_with[entry] = _best_older(
                        entry, begin, rows, ranks, sigma, table, 0, codes, weights, room
                    )
                partner = best_with[entry]
                if best[entry] > value or (
                    best[entry] == value and _later(seqs[entry], seqs[partner], seqs[second], seqs[first])
                ):
                    value, first, second = best[entry], partner, entry
            _greedy(begin, end, first, second, rows, ranks, k, sigma, table, codes, weights, room, nearest, chosen)
        for entry in range(begin, end):
            if chosen[entry] and not sent[entry]:
                sent[entry] = True
                triggers[written] = event
                entries[written] = entry
                written += 1
    return written


# ---- history


@kernel
def remember_by_rank(
    positions: Any, grid: Any, old: int, k: int, span: int, replace: bool, held: Any, sent: Any
) -> int:
    """Decides on each new entry by rank alone: marks what is sent, and leaves in `held` what the list holds, oldest
    first; gives how many."""
    size = old
    for place in range(old):
        held[place] = place
    for entry in range(old, len(positions)):
        size = _expire(entry, positions, span, held, size)
        if size == k:
            lowest = 0
            for place in range(1, size):
                if grid[held[place]] < grid[held[lowest]]:
                    lowest = place
            low = grid[held[lowest]]
            if not (grid[entry] > low or (replace and grid[entry] == low)):
                continue
            held[lowest : size - 1] = held[lowest + 1 : size].copy()
            size -= 1
        held[size] = entry
        size += 1
        sent[entry] = True
    return size


@kernel
def _expire(entry: int, positions: Any, span: int, held: Any, size: int) -> int:
    kept = 0
    for place in range(size):
        if positions[held[place]] > positions[entry] - span:
            held[kept] = held[place]
            kept += 1
    return kept


@kernel
def _worth(
    members: Any, count: int, ranks: Any, table: Any, sigma: float, values: Any, parts: Any, left_out: int
) -> int:
    """The divrank, on the grid, of the members but the one at `left_out`; `table` has the distances by place."""
    size = 0
    for place in range(count):
        if place != left_out:
            values[size] = ranks[members[place]]
            size += 1
    rank = exact_sum(values, size, parts) / size
    pairs = 0
    for place in range(count):
        for other in range(place):
            if place != left_out and other != left_out:
                values[pairs] = table[place, other]
                pairs += 1
    diversity = exact_sum(values, pairs, parts) / pairs if pairs else 0.0
    return grid_steps(sigma * rank + (1 - sigma) * diversity)


@kernel
def remember_diverse(
    positions: Any,
    rows: Any,
    ranks: Any,
    old: int,
    k: int,
    sigma: float,
    span: int,
    replace: bool,
    codes: Any,
    weights: Any,
    room: Any,
    held: Any,
    sent: Any,
) -> int:
    """Decides on each new entry by divrank: marks what is sent, and leaves in `held` what the list holds, oldest
    first; gives how many."""
    size = old
    table = np.zeros((k + 1, k + 1))
    values = np.empty(k * (k + 1) // 2 + k + 1)
    parts = np.empty(len(values) + 1)
    sums = np.empty(k + 1)
    present = -1
    for place in range(old):
        held[place] = place
        for other in range(place):
            table[place, other] = table[other, place] = _distance(rows[place], rows[other], codes, weights, room)
    for entry in range(old, len(rows)):
        # What is left of the list, and the distances among it.
        kept = 0
        for place in range(size):
            if positions[held[place]] > positions[entry] - span:
                if kept != place:
                    held[kept] = held[place]
                    table[kept, :size] = table[place, :size]
                    table[:size, kept] = table[:size, place]
                kept += 1
        if kept != size:
            size = kept
            present = -1
        for place in range(size):
            apart = _distance(rows[entry], rows[held[place]], codes, weights, room)
            table[size, place] = table[place, size] = apart
        table[size, size] = 0.0
        held[size] = entry
        size += 1
        if size <= k:
            sent[entry] = True
            present = -1
            continue
        if present < 0:
            present = _worth(held, k, ranks, table, sigma, values, parts, -1)
        # Roughly first: only swaps that may be the best on the grid are worth computing exactly.
        everything = 0.0
        for place in range(size):
            sums[place] = 0.0
            for other in range(size):
                sums[place] += table[place, other]
            everything += sums[place] / 2
        pairs = k * (k - 1) / 2
        roughly_best = -2.0
        for place in range(k):
            diversity = (everything - sums[place]) / pairs if k > 1 else 0.0
            sums[place] = (1 - sigma) * diversity - sigma * ranks[held[place]] / k
            roughly_best = max(roughly_best, sums[place])
        best, out = _NONE, -1
        for place in range(k):
            if sums[place] >= roughly_best - _NEAR:
                worth = _worth(held, size, ranks, table, sigma, values, parts, place)
                if worth > best:
                    best, out = worth, place
        if best > present or (replace and best == present):
            sent[entry] = True
            present = best
        else:
            out = k
        for place in range(out, size - 1):
            held[place] = held[place + 1]
            table[place, :size] = table[place + 1, :size]
        for place in range(out, size - 1):
            table[:size, place] = table[:size, place + 1]
        size -= 1
    return size

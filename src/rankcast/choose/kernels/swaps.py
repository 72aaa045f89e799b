"""Swaps of a member for another entry, each evaluated exactly in a few steps (semantics: Diversity: improved).

Every distance is a multiple of 2^-53, because it is 1 minus a float in 0..1. Split it into an upper part, a multiple
of 2^-26, and the rest. Sums of the upper parts and sums of the rests are exact in any order, and terms can be
subtracted again. One addition of the two sums gives the sum of all pairs, rounded once as `math.fsum` rounds it.
"""

import numpy as np

from rankcast.choose.kernels.distances import measure
from rankcast.choose.kernels.greedy import NEAR, NONE, Pool, add_greedily, look_up
from rankcast.choose.numbers import exact_sum, expand, grid_steps
from rankcast.compiling import kernel
from rankcast.plain import Array

LARGEST_SET = 8192
"""The largest set for which sums over pairs are exact."""

_UPPER = 67108864.0
"""2^26."""

_ROOM = 64
"""An exact sum of ranks never needs this many non-overlapping floats."""


@kernel
def upper(distance: float) -> float:
    """The upper part of a distance. Sums of upper parts are exact, as are sums of the rests."""
    return float(np.floor(distance * _UPPER) / _UPPER)


@kernel
def _from_members(pool: Pool, entry: int, members: Array, count: int, row: Array) -> None:
    """Write the distances of an entry from the first members to `row`."""
    if len(pool.table) > 0:
        slots, line = pool.slots, pool.table[pool.slots[entry]]
        for place in range(count):
            row[place] = line[slots[members[place]]]
    else:
        measure(pool.order[entry], pool.order[members[:count]], pool.space, row)


@kernel
def pair_sums(pool: Pool, members: Array, count: int) -> tuple[float, float]:
    """The sum of the distances of all pairs, as `math.fsum` gives it, and the smallest distance (1 without pairs)."""
    row = pool.row
    high, low, least = 0.0, 0.0, 1.0
    for place in range(1, count):
        _from_members(pool, members[place], members, place, row)
        for other in range(place):
            part = upper(row[other])
            high += part
            low += row[other] - part
            least = min(least, row[other])
    return high + low, least


@kernel
def worth_steps(rank_sum: float, pair_sum: float, k: int, sigma: float) -> int:
    """The divrank on the grid, as `DivRank.value` computes it."""
    diversity = pair_sum / (k * (k - 1) // 2) if k > 1 else 0.0
    return int(grid_steps(sigma * (rank_sum / k) + (1 - sigma) * diversity))


@kernel
def _count(pool: Pool, added: int, sign: float, begin: int, end: int, high: Array, low: Array) -> None:
    """Add an entry's distances to the sums of all entries, or subtract them."""
    row = pool.row
    look_up(pool, added, begin, end, row)
    row[added] = 0.0
    for entry in range(begin, end):
        part = np.floor(row[entry] * _UPPER) / _UPPER
        high[entry] += sign * part
        low[entry] += sign * (row[entry] - part)


@kernel
def improve(pool: Pool, begin: int, end: int, k: int, chosen: Array, members: Array) -> int:
    """Make the best swap of a member for another entry as long as the divrank grows; return the number of swaps.

    `members` are k of the entries from `begin` on, and `chosen` marks them; both are updated. The start costs
    k (end - begin) distances. Each swap then reads every entry, and all members for each entry that may be the best.
    """
    ranks, seqs, sigma, row = pool.ranks, pool.seqs, pool.sigma, pool.row
    pairs = max(k * (k - 1) / 2, 1.0)
    high, low = np.zeros(end), np.zeros(end)
    apart, leaving, ahead = np.empty(k), np.empty(k), np.empty(k, np.int64)
    rank_of = np.empty(k)
    parts, terms, room = np.empty(k + 1), np.empty(_ROOM), np.empty(_ROOM)
    for place in range(k):
        _count(pool, members[place], 1.0, begin, end, high, low)
    all_high, all_low, seq_sum = 0.0, 0.0, 0
    for place in range(k):
        all_high += high[members[place]]
        all_low += low[members[place]]
        seq_sum += seqs[members[place]]
    all_high, all_low = all_high / 2, all_low / 2
    for place in range(k):
        rank_of[place] = ranks[members[place]]
    swaps = 0
    value = worth_steps(exact_sum(rank_of, k, parts), all_high + all_low, k, sigma)
    by_worth, rank_share, share = np.arange(k), sigma / k, (1 - sigma) / pairs
    while True:
        used = expand(rank_of, k, parts)
        terms[:used] = parts[:used]
        for place in range(k):
            member = members[place]
            leaving[place] = -rank_share * ranks[member] - share * (high[member] + low[member])
        _sort(by_worth, leaving)
        most = leaving[by_worth[0]]
        # The most that an incoming entry can add. Starting with a good one leaves few others that can be the best.
        promising, promise = -1, -np.inf
        for entry in range(begin, end):
            row[entry] = rank_share * ranks[entry] + share * (high[entry] + low[entry])
            if row[entry] > promise and not chosen[entry]:
                promising, promise = entry, row[entry]
        if promising < 0:
            return swaps
        _from_members(pool, promising, members, k, apart)
        highest = -np.inf
        for place in range(k):
            highest = max(highest, promise + leaving[place] - share * apart[place])
        best, best_sum, out, into = NONE, 0, -1, -1
        for entry in range(begin, end):
            if row[entry] + most < highest - NEAR or chosen[entry]:
                continue
            count = 1
            while count < k and row[entry] + leaving[by_worth[count]] >= highest - NEAR:
                count += 1
            for at in range(count):
                ahead[at] = members[by_worth[at]]
            _from_members(pool, entry, ahead, count, apart)
            for at in range(count):
                place = by_worth[at]
                gain = row[entry] + leaving[place] - share * apart[at]
                if gain < highest - NEAR:
                    continue
                highest = max(highest, gain)
                member = members[place]
                part = upper(apart[at])
                pair_sum = (all_high + ((high[entry] - part) - high[member])) + (
                    all_low + ((low[entry] - (apart[at] - part)) - low[member])
                )
                terms[used] = -ranks[member]
                terms[used + 1] = ranks[entry]
                steps = worth_steps(exact_sum(terms, used + 2, room), pair_sum, k, sigma)
                total = seq_sum - seqs[member] + seqs[entry]
                if steps > best or (
                    steps == best
                    and (total > best_sum or (total == best_sum and _is_later(entry, place, into, out, members, seqs)))
                ):
                    best, best_sum, out, into = steps, total, place, entry
        if best <= value:
            return swaps
        gone = members[out]
        ahead[0] = gone
        _from_members(pool, into, ahead, 1, apart)
        part = upper(apart[0])
        all_high += (high[into] - part) - high[gone]
        all_low += (low[into] - (apart[0] - part)) - low[gone]
        _count(pool, gone, -1.0, begin, end, high, low)
        _count(pool, into, 1.0, begin, end, high, low)
        members[out] = into
        chosen[gone] = False
        chosen[into] = True
        rank_of[out] = ranks[into]
        value, seq_sum = best, best_sum
        swaps += 1


@kernel
def _sort(places: Array, worth: Array) -> None:
    """Sort places by descending worth; they are mostly sorted from the previous call."""
    for at in range(1, len(places)):
        place = places[at]
        before = at
        while before > 0 and worth[places[before - 1]] < worth[place]:
            places[before] = places[before - 1]
            before -= 1
        places[before] = place


@kernel
def _is_later(into: int, out: int, best_into: int, best_out: int, members: Array, seqs: Array) -> bool:
    """Whether the first of two swaps gives the more recent set, if both sets have the same sum of `seq`.

    It compares the members that only one of the sets has, latest first.
    """
    mine = max(seqs[into], seqs[members[best_out]])
    theirs = max(seqs[best_into], seqs[members[out]])
    return bool(mine > theirs)


@kernel
def best_place(pool: Pool, k: int) -> tuple[int, int, int]:
    """The best place for entry k among the first k, the oldest of equals; the grid values with and without it."""
    apart, high, low = np.empty(k), np.zeros(k + 1), np.zeros(k + 1)
    for place in range(k):
        _count(pool, place, 1.0, 0, k + 1, high, low)
    look_up(pool, k, 0, k, apart)
    place, best, present = replace_one(k, pool.ranks, pool.sigma, high, low, apart)
    return place, best, present


@kernel
def replace_one(k: int, ranks: Array, sigma: float, high: Array, low: Array, apart: Array) -> tuple[int, int, int]:
    """`best_place`, given the sums of each entry's distances from the first k, and the last entry's distances."""
    pairs = max(k * (k - 1) / 2, 1.0)
    parts, terms, room = np.empty(k + 1), np.empty(_ROOM), np.empty(_ROOM)
    all_high, all_low = 0.0, 0.0
    for place in range(k):
        all_high += high[place]
        all_low += low[place]
    all_high, all_low = all_high / 2, all_low / 2
    present = worth_steps(exact_sum(ranks, k, parts), all_high + all_low, k, sigma)
    used = expand(ranks, k, parts)
    terms[:used] = parts[:used]
    best, out, highest = NONE, -1, -np.inf
    for place in range(k):
        gain = -sigma * ranks[place] / k - (1 - sigma) * ((high[place] + low[place] + apart[place]) / pairs)
        if gain < highest - NEAR:
            continue
        highest = max(highest, gain)
        part = upper(apart[place])
        pair_sum = (all_high + ((high[k] - part) - high[place])) + (
            all_low + ((low[k] - (apart[place] - part)) - low[place])
        )
        terms[used] = -ranks[place]
        terms[used + 1] = ranks[k]
        steps = worth_steps(exact_sum(terms, used + 2, room), pair_sum, k, sigma)
        if steps > best:
            best, out = steps, place
    return out, best, present


@kernel
def keep_calm(pool: Pool, begin: int, end: int, k: int, calm: int, chosen: Array, kept: Array, members: Array) -> None:
    """Choose between the set that `kept` marks, filled up to k, and the set that `chosen` marks.

    The second one must be worth more by more than `calm` grid steps. Both marks are then those of the winner. There
    must be more than k entries, of which `chosen` marks k. `members` is scratch space.
    """
    count = 0
    for entry in range(begin, end):
        count += kept[entry]
    if not 0 < count <= k:  # nothing is left, or k has been lowered
        kept[begin:end] = chosen[begin:end]
        return
    new = _worth_of_marked(pool, begin, end, k, chosen, members)
    place = 0
    for entry in range(begin, end):
        if kept[entry]:
            members[place] = entry
            place += 1
    if count < k:
        worth = np.empty(k, np.int64)
        add_greedily(pool, begin, end, count, k, kept, members, worth)
    last = _worth_of_marked(pool, begin, end, k, kept, members)
    if new - last > calm:
        kept[begin:end] = chosen[begin:end]
    else:
        chosen[begin:end] = kept[begin:end]


@kernel
def _worth_of_marked(pool: Pool, begin: int, end: int, k: int, marked: Array, members: Array) -> int:
    """The divrank of the k marked entries, on the grid; `members` is scratch space."""
    place = 0
    for entry in range(begin, end):
        if marked[entry]:
            members[place] = entry
            pool.row[place] = pool.ranks[entry]
            place += 1
    rank_sum = exact_sum(pool.row, k, pool.nearest)
    pair_sum = 0.0 if pool.sigma == 1.0 else pair_sums(pool, members, k)[0]
    return int(worth_steps(rank_sum, pair_sum, k, pool.sigma))

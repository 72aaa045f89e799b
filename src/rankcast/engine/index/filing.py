# mypy: allow-untyped-defs, no-check-untyped-defs, allow-untyped-calls
"""Kernels that file entries: they choose the key literal of each entry and write its words."""

import numpy as np

from rankcast.compiling import kernel
from rankcast.engine.index.singles import slot_of
from rankcast.engine.index.words import FLAGS, MOST_LITERALS, PROGRAM, RANGES, SHARED

__all__ = ["choose_keys", "count_blocks", "fill_blocks", "write_lists", "write_literals"]


@kernel
def choose_keys(entry_start, entry_literals, literal_key, cost, is_point, first, second):
    """Sort each entry's literals, the rarest first.

    Returns the place of the first that can be a key, and of the first other that is a point; -1 for none.
    """
    for entry in range(len(entry_start) - 1):
        begin, end = entry_start[entry], entry_start[entry + 1]
        for i in range(begin + 1, end):
            moved = entry_literals[i]
            j = i
            while j > begin and cost[entry_literals[j - 1]] > cost[moved]:
                entry_literals[j] = entry_literals[j - 1]
                j -= 1
            entry_literals[j] = moved
        best = other = -1
        for i in range(begin, end):
            if best < 0 and literal_key[entry_literals[i]] >= 0:
                best = i
            elif best >= 0 and other < 0 and is_point[entry_literals[i]]:
                other = i
        first[entry], second[entry] = best, other


@kernel
def _level(low, high, most):
    """The lowest level at which an interval touches at most `most` blocks."""
    level = 0
    while (high >> level) - (low >> level) >= most:
        level += 1
    return level


@kernel
def count_blocks(keys, interval_start, low, high, literal_attribute, most, is_used):
    """The number of blocks under which each entry is filed (1 without a key).

    Also marks the levels in use per attribute.
    """
    counts = np.ones(len(keys), np.int64)
    for entry in range(len(keys)):
        literal = keys[entry]
        if literal < 0:
            continue
        total = 0
        for i in range(interval_start[literal], interval_start[literal + 1]):
            level = _level(low[i], high[i], most)
            is_used[literal_attribute[literal], level] = True
            total += (high[i] >> level) - (low[i] >> level) + 1
        counts[entry] = total
    return counts


@kernel
def fill_blocks(keys, interval_start, low, high, literal_attribute, most, base, out_list, out_entry):
    """The list and the entry of each posting."""
    size = 0
    for entry in range(len(keys)):
        literal = keys[entry]
        if literal < 0:
            out_list[size], out_entry[size] = 0, entry
            size += 1
            continue
        for i in range(interval_start[literal], interval_start[literal + 1]):
            level = _level(low[i], high[i], most)
            for block in range(low[i] >> level, (high[i] >> level) + 1):
                out_list[size], out_entry[size] = base[literal_attribute[literal], level] + block, entry
                size += 1


@kernel
def _write_set(out, p, literal, attribute, flags, interval_start, low, high):
    begin, end = interval_start[literal], interval_start[literal + 1]
    out[p], out[p + 1] = (attribute[literal] << 4) | flags[literal], end - begin
    p += 2
    for i in range(begin, end):
        out[p], out[p + 1] = low[i], high[i]
        p += 2
    return p


@kernel
def write_literals(chosen, attribute, flags, interval_start, low, high, out, at):
    """Write the words of some literals, one after the other, and the start of each."""
    p = 0
    for i in range(len(chosen)):
        at[i] = p
        p = _write_set(out, p, chosen[i], attribute, flags, interval_start, low, high)


@kernel
def _posting(
    out, numbers, p, entry, is_filed, has_second, entry_start, entry_literals, first, second, payload, entry_flags,
    program, number_of, set_at, attribute, interval_start, low, high, is_point, dry,
):  # fmt: skip
    """Write one posting (`dry`: only measure it).

    Returns where the next begins. Literals that its place in the index implies are left out. Shared literals come
    first, then ranges, then others.
    """
    begin, end = entry_start[entry], entry_start[entry + 1]
    counts = [0, 0]
    q = p + 2
    for kind in range(3):
        for i in range(begin, end):
            literal = entry_literals[i]
            if (i == first[entry] and is_filed and is_point[literal]) or (i == second[entry] and has_second):
                continue
            is_early = i - begin < MOST_LITERALS
            if kind != (0 if is_early and number_of[literal] >= 0 else 1 if is_early and set_at[literal] < 0 else 2):
                continue
            if kind == 0:
                if not dry:
                    numbers[2 * (p + 2) + counts[0]] = number_of[literal]
                counts[0] += 1
            elif kind == 1:
                if not dry:
                    at = interval_start[literal]
                    out[q], out[q + 1], out[q + 2] = attribute[literal], low[at], high[at]
                counts[1] += 1
                q += 3
            else:
                if not dry:
                    out[q] = set_at[literal]
                q += 1
        if kind == 0:
            if counts[0] & 1 and not dry:
                numbers[2 * (p + 2) + counts[0]] = 0
            q += (counts[0] + 1) >> 1
    if program[entry] >= 0:
        if not dry:
            out[q], out[q + 1] = PROGRAM, program[entry]
        q += 2
    if not dry:
        out[p] = payload[entry]
        out[p + 1] = (q - p) | (counts[0] << SHARED) | (counts[1] << RANGES) | (entry_flags[entry] << FLAGS)
    return q


@kernel
def write_lists(
    out, numbers, dry, lists, seconds, second_attribute, entries, list_start, entry_start, entry_literals, first, second,
    payload, entry_flags, program, number_of, set_at, attribute, interval_start, low, high, is_point, attribute_count,
):  # fmt: skip
    """Write all lists (`dry`: only measure them). The postings are sorted by list, then by second key, -1 first.

    `numbers` are the words of `out` as 16-bit numbers.
    """
    p = np.int64(0)
    i = 0
    count = len(lists)
    seen = np.full(attribute_count, -1, np.int64)
    filled = 0
    while i < count:
        current = lists[i]
        while filled <= current:
            list_start[filled] = p
            filled += 1
        begin = p
        j = i
        keys = groups = 0
        previous = np.int64(-1)
        while j < count and lists[j] == current:
            if seconds[j] >= 0:
                if seen[second_attribute[j]] != i:
                    seen[second_attribute[j]] = i
                    keys += 1
                    if not dry:
                        out[begin + 2 + keys] = second_attribute[j]
                if seconds[j] != previous:
                    groups += 1
                    previous = seconds[j]
            j += 1
        bits = 0
        table = begin + 3 + keys
        p = begin + 1
        if keys:
            while 3 * (1 << bits) < 4 * groups + 1:
                bits += 1
            p = table + 2 * (1 << bits)
        if not dry:
            out[begin] = keys
            if keys:
                out[begin + 1] = bits
                for slot in range(1 << bits):
                    out[table + 2 * slot] = -1
        plain = p
        group = np.int64(-1)
        previous = np.int64(-1)
        for k in range(i, j):
            if seconds[k] != previous:
                if not dry:
                    if previous < 0:
                        out[begin + 2] = p - plain
                    slot = slot_of(seconds[k], bits)
                    while out[table + 2 * slot] >= 0:
                        slot = (slot + 1) & ((1 << bits) - 1)
                    out[table + 2 * slot], out[table + 2 * slot + 1] = seconds[k], p - begin
                    out[p] = number_of[entry_literals[second[entries[k]]]]
                previous = seconds[k]
                group = p
                p += 2
            p = _posting(
                out, numbers, p, entries[k], current > 0, seconds[k] >= 0, entry_start, entry_literals, first, second,
                payload, entry_flags, program, number_of, set_at, attribute, interval_start, low, high, is_point, dry,
            )  # fmt: skip
            if group >= 0 and not dry:
                out[group + 1] = p - group
        i = j
    while filled < len(list_start):
        list_start[filled] = p
        filled += 1
    return p

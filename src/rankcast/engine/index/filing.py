# mypy: allow-untyped-defs, no-check-untyped-defs, allow-untyped-calls
"""Kernels that file entries: they choose the key literal of each entry and write its words."""

import numpy as np

from rankcast.compiling import kernel
from rankcast.engine.index.singles import slot_of
from rankcast.engine.index.words import FLAGS, LENGTH, MOST_LITERALS, PROGRAM, RANGES, SHARED


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
def choose_runs(
    entries, lists, seconds, entry_start, entry_literals, first, second, number_of, ranges, count, is_point
):  # fmt: skip
    """The run of each posting: the rarest shared range besides its keys, or else a first key that its list only implies
    roughly, because it is no point; `count` for none.
    """
    runs = np.full(len(entries), count, np.int64)
    for k in range(len(entries)):
        entry = entries[k]
        for i in range(entry_start[entry], min(entry_start[entry + 1], entry_start[entry] + MOST_LITERALS)):
            number = number_of[entry_literals[i]]
            is_key = i == first[entry] and lists[k] > 0
            if not 0 <= number < ranges or (is_key and is_point[entry_literals[i]]):
                continue
            if i == second[entry] and seconds[k] >= 0:
                continue
            if runs[k] == count or not is_key:
                runs[k] = number
            if not is_key:
                break
    return runs


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
    out, numbers, p, entry, is_filed, has_second, run, entry_start, entry_literals, first, second, payload, entry_flags,
    program, number_of, set_at, attribute, interval_start, low, high, is_point, dry,
):  # fmt: skip
    """Write one posting (`dry`: only measure it).

    Returns where the next begins. Literals that its place in the index or its run implies are left out. Shared literals
    come first, then ranges, then others.
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
            if is_early and number_of[literal] == run:
                continue
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
def _span(
    out, numbers, p, i, j, lists, seconds, runs, entries, entry_start, entry_literals, first, second, payload,
    entry_flags, program, number_of, set_at, attribute, interval_start, low, high, is_point, length, dry,
):  # fmt: skip
    """Write the postings from `i` up to but excluding `j` as one span (`dry`: only measure them).

    Returns where the next words begin. A run that is too long for its head becomes several.
    """
    heads, room = 0, np.int64(0)
    for k in range(i, j):
        if dry:
            length[k] = _posting(
                out, numbers, np.int64(0), entries[k], lists[k] > 0, seconds[k] >= 0, runs[k], entry_start,
                entry_literals, first, second, payload, entry_flags, program, number_of, set_at, attribute,
                interval_start, low, high, is_point, True,
            )  # fmt: skip
        if k == i or runs[k] != runs[k - 1] or room + length[k] > LENGTH:
            heads, room = heads + 1, 0
        room += length[k]
    q, head = p + 1 + heads, p
    if not dry:
        out[p] = heads
    for k in range(i, j):
        if dry:
            q += length[k]
            continue
        if k == i or runs[k] != runs[k - 1] or room + length[k] > LENGTH:
            head, room = head + 1, 0
            numbers[2 * head] = runs[k]
        room += length[k]
        numbers[2 * head + 1] = room
        q = _posting(
            out, numbers, q, entries[k], lists[k] > 0, seconds[k] >= 0, runs[k], entry_start, entry_literals, first,
            second, payload, entry_flags, program, number_of, set_at, attribute, interval_start, low, high, is_point,
            False,
        )  # fmt: skip
    return q


@kernel
def write_lists(
    out, numbers, dry, lists, seconds, second_attribute, runs, entries, list_start, entry_start, entry_literals, first, second,
    payload, entry_flags, program, number_of, set_at, attribute, interval_start, low, high, is_point, attribute_count,
    length,
):  # fmt: skip
    """Write all lists (`dry`: only measure them, and each posting into `length`).

    The postings are sorted by list, then by second key, -1 first, then by run. `numbers` are the words of `out` as
    16-bit numbers.
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
                out[begin + 1], out[begin + 2] = bits, 0
                for slot in range(1 << bits):
                    out[table + 2 * slot] = -1
        plain = p
        while i < j:
            stop = i + 1
            while stop < j and seconds[stop] == seconds[i]:
                stop += 1
            group = p
            if seconds[i] >= 0:
                if not dry:
                    slot = slot_of(seconds[i], bits)
                    while out[table + 2 * slot] >= 0:
                        slot = (slot + 1) & ((1 << bits) - 1)
                    out[table + 2 * slot], out[table + 2 * slot + 1] = seconds[i], p - begin
                    out[p] = number_of[entry_literals[second[entries[i]]]]
                p += 2
            p = _span(
                out, numbers, p, i, stop, lists, seconds, runs, entries, entry_start, entry_literals, first, second,
                payload, entry_flags, program, number_of, set_at, attribute, interval_start, low, high, is_point, length,
                dry,
            )  # fmt: skip
            if not dry and seconds[i] >= 0:
                out[group + 1] = p - group
            elif not dry and keys:
                out[begin + 2] = p - plain
            i = stop
    while filled < len(list_start):
        list_start[filled] = p
        filled += 1
    return p

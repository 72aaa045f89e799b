# mypy: allow-untyped-defs, no-check-untyped-defs, allow-untyped-calls
"""The search for a block of events together: a set of events is a mask of bits.

Each shared literal is decided once for the block. A posting is then a few masks that are combined, whatever the number
of events, and a list or a group that no event needs is left out as a whole.
"""

import numpy as np
from numba.cpython.unsafe.numbers import trailing_zeros

from rankcast.compiling import kernel
from rankcast.engine.index.holding import MISSING, best_score, noted, rest_holds
from rankcast.engine.index.words import FLAGS, GROUP, LENGTH, MOST_LITERALS, NEGATED, RANGES, SHARED, SPLIT, VAGUE

BLOCK = 256
"""The most events that are searched for together: four words of bits."""

_ONE, _ZERO = np.uint64(1), np.uint64(0)


@kernel
def _include(masks, row, event):
    masks[row, event >> 6] |= _ONE << np.uint64(event & 63)


@kernel
def _encode_block(event_start, attribute, low, high, first, last, attributes):
    """The events as rows, their distinct codes by attribute, and the events that have each of them.

    Returns the rows (see `holding`), whether each event has several values, and the codes: where those of each
    attribute begin, the codes in order, the masks of their events, whether some event has several of the attribute,
    and the imprecise values with their events.
    """
    ends = np.empty((BLOCK, attributes, 2), np.int32)
    ends[:, :, 0], ends[:, :, 1] = MISSING, -1
    counts, begins = np.ones((BLOCK, attributes), np.int32), np.empty((BLOCK, attributes), np.int64)
    several, is_mixed = np.zeros(BLOCK, np.bool_), np.zeros(attributes, np.bool_)
    origin, total = event_start[first], event_start[last] - event_start[first]
    owner = np.empty(total, np.int32)
    start = np.zeros(attributes + 1, np.int64)
    soft_values = 0
    for event in range(first, last):
        v, e = event_start[event], event - first
        while v < event_start[event + 1]:
            a, begin = attribute[v], v
            owner[v - origin] = e
            while v + 1 < event_start[event + 1] and attribute[v + 1] == a:
                v += 1
                owner[v - origin] = e
            ends[e, a, 0], ends[e, a, 1], begins[e, a] = low[begin], high[v], begin
            if low[begin] != high[begin]:
                counts[e, a] = 0
                soft_values += 1
            else:
                counts[e, a] = v - begin + 1
                start[a + 1] += v - begin + 1
                if v > begin:
                    several[e] = is_mixed[a] = True
            v += 1
    soft = np.empty((soft_values, 2), np.int64)
    soft_values = 0
    start = np.cumsum(start)
    filled = start.copy()
    keys = np.empty(start[attributes], np.int64)
    for i in range(total):
        if low[origin + i] != high[origin + i]:
            soft[soft_values, 0], soft[soft_values, 1] = origin + i, owner[i]
            soft_values += 1
            continue
        a = attribute[origin + i]
        keys[filled[a]] = np.int64(low[origin + i]) << 32 | owner[i]
        filled[a] += 1
    # Equal codes become one, with the mask of their events.
    point = np.zeros((len(keys), 4), np.uint64)
    code = np.empty(len(keys), np.int32)
    distinct = np.empty(attributes + 1, np.int64)
    size = -1
    for a in range(attributes):
        distinct[a] = size + 1
        if start[a] < start[a + 1]:
            mine = keys[start[a] : start[a + 1]]
            mine.sort()
            previous = np.int64(-1)
            for key in mine:
                if key >> 32 != previous:
                    previous = key >> 32
                    size += 1
                    code[size] = previous
                e = key & 0xFFFFFFFF
                point[size, e >> 6] |= _ONE << np.uint64(e & 63)
    distinct[attributes] = size + 1
    return ends, counts, begins, several, distinct, code, point, is_mixed, soft


@kernel
def _add_range(out, row, a, b, i, stop, upto, of, code, point, is_mixed, soft, attribute, low, high):
    """Add the events with a code from `a` to `b` to a mask; codes before place `i` are lower.

    `upto` has the mask of all events before each place, which is enough if no event has several values.
    """
    j = _lower(code, b + 1, i, stop)
    if not is_mixed[of]:
        for w in range(4):
            out[row, w] |= upto[j + of, w] ^ upto[i + of, w]
    else:
        for k in range(i, j):
            for w in range(4):
                out[row, w] |= point[k, w]
    for s in range(len(soft)):
        v = soft[s, 0]
        if attribute[v] == of and a <= high[v] and b >= low[v]:
            _include(out, row, soft[s, 1])


@kernel
def _lower(code, a, i, stop):
    """The first place from `i` on with a code of at least `a`."""
    while i < stop:
        middle = (i + stop) >> 1
        if code[middle] < a:
            i = middle + 1
        else:
            stop = middle
    return i


@kernel
def _decide(literals, literal_start, set_words, everyone, distinct, code, point, is_mixed, soft, attribute, low, high):
    """The mask of each shared literal: the events for which it holds; then one of all events."""
    masks = np.zeros((literals.shape[1] + 1, 4), np.uint64)
    masks[literals.shape[1]] = everyone[0]
    upto = np.zeros((len(code) + len(literal_start), 4), np.uint64)  # a row more for each attribute
    for a in range(len(literal_start) - 1):
        begin, stop = distinct[a], distinct[a + 1]
        for i in range(begin, stop):
            for w in range(4):
                upto[i + 1 + a, w] = upto[i + a, w] | point[i, w]
        i = begin
        is_plain = not is_mixed[a] and not len(soft)
        for number in range(literal_start[a], literal_start[a + 1]):
            while i < stop and code[i] < literals[0, number]:  # the literals are sorted
                i += 1
            if not is_plain:
                _add_range(
                    masks, number, literals[0, number], literals[1, number], i, stop, upto, a, code, point, is_mixed,
                    soft, attribute, low, high,
                )  # fmt: skip
                continue
            j, beyond = i, stop
            while j < beyond:
                middle = (j + beyond) >> 1
                if code[middle] <= literals[1, number]:
                    j = middle + 1
                else:
                    beyond = middle
            for w in range(4):
                masks[number, w] = upto[j + a, w] ^ upto[i + a, w]
    for number in range(literal_start[len(literal_start) - 1], literals.shape[1]):
        p = literals[0, number]
        a = set_words[p] >> 4
        for k in range(p + 2, p + 2 + 2 * set_words[p + 1], 2):
            at = _lower(code, set_words[k], distinct[a], distinct[a + 1])
            _add_range(
                masks, number, set_words[k], set_words[k + 1], at, distinct[a + 1], upto, a, code, point, is_mixed, soft,
                attribute, low, high,
            )  # fmt: skip
        if set_words[p] & NEGATED:
            for w in range(4):
                masks[number, w] = everyone[0, w] & ~masks[number, w]
        if set_words[p] & (VAGUE | NEGATED):
            for s in range(len(soft)):
                if attribute[soft[s, 0]] == a:
                    _include(masks, number, soft[s, 1])
    return masks


@kernel
def search_block(
    words, numbers, literals, instructions, set_words, group_ends, scored, lists, level_start, level, literal_start,
    event_start, attribute, low, high, is_soft, first, last, least, out_event, out_item, size,
):  # fmt: skip
    """Search for the events from `first` up to but excluding `last`, at most BLOCK, together.

    Returns the new size (-1 if there is no room), and whether a result may have flags.
    """
    is_marked = False
    attributes = len(level_start) - 1
    ends, counts, begins, several, distinct, code, point, is_mixed, soft = _encode_block(
        event_start, attribute, low, high, first, last, attributes
    )
    everyone, touched = np.zeros((1, 4), np.uint64), np.zeros((1, 4), np.uint64)
    for e in range(last - first):
        _include(everyone, 0, e)
    masks = _decide(
        literals, literal_start, set_words, everyone, distinct, code, point, is_mixed, soft, attribute, low, high
    )  # fmt: skip
    is_plain = not (several.any() or is_soft[first:last].any())
    for a in range(-1, attributes):  # the list for all events comes first
        for i in range(0 if a < 0 else level_start[a], 1 if a < 0 else level_start[a + 1]):
            shift, base, at, stop = np.int32(0), np.int64(0), np.int64(0), np.int64(1)
            next_soft = np.int64(-1)
            if a >= 0:
                shift, base, at, stop = level[i, 0], np.int64(level[i, 1]), distinct[a], distinct[a + 1]
                next_soft = _next_soft(soft, attribute, low, high, a, shift, 0) if len(soft) else next_soft
            while at < stop or next_soft >= 0:
                block = np.int64(0)
                if a < 0:
                    touched[0] = everyone[0]
                    at += 1
                else:
                    # The next block that some value touches, and the events that touch it.
                    block = np.int64(code[at]) >> shift if at < stop else next_soft
                    if 0 <= next_soft < block:
                        block = next_soft
                    touched[0, 0] = touched[0, 1] = touched[0, 2] = touched[0, 3] = _ZERO
                    while at < stop and code[at] >> shift == block:
                        for w in range(4):
                            touched[0, w] |= point[at, w]
                        at += 1
                    if next_soft >= 0:
                        for s in range(len(soft)):
                            v = soft[s, 0]
                            if attribute[v] == a and low[v] >> shift <= block <= high[v] >> shift:
                                _include(touched, 0, soft[s, 1])
                        next_soft = _next_soft(soft, attribute, low, high, a, shift, block + 1)
                begin, end = lists[base + block], lists[base + block + 1]
                if begin == end:
                    continue
                # The parts of the list: the plain postings, then the groups that some event needs.
                p, part_end = begin + 1, end
                if words[begin] > 0:
                    p = begin + 3 + words[begin] + 2 * (1 << words[begin + 1])
                    part_end = p + words[begin + 2]
                m0, m1, m2, m3 = touched[0, 0], touched[0, 1], touched[0, 2], touched[0, 3]
                while True:
                    at_run = np.int64(part_end)
                    head = last_head = p + 1
                    if p < part_end:
                        last_head += words[p]
                        at_run = np.int64(last_head)
                    while head < last_head:
                        number = numbers[2 * head]
                        r0, r1, r2, r3 = (
                            m0 & masks[number, 0], m1 & masks[number, 1], m2 & masks[number, 2], m3 & masks[number, 3],
                        )  # fmt: skip
                        p = at_run
                        at_run += numbers[2 * head + 1]
                        head += 1
                        if (r0 | r1 | r2 | r3) == _ZERO:
                            continue
                        while p < at_run:
                            info = words[p + 1]
                            if least > 0 and best_score(words[p], info, group_ends, scored) < least:  # best come first
                                break
                            shared = (info >> SHARED) & MOST_LITERALS
                            a0, a1, a2, a3 = r0, r1, r2, r3
                            for k in range(np.uint64(2 * p + 4), np.uint64(2 * p + 4 + shared)):
                                number = numbers[k]
                                a0 &= masks[number, 0]
                                a1 &= masks[number, 1]
                                a2 &= masks[number, 2]
                                a3 &= masks[number, 3]
                                if (a0 | a1 | a2 | a3) == _ZERO:
                                    break
                            following = p + (info & LENGTH)
                            if (a0 | a1 | a2 | a3) != _ZERO:
                                q = p + 2 + ((shared + 1) >> 1)
                                ranges = (info >> RANGES) & MOST_LITERALS
                                is_simple = is_plain and info >> FLAGS & ~SPLIT == 0
                                for w in range(4):
                                    left = a0 if w == 0 else a1 if w == 1 else a2 if w == 2 else a3
                                    while left != _ZERO:
                                        e = 64 * w + np.int64(trailing_zeros(left))
                                        left &= left - _ONE
                                        good = True
                                        for r in range(q, q + 3 * ranges, 3):
                                            of = words[r]
                                            if words[r + 1] > ends[e, of, 1] or words[r + 2] < ends[e, of, 0]:
                                                good = False
                                                break
                                        if good and (q + 3 * ranges < following or (several[e] and ranges > 0)):
                                            good = rest_holds(
                                                words, q, ranges, following, instructions, set_words, e, ends, counts, begins,
                                                low, is_soft[first + e],
                                            )  # fmt: skip
                                        if not good:
                                            continue
                                        if is_simple and size < len(out_item):
                                            out_event[size], out_item[size] = first + e, words[p]
                                            size += 1
                                        else:
                                            is_marked |= not is_plain or (info >> FLAGS) & ~(GROUP | SPLIT) != 0
                                            size = noted(
                                                first + e, words[p], info, is_soft[first + e], several[e], group_ends,
                                                out_event, out_item, size,
                                            )  # fmt: skip
                                            if size < 0:
                                                return size, is_marked
                            p = following
                    p = part_end
                    m0 = m1 = m2 = m3 = _ZERO
                    while p < end and (m0 | m1 | m2 | m3) == _ZERO:
                        number = words[p]
                        m0 = touched[0, 0] & masks[number, 0]
                        m1 = touched[0, 1] & masks[number, 1]
                        m2 = touched[0, 2] & masks[number, 2]
                        m3 = touched[0, 3] & masks[number, 3]
                        part_end = p + words[p + 1]
                        p = p + 2 if (m0 | m1 | m2 | m3) != _ZERO else part_end
                    if (m0 | m1 | m2 | m3) == _ZERO:
                        break
    return size, is_marked


@kernel
def _next_soft(soft, attribute, low, high, of, shift, block):
    """The first block from `block` on that an imprecise value of the attribute touches; -1 if there is none."""
    found = np.int64(-1)
    for s in range(len(soft)):
        v = soft[s, 0]
        if attribute[v] == of and high[v] >> shift >= block:
            begin = max(np.int64(block), np.int64(low[v] >> shift))
            if found < 0 or begin < found:
                found = begin
    return found

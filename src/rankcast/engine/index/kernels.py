# mypy: allow-untyped-defs, no-check-untyped-defs, allow-untyped-calls
"""The matching kernel: events as codes in, candidates out (see `words` for the data that it reads)."""

import numpy as np

from rankcast.compiling import kernel
from rankcast.engine.index.words import (
    ACCEPT,
    CHECK,
    CHECKED,
    FLAGS,
    GROUP,
    LENGTH,
    MOST_RANGES,
    NEGATED,
    PROGRAM,
    RANGES,
    REPEAT,
    REPEATED,
    SPLIT,
    VAGUE,
)

__all__ = ["BLOCK", "match_events"]

BLOCK = 256
"""The number of events that are matched together, so that their common data is read from memory once."""

MISSING = np.iinfo(np.int32).max
"""The lowest code of an attribute that the event lacks; its highest code is -1."""


@kernel
def _has(a, b, first, last, count, begin, low):
    """Whether one of `count` values lies in `a` to `b`; the values lie between `first` and `last`."""
    if a > last or b < first:
        return False
    if count <= 1:
        return True
    for v in range(begin, begin + count):  # noqa: SIM110  # generators do not compile
        if a <= low[v] <= b:
            return True
    return False


@kernel
def _holds(words, p, ends, counts, begins, low):
    """Whether the set at word `p` contains a value of the event (or none, if the literal is negated)."""
    head = words[p]
    attribute = head >> 4
    count = counts[attribute]
    if count == 0 and head & (VAGUE | NEGATED):
        return True
    found = False
    for i in range(words[p + 1]):
        a, b = words[p + 2 + 2 * i], words[p + 3 + 2 * i]
        if _has(a, b, ends[attribute, 0], ends[attribute, 1], count, begins[attribute], low):
            found = True
            break
    return found != (head & NEGATED != 0)


@kernel
def _runs(instructions, program_words, at, ends, counts, begins, low):
    """Whether a program accepts."""
    while at >= 0:
        if _holds(program_words, instructions[at, 0], ends, counts, begins, low):
            at = instructions[at, 1]
        else:
            at = instructions[at, 2]
    return at == ACCEPT


@kernel
def _rest_holds(words, p, q, stop, instructions, program_words, ends, counts, begins, low, soft, several):
    """Whether the literals from `q` on of the posting at `p` hold.

    The ranges before `q` already meet the event's codes. With `several` values in some attribute, also checks that
    the ranges contain one of them.
    """
    if several:
        for r in range(p + 3, q, 3):
            a = words[r]
            if not _has(words[r + 1], words[r + 2], ends[a, 0], ends[a, 1], counts[a], begins[a], low):
                return False
    while q < stop:
        if words[q] == PROGRAM:
            if not soft and not _runs(instructions, program_words, words[q + 1], ends, counts, begins, low):
                return False
            q += 2
        else:
            if not _holds(words, q, ends, counts, begins, low):
                return False
            q += 2 + 2 * words[q + 1]
    return True


@kernel
def _probe(words, begin, key):
    """The slot of a second key in the table of the list at `begin`; -1 if it is not there."""
    table = begin + 3 + words[begin]
    mask = (1 << words[begin + 1]) - 1
    slot = (key * 0x9E3779B1 >> 7) & mask
    while True:
        at = table + 3 * slot
        if words[at] == key:
            return at
        if words[at] < 0:
            return -1
        slot = (slot + 1) & mask


@kernel
def _add_spans(spans, count, words, begin, stop, event, level_start, levels, ends, counts, begins, low, soft):
    """Append the spans of one list that may hold the event's postings.

    These are all of a short list; in a long one, those without a second key and those with a second key of the event.
    Returns the spans, possibly grown, and their number.
    """
    if count + 2 > len(spans):
        spans = _wider(spans)
    keys = words[begin]
    if keys == 0:
        spans[count, 0], spans[count, 1], spans[count, 2] = begin + 1, stop, event
        return spans, count + 1
    plain = begin + 3 + keys + 3 * (1 << words[begin + 1])
    if soft:
        spans[count, 0], spans[count, 1], spans[count, 2] = plain, stop, event
        return spans, count + 1
    if words[begin + 2]:
        spans[count, 0], spans[count, 1], spans[count, 2] = plain, plain + words[begin + 2], event
        count += 1
    for d in range(keys):
        second = words[begin + 3 + d]
        if ends[second, 1] < 0:
            continue
        base = levels[level_start[second], 1]
        for u in range(begins[second], begins[second] + counts[second]):
            found = _probe(words, begin, base + low[u])
            if found >= 0:
                if count == len(spans):
                    spans = _wider(spans)
                spans[count, 0], spans[count, 1] = begin + words[found + 1], begin + words[found + 2]
                spans[count, 2] = event
                count += 1
    return spans, count


@kernel
def _wider(spans):
    wider = np.empty((2 * len(spans), 3), np.int64)
    wider[: len(spans)] = spans
    return wider


@kernel
def match_events(
    words, list_start, level_start, levels, instructions, program_words, group_ends,
    event_start, attribute, low, high, event_soft, start, least, out_event, out_item,
):  # fmt: skip
    """Find candidates of the events from `start` on, with at least this score.

    Writes their place, and the subscription's turn with the flags CHECK and REPEAT.

    Stops before the first block of events that does not fit. Returns its first event and the number of candidates
    written.
    """
    attributes = len(level_start) - 1
    # For each event of a block and each attribute: lowest and highest code, number of values (0: imprecise, any code
    # between may be meant), and where they begin.
    ends = np.empty((BLOCK, attributes, 2), np.int32)
    counts = np.empty((BLOCK, attributes), np.int32)
    begins = np.empty((BLOCK, attributes), np.int64)
    several = np.empty(BLOCK, np.bool_)
    per_attribute = np.empty(attributes + 1, np.int64)
    spans = np.empty((4 * BLOCK, 3), np.int64)
    size, capacity = 0, len(out_item)
    for first in range(start, len(event_start) - 1, BLOCK):
        before = size
        last = min(first + BLOCK, len(event_start) - 1)
        ends[:, :, 0], ends[:, :, 1] = MISSING, -1
        counts[:], several[:], per_attribute[:] = 1, False, 0
        for event in range(first, last):
            v = event_start[event]
            while v < event_start[event + 1]:
                a, e, begin = attribute[v], event - first, v
                while v + 1 < event_start[event + 1] and attribute[v + 1] == a:
                    v += 1
                ends[e, a, 0], ends[e, a, 1], begins[e, a] = low[begin], high[v], begin
                counts[e, a] = v - begin + 1 if low[begin] == high[begin] else 0
                several[e] |= v > begin
                per_attribute[a + 1] += v - begin + 1
                v += 1
        # The values of the block by attribute and then by code, so that those of one list are adjacent.
        for a in range(attributes):
            per_attribute[a + 1] += per_attribute[a]
        values = np.empty((per_attribute[attributes], 2), np.int64)
        filled = per_attribute.copy()
        for event in range(first, last):
            for v in range(event_start[event], event_start[event + 1]):
                values[filled[attribute[v]], 0], values[filled[attribute[v]], 1] = v, event - first
                filled[attribute[v]] += 1
        for a in range(-1, attributes):
            count = 0
            if a < 0:
                if list_start[1] > 0:
                    for e in range(last - first):
                        spans, count = _add_spans(
                            spans, count, words, list_start[0], list_start[1], e, level_start, levels, ends[e], counts[e],
                            begins[e], low, event_soft[first + e],
                        )  # fmt: skip
            elif per_attribute[a] < per_attribute[a + 1]:
                mine = values[per_attribute[a] : per_attribute[a + 1]]
                order = np.argsort(low[mine[:, 0]])
                for i in range(level_start[a], level_start[a + 1]):
                    level, base = levels[i, 0], np.int64(levels[i, 1])
                    for o in order:
                        v, e = mine[o, 0], mine[o, 1]
                        block = low[v] >> level
                        if v > begins[e, a] and low[v - 1] >> level == block:
                            continue  # seen with the previous value
                        for at in range(base + block, base + (high[v] >> level) + 1):
                            if list_start[at] < list_start[at + 1]:
                                spans, count = _add_spans(
                                    spans, count, words, list_start[at], list_start[at + 1], e, level_start, levels,
                                    ends[e], counts[e], begins[e], low, event_soft[first + e],
                                )  # fmt: skip
            for s in range(count):
                p, stop, e = spans[s, 0], spans[s, 1], spans[s, 2]
                while p < stop and words[p + 2] >= least:  # the best come first
                    info = words[p + 1]
                    q = p + 3
                    ranges_end = q + 3 * ((info >> RANGES) & MOST_RANGES)
                    good = True
                    while q < ranges_end:
                        r = words[q]
                        good = (words[q + 1] <= ends[e, r, 1]) & (words[q + 2] >= ends[e, r, 0])
                        q += 3
                        if not good:
                            break
                    following = p + (info & LENGTH)
                    if good:
                        soft = event_soft[first + e]
                        if q < following or several[e]:
                            good = _rest_holds(
                                words, p, q, following, instructions, program_words, ends[e], counts[e], begins[e], low,
                                soft, several[e],
                            )  # fmt: skip
                    if good:
                        flags = info >> FLAGS
                        mark = np.int32(0)
                        if soft or flags & CHECKED:
                            mark |= CHECK
                        if flags & REPEATED or (flags & SPLIT and (soft or several[e])):
                            mark |= REPEAT
                        if flags & GROUP:
                            member, members = group_ends[words[p], 0], group_ends[words[p], 1]
                            if size + members - member > capacity:
                                return first, before
                            while member < members:
                                out_event[size], out_item[size] = first + e, member | mark
                                size += 1
                                member += 1
                        else:
                            if size == capacity:
                                return first, before
                            out_event[size], out_item[size] = first + e, words[p] | mark
                            size += 1
                    p = following
    return len(event_start) - 1, size

# mypy: allow-untyped-defs, no-check-untyped-defs, allow-untyped-calls
"""The search for one event: its lists, and in each the postings that its second keys lead to.

Loops that run often count with unsigned numbers: numba looks whether a signed index is negative.
"""

import numpy as np
from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.extending import intrinsic
from numba.np.arrayobj import make_array

from rankcast.compiling import kernel
from rankcast.engine.index.holding import MISSING, best_score, holds, lies_in, noted, rest_holds
from rankcast.engine.index.words import FLAGS, GROUP, LENGTH, MOST_LITERALS, RANGES, SHARED, SPLIT

__all__ = ["search_events", "slot_of", "workspace"]

_AHEAD = 6
"""So many runs before a run is searched, its first words are asked for."""


@intrinsic
def _prefetch(typing, array, at):
    """Ask for a word of an array before it is needed, so that the search need not wait for memory."""

    def made(context, builder, signature, arguments):
        data = make_array(signature.args[0])(context, builder, arguments[0]).data
        place = builder.bitcast(builder.gep(data, [arguments[1]]), cgutils.voidptr_t)
        number = ir.IntType(32)
        kind = ir.FunctionType(ir.VoidType(), [cgutils.voidptr_t, number, number, number])
        asked = cgutils.get_or_insert_function(builder.module, kind, "llvm.prefetch.p0")
        builder.call(asked, [place, number(0), number(3), number(1)])
        return context.get_dummy_value()

    return types.void(array, types.int64), made


@kernel
def slot_of(key, bits):
    """The first slot for a second key in a table of 2 ** `bits` slots."""
    return (key * 0x9E3779B1 >> 7) & ((1 << bits) - 1)


@kernel
def workspace(attributes, shared):
    """What the search for one event writes: ends, counts, begins, truth of shared ranges, spans, runs."""
    ends = np.empty((1, attributes, 2), np.int32)
    ends[0, :, 0], ends[0, :, 1] = MISSING, -1
    counts, begins = np.ones((1, attributes), np.int32), np.empty((1, attributes), np.int64)
    is_true = np.zeros(shared + 1, np.bool_)
    is_true[shared] = True
    return ends, counts, begins, is_true, np.empty(256, np.int64), np.empty((512, 2), np.int64)


@kernel
def search_events(
    words, numbers, literals, instructions, set_words, group_ends, scored, lists, level_start, level, literal_start,
    event_start, attribute, low, high, is_soft, first, last, least, out_event, out_item, size,
    ends, counts, begins, is_true, spans, chosen,
):  # fmt: skip
    """Search for the events from `first` up to but excluding `last`, one at a time.

    Returns the new size (-1 if there is no room), and whether a result may have flags. The last six arrays are those
    of `workspace`, and are left as they were given.
    """
    is_marked = False
    sets = literal_start[len(level_start) - 1]
    room = len(spans)
    for event in range(first, last):
        several, soft = False, is_soft[event]
        v = event_start[event]
        while v < event_start[event + 1]:
            a, begin = attribute[v], v
            while v + 1 < event_start[event + 1] and attribute[v + 1] == a:
                v += 1
            ends[0, a, 0], ends[0, a, 1], begins[0, a] = low[begin], high[v], begin
            counts[0, a] = v - begin + 1 if low[begin] == high[begin] else 0
            several |= v > begin
            # The shared ranges that hold, decided in a loop over arrays.
            if v == begin:
                lowest, highest = low[v], high[v]
                for number in range(np.uint64(literal_start[a]), np.uint64(literal_start[a + 1])):
                    is_true[number] = (literals[0, number] <= highest) & (literals[1, number] >= lowest)
            else:
                for number in range(literal_start[a], literal_start[a + 1]):
                    is_true[number] = lies_in(literals[0, number], literals[1, number], 0, a, ends, counts, begins, low)
            v += 1
        # The spans that the event must try. Those of the list for all events come first.
        while True:
            count = 0
            for v in range(event_start[event] - 1, event_start[event + 1]):
                is_all = v < event_start[event]
                a = np.int32(-1) if is_all else attribute[v]
                for i in range(0 if is_all else level_start[a], 1 if is_all else level_start[a + 1]):
                    at, block_end = np.int64(0), np.int64(0)
                    if not is_all:
                        shift, base = level[i, 0], np.int64(level[i, 1])
                        block = low[v] >> shift
                        if v > begins[0, a] and low[v - 1] >> shift == block:
                            continue  # seen with the previous value
                        at, block_end = base + block, base + (high[v] >> shift)
                    while at <= block_end:
                        begin, stop = lists[at], lists[at + 1]
                        at += 1
                        if begin == stop:
                            continue
                        keys = words[begin]
                        table = begin + 3 + keys
                        mask = (1 << words[begin + 1]) - 1
                        p = begin + 1 if keys == 0 else table + 2 * (mask + 1)
                        if keys == 0 or words[begin + 2] > 0:
                            if count < room:
                                spans[count] = p
                            count += 1
                        if keys > 0 and soft:
                            p += words[begin + 2]
                            while p < stop:
                                if count < room:
                                    spans[count] = p + 2
                                count += 1
                                p += words[p + 1]
                            continue
                        for d in range(begin + 3, begin + 3 + keys):
                            second = words[d]
                            if ends[0, second, 1] < 0:
                                continue
                            first_list = np.int64(level[level_start[second], 1])
                            for u in range(begins[0, second], begins[0, second] + counts[0, second]):
                                key = first_list + low[u]
                                slot = (key * 0x9E3779B1 >> 7) & mask
                                while words[table + 2 * slot] != key and words[table + 2 * slot] >= 0:
                                    slot = (slot + 1) & mask
                                if words[table + 2 * slot] >= 0:
                                    if count < room:
                                        spans[count] = begin + words[table + 2 * slot + 1] + 2
                                        _prefetch(words, spans[count])
                                    count += 1
            if count <= room:
                break
            room = 2 * count
            spans = np.empty(room, np.int64)
        s, head, last_head, at = np.int64(0), np.int64(0), np.int64(0), np.int64(0)
        while size >= 0 and (s < count or head < last_head):
            # The runs whose range holds, without a branch that is hard to predict.
            runs = np.int64(0)
            while runs < len(chosen) and (s < count or head < last_head):
                if head >= last_head:
                    head = spans[s] + 1
                    at = last_head = head + np.int64(words[head - 1])
                    s += 1
                stop_head = min(last_head, head + len(chosen) - runs)
                for h in range(np.uint64(head), np.uint64(stop_head)):
                    chosen[runs, 0] = at
                    at += numbers[2 * h + 1]
                    chosen[runs, 1] = at
                    runs += is_true[numbers[2 * h]]
                head = stop_head
            for run in range(runs):
                p, stop = chosen[run, 0], chosen[run, 1]
                if run + _AHEAD < runs:
                    _prefetch(words, chosen[run + _AHEAD, 0])
                while p < stop:
                    info = words[p + 1]
                    if least > 0 and best_score(words[p], info, group_ends, scored) < least:  # the best come first
                        break
                    shared = (info >> SHARED) & MOST_LITERALS
                    good = True
                    for k in range(np.uint64(2 * p + 4), np.uint64(2 * p + 4 + shared)):
                        number = numbers[k]
                        if number < sets:
                            good = is_true[number]
                        else:
                            good = holds(set_words, literals[0, number], 0, ends, counts, begins, low)
                        if not good:
                            break
                    following = p + (info & LENGTH)
                    if good:
                        q = p + 2 + ((shared + 1) >> 1)
                        ranges = (info >> RANGES) & MOST_LITERALS
                        if q < following:
                            for r in range(q, q + 3 * ranges, 3):
                                a = words[r]
                                if words[r + 1] > ends[0, a, 1] or words[r + 2] < ends[0, a, 0]:
                                    good = False
                                    break
                            if good and (several or q + 3 * ranges < following):
                                good = rest_holds(
                                    words, q, ranges, following, instructions, set_words, 0, ends, counts, begins,
                                    low, soft,
                                )  # fmt: skip
                    if good:
                        if not (info >> FLAGS & ~SPLIT or soft or several) and size < len(out_item):
                            out_event[size], out_item[size] = event, words[p]
                            size += 1
                        else:
                            is_marked |= soft or several or (info >> FLAGS) & ~(GROUP | SPLIT) != 0
                            size = noted(event, words[p], info, soft, several, group_ends, out_event, out_item, size)
                            if size < 0:
                                break
                    p = following
                if size < 0:
                    break
        for v in range(event_start[event], event_start[event + 1]):
            a = attribute[v]
            ends[0, a, 0], ends[0, a, 1], counts[0, a] = MISSING, -1, 1
            for number in range(np.uint64(literal_start[a]), np.uint64(literal_start[a + 1])):
                is_true[number] = False
        if size < 0:
            break
    return size, is_marked

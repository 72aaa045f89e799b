# mypy: allow-untyped-defs, no-check-untyped-defs, allow-untyped-calls
"""The search for one event: its lists, and in each the postings that its second keys lead to.

Loops that run often read arrays through pointers, and what passes their first test is written down without a branch,
because a branch that depends on the event is hard to predict.
"""

import numpy as np
from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.core.errors import TypingError
from numba.extending import intrinsic
from numba.np.arrayobj import make_array

from rankcast.compiling import kernel, kernel_part
from rankcast.engine.index.holding import MISSING, best_score, holds, lies_in, noted, rest_holds
from rankcast.engine.index.words import FLAGS, GROUP, LENGTH, MOST_LITERALS, RANGES, SHARED, SPLIT

MOST = 256
"""The most lists, spans, runs or postings that the search writes down before it goes on (of the first two, at first)."""

_NONE, _ONE = np.uint64(0), np.uint64(1)

_AHEAD = np.uint64(6)
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


@intrinsic
def _pointer(typing, array):
    """A pointer to the data of an array: numba neither counts its users nor looks whether an index is negative."""
    if array.layout != "C":
        raise TypingError(f"the rows of {array} do not follow each other")

    def made(context, builder, signature, arguments):
        return make_array(signature.args[0])(context, builder, arguments[0]).data

    return types.CPointer(array.dtype)(array), made


@kernel
def slot_of(key, bits):
    """The first slot for a second key in a table of 2 ** `bits` slots."""
    return (key * 0x9E3779B1 >> 7) & ((1 << bits) - 1)


@kernel
def workspace(attributes, shared):
    """What the search for one event writes, in the order of the last parameters of `search_events`."""
    ends = np.empty((1, attributes, 2), np.int32)
    ends[0, :, 0], ends[0, :, 1] = MISSING, -1
    counts, begins = np.ones((1, attributes), np.int32), np.empty((1, attributes), np.int64)
    is_true = np.zeros(shared + 1, np.uint8)
    is_true[shared] = 1
    tries, spans, kept = np.empty(MOST, np.int64), np.empty(MOST, np.int64), np.empty(MOST, np.int64)
    return ends, counts, begins, is_true, tries, spans, np.empty(MOST, np.int64), np.empty(MOST, np.int64), kept


@kernel_part
def search_events(
    words, numbers, literals, instructions, set_words, group_ends, scored, lists, level_start, level, literal_start,
    event_start, attribute, low, high, is_soft, first, last, least, out_event, out_item, size,
    ends, counts, begins, is_true, tries, spans, begun, ended, kept,
):  # fmt: skip
    """Search for the events from `first` up to but excluding `last`, one at a time.

    Returns the new size (-1 if there is no room), and whether a result may have flags. The last nine arrays are those
    of `workspace`, and are left as they were given.
    """
    is_marked = False
    sets = literal_start[len(level_start) - 1]
    word, half, truth, code = _pointer(words), _pointer(numbers), _pointer(is_true), _pointer(ends)
    step, list_at = _pointer(level), _pointer(lists)
    run_begin, run_end, posting_at = _pointer(begun), _pointer(ended), _pointer(kept)
    most_runs, most_held = np.uint64(len(begun)), np.uint64(len(kept))
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
        # The lists of the event; the one for all events comes first.
        while True:
            tried, most_tries = np.int64(list_at[0] < list_at[1]), len(tries) - 1
            tries[0] = 0
            for v in range(event_start[event], event_start[event + 1]):
                a = attribute[v]
                for i in range(level_start[a], level_start[a + 1]):
                    shift, base = step[2 * i], np.int64(step[2 * i + 1])
                    block = low[v] >> shift
                    if v > begins[0, a] and low[v - 1] >> shift == block:
                        continue  # seen with the previous value
                    for at in range(base + block, base + (high[v] >> shift) + 1):
                        tries[min(tried, most_tries)] = at
                        _prefetch(words, list_at[at])
                        tried += np.int64(list_at[at] < list_at[at + 1])
            if tried <= most_tries:
                break
            tries = np.empty(2 * tried, np.int64)
        # The slots of their second keys are asked for first, because each is far from the others in memory.
        for t in range(tried):
            begin = list_at[tries[t]]
            keys = word[begin]
            mask = (1 << word[begin + 1]) - 1
            for d in range(begin + 3, begin + 3 + keys):
                second = word[d]
                if counts[0, second] == 1 and code[2 * second + 1] >= 0:
                    key = np.int64(step[2 * level_start[second] + 1]) + code[2 * second]
                    _prefetch(words, begin + 3 + keys + 2 * ((key * 0x9E3779B1 >> 7) & mask))
        while True:
            count = np.int64(0)
            for t in range(tried):
                begin, stop = list_at[tries[t]], list_at[tries[t] + 1]
                keys = word[begin]
                table = begin + 3 + keys
                mask = (1 << word[begin + 1]) - 1
                p = begin + 1 if keys == 0 else table + 2 * (mask + 1)
                if keys == 0 or word[begin + 2] > 0:
                    if count < len(spans):
                        spans[count] = p
                    count += 1
                if keys > 0 and soft:
                    p += word[begin + 2]
                    while p < stop:
                        if count < len(spans):
                            spans[count] = p + 2
                        count += 1
                        p += word[p + 1]
                    continue
                for d in range(begin + 3, begin + 3 + keys):
                    second = word[d]
                    if code[2 * second + 1] < 0:
                        continue
                    first_list = np.int64(step[2 * level_start[second] + 1])
                    for u in range(begins[0, second], begins[0, second] + counts[0, second]):
                        key = first_list + low[u]
                        slot = (key * 0x9E3779B1 >> 7) & mask
                        while word[table + 2 * slot] != key and word[table + 2 * slot] >= 0:
                            slot = (slot + 1) & mask
                        if word[table + 2 * slot] >= 0:
                            if count < len(spans):
                                spans[count] = begin + word[table + 2 * slot + 1] + 2
                                _prefetch(words, spans[count])
                            count += 1
            if count <= len(spans):
                break
            spans = np.empty(2 * count, np.int64)
        s, head, last_head, at = np.int64(0), np.int64(0), np.int64(0), np.int64(0)
        while size >= 0 and (s < count or head < last_head):
            # The runs whose range holds, without a branch that is hard to predict.
            runs = _NONE
            while runs < most_runs and (s < count or head < last_head):
                if head >= last_head:
                    head = spans[s] + 1
                    at = last_head = head + np.int64(word[head - 1])
                    s += 1
                stop_head = min(last_head, head + np.int64(most_runs - runs))
                for h in range(np.uint64(head), np.uint64(stop_head)):
                    run_begin[runs] = at
                    at += half[2 * h + 1]
                    run_end[runs] = at
                    runs += np.uint64(truth[half[2 * h]])
                head = stop_head
            run = _NONE
            p, stop = np.int64(0), np.int64(0)
            while size >= 0 and (run < runs or p < stop):
                # The postings of these runs whose first literal holds or is a set, again without such a branch.
                held = _NONE
                while held < most_held and (run < runs or p < stop):
                    if p >= stop:
                        p, stop = run_begin[run], run_end[run]
                        run += _ONE
                        if run + _AHEAD < runs:
                            _prefetch(words, run_begin[run + _AHEAD])
                    info = word[p + 1]
                    if least > 0 and best_score(word[p], info, group_ends, scored) < least:  # the best come first
                        p = stop
                        continue
                    posting_at[held] = p
                    if (info >> SHARED) & MOST_LITERALS:
                        number = half[2 * p + 4]
                        held += np.uint64(truth[number] | (number >= sets))
                    elif (info >> RANGES) & MOST_LITERALS:
                        a = word[p + 2]
                        held += np.uint64((word[p + 3] <= code[2 * a + 1]) & (word[p + 4] >= code[2 * a]))
                    else:
                        held += _ONE
                    p += info & LENGTH
                for i in range(held):
                    posting = posting_at[i]
                    info = word[posting + 1]
                    shared = (info >> SHARED) & MOST_LITERALS
                    good = True
                    for k in range(np.uint64(2 * posting + 4), np.uint64(2 * posting + 4 + shared)):
                        number = half[k]
                        if number >= sets:
                            good &= holds(set_words, literals[0, number], 0, ends, counts, begins, low)
                        else:
                            good &= truth[number] != 0
                    if not good:
                        continue
                    following = posting + (info & LENGTH)
                    q = posting + 2 + ((shared + 1) >> 1)
                    ranges = (info >> RANGES) & MOST_LITERALS
                    if q < following:
                        for r in range(q, q + 3 * ranges, 3):
                            a = word[r]
                            good &= (word[r + 1] <= code[2 * a + 1]) & (word[r + 2] >= code[2 * a])
                        if good and (several or q + 3 * ranges < following):
                            good = rest_holds(
                                words, q, ranges, following, instructions, set_words, 0, ends, counts, begins, low, soft
                            )
                    if not good:
                        continue
                    if not (info >> FLAGS & ~SPLIT or soft or several) and size < len(out_item):
                        out_event[size], out_item[size] = event, word[posting]
                        size += 1
                    else:
                        is_marked |= soft or several or (info >> FLAGS) & ~(GROUP | SPLIT) != 0
                        size = noted(event, word[posting], info, soft, several, group_ends, out_event, out_item, size)
                        if size < 0:
                            break
        for v in range(event_start[event], event_start[event + 1]):
            a = attribute[v]
            ends[0, a, 0], ends[0, a, 1], counts[0, a] = MISSING, -1, 1
            for number in range(np.uint64(literal_start[a]), np.uint64(literal_start[a + 1])):
                is_true[number] = 0
        if size < 0:
            break
    return size, is_marked

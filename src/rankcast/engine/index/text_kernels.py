# mypy: allow-untyped-defs, no-check-untyped-defs, allow-untyped-calls
"""From the bytes of many events to the codes of their values."""

import numpy as np

from rankcast.compiling import kernel
from rankcast.engine.event_texts.scanning import (
    EXACT,
    HEAD,
    KIND,
    MEMBER,
    MEMBERS,
    NAME,
    VALUE,
    hash_of,
    pointer_to,
    scan_event,
)

_OF, _BEGIN, _END, _FIRST, _LAST = range(5)
"""The columns of an entry: whose value it is (-1: it is a name), its bytes in `store`, and what is known of it: of a
name the number of the attribute (-1: nobody uses it), of a value its rows of `pairs`."""


@kernel
def _entry_of(slots, entries, store, of, hashed, data, begin, end):
    """The entry of a name or value in data[begin:end]; -1 if there is none."""
    mask = np.uint64(len(slots) - 1)
    slot = hashed & mask
    while slots[slot] >= 0:
        entry = np.uint64(slots[slot])
        at = entries[entry, _BEGIN]
        if entries[entry, _OF] == of and entries[entry, _END] - at == end - begin:
            place = 0
            while place < end - begin and store[at + place] == data[begin + place]:
                place += 1
            if place == end - begin:
                return np.int64(entry)
        slot = (slot + np.uint64(1)) & mask
    return np.int64(-1)


@kernel
def enter(slots, entries, store, first):
    """Enter the entries from `first` on into a table that has a power of two slots, more than there are entries."""
    mask, content = np.uint64(len(slots) - 1), pointer_to(store)
    for entry in range(first, len(entries)):
        slot = hash_of(content, entries[entry, _BEGIN], entries[entry, _END], entries[entry, _OF] + 1) & mask
        while slots[slot] >= 0:
            slot = (slot + np.uint64(1)) & mask
        slots[slot] = entry


@kernel
def write_codes(
    data, bounds, longest, slots, entries, store, pairs, constant_start, constants, is_direct, start, out, missing
):
    """Write attributes and codes of the event in data[bounds[i] : bounds[i + 1] - 1] to `out`, from start[i] on.

    An event that is not plain, or that has a name or value without entry, gets none, and the complement of its start.
    Such names and values are listed in `missing` by their places. Returns their number, or -1 if `out` is too small.
    """
    head, members = np.empty(HEAD, np.int64), np.empty((MEMBERS, MEMBER), np.int64)
    named, spare, reals = np.empty(MEMBERS, np.uint64), np.empty(MEMBERS, np.uint64), np.empty(MEMBERS)
    size, unknown, content, known = 0, 0, pointer_to(data), pointer_to(store)
    for i in range(len(bounds) - 1):
        start[i] = begin = size
        count = scan_event(content, bounds[i], bounds[i + 1] - 1, longest, head, members, named, reals, spare)
        is_known = count >= 0
        for m in range(count):
            first, last = members[m, VALUE], members[m, VALUE + 1]
            entry = _entry_of(slots, entries, known, -1, named[m], content, members[m, NAME], members[m, NAME + 1])
            if entry >= 0:
                number = entries[entry, _FIRST]
                if number < 0:
                    continue
                if members[m, KIND] == EXACT and is_direct[number]:
                    if size == len(out):
                        return -1
                    out[size, 0] = number
                    out[size, 1] = _code_of(constants, constant_start[number], constant_start[number + 1], reals[m])
                    size += 1
                    continue
                hashed = hash_of(content, first, last, number + 1)
                entry = _entry_of(slots, entries, known, number, hashed, content, first, last)
            if entry < 0:
                is_known = False
                if unknown < len(missing):
                    missing[unknown, 0], missing[unknown, 1] = members[m, NAME], members[m, NAME + 1]
                    missing[unknown, 2], missing[unknown, 3] = first, last
                    unknown += 1
                continue
            for pair in range(entries[entry, _FIRST], entries[entry, _LAST]):
                if size == len(out):
                    return -1
                out[size, 0], out[size, 1] = pairs[pair, 0], pairs[pair, 1]
                size += 1
        if not is_known:
            size, start[i] = begin, ~begin
    start[len(bounds) - 1] = size
    return unknown


@kernel
def _code_of(constants, begin, end, value):
    """The code of a number among the constants from `begin` to `end` (`rankcast.engine.index.spaces`)."""
    low, high = begin, end
    while low < high:
        middle = (low + high) >> 1
        if constants[middle] < value:
            low = middle + 1
        else:
            high = middle
    return 2 * (low - begin) + (low < end and constants[low] == value)

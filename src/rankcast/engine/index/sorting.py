# mypy: allow-untyped-defs, no-check-untyped-defs, allow-untyped-calls
"""The kernel's results in the order of matches: by event, then by place, without duplicates."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from rankcast.compiling import kernel

_BITS = 63


class SortedPairs(NamedTuple):
    """Pairs of an event and a place, and the index of each among those given (the first, if it was repeated)."""

    event: NDArray[np.int64]
    place: NDArray[np.int64]
    at: NDArray[np.int64]


def in_order(event: NDArray[np.int32], place: NDArray[np.int32]) -> SortedPairs:
    """Sort pairs and drop duplicates. About 15 ns per pair.

    >>> [column.tolist() for column in in_order(np.array([1, 0, 1], np.int32), np.array([7, 9, 7], np.int32))]
    [[0, 1], [9, 7], [1, 0]]
    """
    count = len(event)
    at_bits, place_bits = count.bit_length(), int(place.max(initial=0)).bit_length()
    out = tuple(np.empty(count, np.int64) for _ in range(3))
    if int(event.max(initial=0)).bit_length() + place_bits + at_bits > _BITS:
        order = np.lexsort((place, event))
        size = _without_repeats(event[order], place[order], order, *out)
    else:  # as one number each, which is much faster to sort
        pairs = np.empty(count, np.int64)
        _pack(event, place, place_bits, at_bits, pairs)
        pairs.sort()
        size = _unpack(pairs, place_bits, at_bits, *out)
    return SortedPairs(*(column[:size] for column in out))


@kernel
def _pack(event, place, place_bits, at_bits, pairs):
    for i in range(len(event)):
        pairs[i] = (((np.int64(event[i]) << place_bits) | place[i]) << at_bits) | i


@kernel
def _unpack(pairs, place_bits, at_bits, out_event, out_place, out_at):
    size = 0
    before = np.int64(-1)
    is_place, is_at = (1 << place_bits) - 1, (1 << at_bits) - 1
    for packed in pairs:
        pair = packed >> at_bits
        if pair != before:
            out_event[size], out_place[size], out_at[size] = pair >> place_bits, pair & is_place, packed & is_at
            size += 1
            before = pair
    return size


@kernel
def _without_repeats(event, place, at, out_event, out_place, out_at):
    size = 0
    for i in range(len(event)):
        if i == 0 or event[i] != event[i - 1] or place[i] != place[i - 1]:
            out_event[size], out_place[size], out_at[size] = event[i], place[i], at[i]
            size += 1
    return size

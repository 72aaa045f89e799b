"""Heaps of slots: `heap` holds slots, `at` gives the position of each slot, and the lowest sign * score is on top."""

from rankcast.compiling import kernel
from rankcast.plain import Array


@kernel
def _up(heap: Array, at: Array, scores: Array, place: int, sign: float) -> None:
    slot = heap[place]
    while place > 0:
        parent = (place - 1) // 2
        if sign * scores[heap[parent]] <= sign * scores[slot]:
            break
        heap[place] = heap[parent]
        at[heap[place]] = place
        place = parent
    heap[place] = slot
    at[slot] = place


@kernel
def down(heap: Array, at: Array, scores: Array, place: int, size: int, sign: float) -> None:
    """Move the item at a position of a heap of `size` down to its place."""
    slot = heap[place]
    while True:
        child = 2 * place + 1
        if child >= size:
            break
        if child + 1 < size and sign * scores[heap[child + 1]] < sign * scores[heap[child]]:
            child += 1
        if sign * scores[slot] <= sign * scores[heap[child]]:
            break
        heap[place] = heap[child]
        at[heap[place]] = place
        place = child
    heap[place] = slot
    at[slot] = place


@kernel
def push(heap: Array, at: Array, scores: Array, size: int, slot: int, sign: float) -> None:
    """Add a slot to a heap of `size`, which has room for it."""
    heap[size] = slot
    at[slot] = size
    _up(heap, at, scores, size, sign)


@kernel
def remove(heap: Array, at: Array, scores: Array, size: int, place: int, sign: float) -> None:
    """Remove the item at a position of a heap of `size`."""
    last = heap[size - 1]
    if place < size - 1:
        heap[place] = last
        at[last] = place
        down(heap, at, scores, place, size - 1, sign)
        _up(heap, at, scores, at[last], sign)

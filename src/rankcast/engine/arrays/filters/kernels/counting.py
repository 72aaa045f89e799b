"""Counting matches for decaying novelty."""

import numpy as np

from rankcast.compiling import kernel
from rankcast.plain import Array


@kernel
def flatten(patterns: Array, starts: Array, places: Array) -> tuple[Array, Array]:
    """The subscriptions of all events, one event after the other: the end of each event, and the indexes."""
    ends = np.empty(len(patterns), np.int64)
    total = 0
    for event in range(len(patterns)):
        total += starts[patterns[event] + 1] - starts[patterns[event]]
        ends[event] = total
    flat = np.empty(total, np.int64)
    slot = 0
    for event in range(len(patterns)):
        for number in range(starts[patterns[event]], starts[patterns[event] + 1]):
            flat[slot] = places[number]
            slot += 1
    return ends, flat


@kernel
def count_matches(
    patterns: Array,
    starts: Array,
    places: Array,
    specific_starts: Array,
    specific: Array,
    positions: Array,
    length: int,
    slides: bool,
    counts: Array,
    known: Array,
    period: Array,
    window_at: Array,
    window_ends: Array,
    window: Array,
    old: int,
    lowest: Array,
) -> int:
    """Writes, for each event, the lowest count of its most specific subscriptions before it, and counts its matches.

    The window holds the matches of `old` past events, then those of this batch. Returns the number of events that
    left it.
    """
    left = 0
    for event in range(len(patterns)):
        if slides:
            while left < old + event and window_at[left] <= positions[event] - length:
                for number in range(window_ends[left - 1] if left > 0 else 0, window_ends[left]):
                    counts[window[number]] -= 1
                left += 1
        elif length > 0 and positions[event] // length != period[0]:
            period[0] = positions[event] // length
            counts[:] = 0
            known[:] = False
        pattern = patterns[event]
        low = np.int64(2**62)
        for number in range(specific_starts[pattern], specific_starts[pattern + 1]):
            low = min(low, counts[specific[number]])
        lowest[event] = low
        for number in range(starts[pattern], starts[pattern + 1]):
            counts[places[number]] += 1
            known[places[number]] = True
    return left

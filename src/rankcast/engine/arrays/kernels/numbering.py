"""Looking up the pattern of each event by the bits of the subscriptions that it matches."""

import numpy as np

from rankcast.compiling import kernel
from rankcast.plain import Array

__all__ = ["file_masks", "number_events"]

_SPREAD = np.uint64(0x9E3779B97F4A7C15)
"""An odd multiplier that spreads a mask over the upper bits."""


@kernel
def _slot(mask: int, masks: Array) -> int:
    """The slot of a mask in a table of 2^n slots, or the free slot (0) for it."""
    size = np.uint64(len(masks))
    slot = (np.uint64(mask) * _SPREAD) >> np.uint64(32)
    slot = slot & (size - np.uint64(1))
    while masks[slot] != 0 and masks[slot] != mask:
        slot = (slot + np.uint64(1)) & (size - np.uint64(1))
    return int(slot)


@kernel
def file_masks(new: Array, masks: Array, numbers: Array) -> None:
    """Files each mask under its index in `new` in an empty table, which is then at most half full."""
    for number in range(len(new)):
        slot = _slot(new[number], masks)
        masks[slot] = new[number]
        numbers[slot] = number


@kernel
def number_events(
    at: Array, places: Array, masks: Array, numbers: Array, starts: Array, found: Array, number: Array
) -> int:
    """Numbers the events of matches that are sorted by event.

    Writes the start of each event, its mask, and its number in the table (-1 if it has none). Returns the number of
    events.
    """
    count = 0
    begin = 0
    while begin < len(at):
        mask = np.int64(0)
        end = begin
        while end < len(at) and at[end] == at[begin]:
            mask |= np.int64(1) << places[end]
            end += 1
        slot = _slot(mask, masks)
        starts[count] = begin
        found[count] = mask
        number[count] = numbers[slot] if masks[slot] == mask else -1
        count += 1
        begin = end
    return count

"""Looking up the patterns of many users, by user and by the bits of the subscriptions that an event matches."""

import numpy as np

from rankcast.compiling import kernel
from rankcast.plain import Array

_SPREAD = np.uint64(0x9E3779B97F4A7C15)
_OTHER = np.uint64(0xC2B2AE3D27D4EB4F)
"""Odd multipliers that spread a mask and a user over the upper bits."""


@kernel
def masks_of(
    borders: Array,
    member_of: Array,
    is_wide: Array,
    at: Array,
    places: Array,
    starts: Array,
    ends: Array,
    members: Array,
    masks: Array,
    first: Array,
) -> int:
    """Finds the (user, event) pairs of matches that are sorted by user and event.

    Writes the start, end, user and mask of each pair, and the start of each user in `first`. The mask is 0 for users
    with more subscriptions than bits. Skips users that are not members. Returns the number of pairs.
    """
    count = 0
    for user in range(len(member_of)):
        first[user] = count
        member = member_of[user]
        begin = borders[user]
        while member >= 0 and begin < borders[user + 1]:
            mask = np.int64(0)
            end = begin
            while end < borders[user + 1] and at[end] == at[begin]:
                if not is_wide[member]:
                    mask |= np.int64(1) << places[end]
                end += 1
            starts[count] = begin
            ends[count] = end
            members[count] = member
            masks[count] = mask
            count += 1
            begin = end
    first[len(member_of)] = count
    return count


@kernel
def _slot(member: int, mask: int, of: Array, masks: Array) -> int:
    """The slot of a pair in a table of 2^n slots, or the free slot (mask 0) for it."""
    last = np.uint64(len(masks) - 1)
    mixed = (np.uint64(mask) + np.uint64(member) * _OTHER) * _SPREAD
    slot = (mixed >> np.uint64(32)) & last
    while masks[slot] != 0 and not (masks[slot] == mask and of[slot] == member):
        slot = (slot + np.uint64(1)) & last
    return int(slot)


@kernel
def file_pairs(members: Array, new: Array, numbers: Array, of: Array, masks: Array, filed: Array) -> None:
    """Files the number of each pair in a table, which is then at most half full."""
    for pair in range(len(new)):
        slot = _slot(members[pair], new[pair], of, masks)
        of[slot] = members[pair]
        masks[slot] = new[pair]
        filed[slot] = numbers[pair]


@kernel
def look_up(members: Array, wanted: Array, of: Array, masks: Array, filed: Array, numbers: Array) -> int:
    """Finds the number of each pair, -1 if it has none; returns how many have none."""
    missing = 0
    for pair in range(len(wanted)):
        slot = _slot(members[pair], wanted[pair], of, masks)
        if masks[slot] == 0:
            numbers[pair] = -1
            missing += 1
        else:
            numbers[pair] = filed[slot]
    return missing


@kernel
def degrees_of(
    starts: Array,
    ends: Array,
    numbers: Array,
    specific_starts: Array,
    specific: Array,
    places: Array,
    given: Array,
    degrees: Array,
) -> None:
    """The degree of each (user, event) pair: the highest of its pattern's most specific subscriptions.

    Both the matches of a pair and the most specific subscriptions of a pattern are in ascending order.
    """
    for pair in range(len(starts)):
        degrees[pair] = 0.0
        following, last = specific_starts[numbers[pair]], specific_starts[numbers[pair] + 1]
        for match in range(starts[pair], ends[pair]):
            if following < last and places[match] == specific[following]:
                degrees[pair] = max(degrees[pair], given[match])
                following += 1

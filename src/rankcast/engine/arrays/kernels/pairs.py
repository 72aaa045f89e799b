"""The patterns of many users, looked up by user and by the bits of the subscriptions that an event matches."""

import numpy as np

from rankcast.compiling import kernel
from rankcast.plain import Array

__all__ = ["degrees_of", "file_pairs", "look_up", "masks_of"]

_SPREAD = np.uint64(0x9E3779B97F4A7C15)
_OTHER = np.uint64(0xC2B2AE3D27D4EB4F)
"""Odd numbers whose products spread a mask and a user over the upper bits."""


@kernel
def masks_of(
    borders: Array,
    member_of: Array,
    at: Array,
    places: Array,
    starts: Array,
    members: Array,
    masks: Array,
    first: Array,
) -> int:
    """Goes through matches sorted by user and event: where each (user, event) begins, whose it is, and its mask; `first` has where
    each user's begin. Users who are no members are left out. Gives how many there are."""
    count = 0
    for user in range(len(member_of)):
        first[user] = count
        member = member_of[user]
        begin = borders[user]
        while member >= 0 and begin < borders[user + 1]:
            mask = np.int64(0)
            end = begin
            while end < borders[user + 1] and at[end] == at[begin]:
                mask |= np.int64(1) << places[end]
                end += 1
            starts[count] = begin
            members[count] = member
            masks[count] = mask
            count += 1
            begin = end
    first[len(member_of)] = count
    return count


@kernel
def _slot(member: int, mask: int, of: Array, masks: Array) -> int:
    """Where a pair stands in a table of 2^n slots, or the free slot (mask 0) where it would."""
    last = np.uint64(len(masks) - 1)
    mixed = (np.uint64(mask) + np.uint64(member) * _OTHER) * _SPREAD
    slot = (mixed >> np.uint64(32)) & last
    while masks[slot] != 0 and not (masks[slot] == mask and of[slot] == member):
        slot = (slot + np.uint64(1)) & last
    return int(slot)


@kernel
def file_pairs(members: Array, new: Array, numbers: Array, of: Array, masks: Array, filed: Array) -> None:
    """Files each pair's number in a table, at most half of which is full afterwards."""
    for pair in range(len(new)):
        slot = _slot(members[pair], new[pair], of, masks)
        of[slot] = members[pair]
        masks[slot] = new[pair]
        filed[slot] = numbers[pair]


@kernel
def look_up(members: Array, wanted: Array, of: Array, masks: Array, filed: Array, numbers: Array) -> int:
    """Finds the number of each pair, -1 if it has none; gives how many have none."""
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
    starts: Array, masks: Array, numbers: Array, specific: Array, places: Array, given: Array, degrees: Array
) -> None:
    """The degree of each (user, event): the highest of its pattern's most specific subscriptions."""
    for pair in range(len(starts)):
        match = starts[pair]
        left = masks[pair]
        degrees[pair] = 0.0
        while left != 0:
            bit = np.int64(1) << places[match]
            if specific[numbers[pair]] & bit:
                degrees[pair] = max(degrees[pair], given[match])
            left &= ~bit
            match += 1

"""The patterns of many users: numbers for the sets of a user's subscriptions that events match."""

from collections.abc import Callable, Sequence

import numpy as np

from rankcast.engine.arrays.columns import AppendableArray
from rankcast.engine.arrays.matching import Integers, Reals
from rankcast.engine.arrays.patterns import Pattern, grid_of

__all__ = ["LARGEST_MASK", "CrowdPatterns"]

LARGEST_MASK = 62
"""The number of a user's subscriptions that fit into the bits of an integer."""

MakePattern = Callable[[int, Sequence[int]], Pattern]


class CrowdPatterns:
    """Patterns by number, each of one member. Members with more subscriptions than bits are not supported.

    `make` returns the pattern of some of a member's subscriptions, given by index in ascending order; it is called
    once for each set. A lookup costs about 20 ns.
    """

    def __init__(self, make: MakePattern) -> None:
        self._make = make
        self._of, self._masks, self._filed = np.zeros((3, 1024), np.int64)
        self._known = 0
        self.all: list[Pattern] = []
        self.ranks = AppendableArray(np.float64)
        self.grids = AppendableArray(np.int64)
        self.specific: list[tuple[str, ...]] = []
        """The most specific subscriptions of each pattern; only ever appended to, so that others may hold it."""
        self._specific_bits = AppendableArray(np.int64)

    def number(self, members: Integers, masks: Integers) -> Integers:
        """The number of each pattern, given by member and mask."""
        from rankcast.engine.arrays.kernels.pairs import look_up

        numbers = np.empty(len(masks), np.int64)
        if look_up(members, masks, self._of, self._masks, self._filed, numbers):
            missing = np.flatnonzero(numbers < 0)
            self._file(np.unique(np.stack((members[missing], masks[missing])), axis=1))
            look_up(members, masks, self._of, self._masks, self._filed, numbers)
        return numbers

    def degrees(self, starts: Integers, masks: Integers, numbers: Integers, places: Integers, given: Reals) -> Reals:
        """The degree of each (user, event) pair; the matches of each begin at `starts`."""
        from rankcast.engine.arrays.kernels.pairs import degrees_of

        degrees = np.empty(len(starts))
        degrees_of(starts, masks, numbers, self._specific_bits.values, places, given, degrees)
        return degrees

    def add(self, pattern: Pattern) -> int:
        """Number a pattern that cannot be found by its mask, because it belongs to an older catalog."""
        return self._add(pattern, 0)

    def _add(self, pattern: Pattern, specific: int) -> int:
        self.all.append(pattern)
        self.specific.append(pattern.specific)
        self.ranks.append(pattern.rank)
        self.grids.append(grid_of(pattern.rank))
        self._specific_bits.append(specific)
        return len(self.all) - 1

    def _file(self, pairs: Integers) -> None:
        """Number the patterns of new members and masks."""
        from rankcast.engine.arrays.kernels.pairs import file_pairs

        numbers = np.array([self._made(member, mask) for member, mask in pairs.T.tolist()], np.int64)
        self._known += len(numbers)
        if 2 * self._known > len(self._masks):
            size = 2 << (2 * self._known).bit_length()
            filed = np.flatnonzero(self._masks)
            before = self._of[filed], self._masks[filed], self._filed[filed]
            self._of, self._masks, self._filed = np.zeros((3, size), np.int64)
            file_pairs(*before, self._of, self._masks, self._filed)
        file_pairs(pairs[0].copy(), pairs[1].copy(), numbers, self._of, self._masks, self._filed)

    def _made(self, member: int, mask: int) -> int:
        places = [place for place in range(mask.bit_length()) if mask >> place & 1]
        pattern = self._make(member, places)
        specific = {*pattern.specific}
        bits = (1 << place for place, name in zip(places, pattern.matching, strict=True) if name in specific)
        return self._add(pattern, sum(bits))

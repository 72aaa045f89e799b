"""Numbers for the sets of a user's subscriptions that events match. Ranking needs only the number of this pattern."""

from collections.abc import Callable, Sequence
from itertools import accumulate
from typing import NamedTuple

import numpy as np

from rankcast.choose.ties import on_grid
from rankcast.engine.arrays.columns import AppendableArray
from rankcast.engine.arrays.matching import Integers, Reals

LARGEST_MASK = 62
"""The number of a user's subscriptions that fit into the bits of an integer."""


class Pattern(NamedTuple):
    """The subscriptions of one user that match an event, the most specific of them, and their rank."""

    matching: tuple[str, ...]
    specific: tuple[str, ...]
    rank: float


MakePattern = Callable[[int, Sequence[int]], Pattern]


def grid_of(rank: float) -> int:
    """The rank in steps of the grid on which ranks are compared.

    >>> grid_of(0.1 + 0.2) == grid_of(0.3)
    True
    """
    return round(on_grid(rank) * 1e12)


class PatternSets:
    """A set of a user's subscriptions for each pattern, given by index.

    The set of pattern p is ``places.values[starts.values[p] : starts.values[p + 1]]``, ascending.
    """

    def __init__(self) -> None:
        self.starts = AppendableArray(np.int64)
        self.starts.append(0)
        self.places = AppendableArray(np.int64)

    def extend(self, sets: Sequence[Sequence[int]]) -> None:
        """Append the sets of the next patterns."""
        ends = accumulate(map(len, sets), initial=len(self.places))
        self.starts.extend([*ends][1:])
        self.places.extend([place for places in sets for place in places])


class CrowdPatterns:
    """Patterns by number, each of one member.

    `make` returns the pattern of some of a member's subscriptions, given by index in ascending order; it is called
    once for each set. A lookup costs about 20 ns, and about 1 µs for members with more subscriptions than bits.
    """

    def __init__(self, make: MakePattern) -> None:
        self._make = make
        self._of, self._masks, self._filed = np.zeros((3, 1024), np.int64)
        self._known = 0
        self._wide: dict[tuple[int, bytes], int] = {}
        """Numbers of sets that do not fit into the bits of a mask, by member and set; they serve as masks."""
        self._wide_sets: list[list[int]] = [[]]
        self.all: list[Pattern] = []
        self.ranks = AppendableArray(np.float64)
        self.grids = AppendableArray(np.int64)
        self.specific: list[tuple[str, ...]] = []
        """The most specific subscriptions of each pattern; only ever appended to, so that others may hold it."""
        self.matching_places = PatternSets()
        self.specific_places = PatternSets()

    def number(
        self, members: Integers, masks: Integers, starts: Integers, ends: Integers, places: Integers
    ) -> Integers:
        """The number of each pattern, given by member and mask.

        The mask is 0 for members with too many subscriptions; theirs are ``places[start:end]``.
        """
        from rankcast.engine.arrays.kernels.pairs import look_up

        for pair in np.flatnonzero(masks == 0).tolist():
            own = places[starts[pair] : ends[pair]]
            key = (int(members[pair]), own.tobytes())
            if key not in self._wide:
                self._wide[key] = len(self._wide_sets)
                self._wide_sets.append(own.tolist())
            masks[pair] = -self._wide[key]
        numbers = np.empty(len(masks), np.int64)
        if look_up(members, masks, self._of, self._masks, self._filed, numbers):
            missing = np.flatnonzero(numbers < 0)
            self._file(sorted({*zip(members[missing].tolist(), masks[missing].tolist(), strict=True)}))
            look_up(members, masks, self._of, self._masks, self._filed, numbers)
        return numbers

    def degrees(self, starts: Integers, ends: Integers, numbers: Integers, places: Integers, given: Reals) -> Reals:
        """The degree of each (user, event) pair: the highest of its pattern's most specific subscriptions."""
        from rankcast.engine.arrays.kernels.pairs import degrees_of

        degrees, specific = np.empty(len(starts)), self.specific_places
        degrees_of(starts, ends, numbers, specific.starts.values, specific.places.values, places, given, degrees)
        return degrees

    def add(self, pattern: Pattern, places: Sequence[int] = ()) -> int:
        """Number a pattern. It has no places if it cannot be found, because it belongs to an older catalog."""
        return self.add_all([(pattern, places)])

    def add_all(self, made: Sequence[tuple[Pattern, Sequence[int]]]) -> int:
        """Number patterns with their places in order; returns the first number. Each costs much less than alone."""
        first = len(self.all)
        self.all += [pattern for pattern, _ in made]
        self.specific += [pattern.specific for pattern, _ in made]
        self.ranks.extend([pattern.rank for pattern, _ in made])
        self.grids.extend([grid_of(pattern.rank) for pattern, _ in made])
        self.matching_places.extend([places for _, places in made])
        self.specific_places.extend([_specific_places(*one) for one in made])
        return first

    def _file(self, pairs: Sequence[tuple[int, int]]) -> None:
        """Number the patterns of new members and masks."""
        from rankcast.engine.arrays.kernels.pairs import file_pairs

        first = self.add_all([self._made(member, mask) for member, mask in pairs])
        numbers = np.arange(first, len(self.all))
        self._known += len(numbers)
        if 2 * self._known > len(self._masks):
            size = 2 << (2 * self._known).bit_length()
            filed = np.flatnonzero(self._masks)
            before = self._of[filed], self._masks[filed], self._filed[filed]
            self._of, self._masks, self._filed = np.zeros((3, size), np.int64)
            file_pairs(*before, self._of, self._masks, self._filed)
        members, masks = np.array(pairs, np.int64).T.copy()
        file_pairs(members, masks, numbers, self._of, self._masks, self._filed)

    def _made(self, member: int, mask: int) -> tuple[Pattern, Sequence[int]]:
        if mask < 0:
            places = self._wide_sets[-mask]
        else:
            places = [place for place in range(mask.bit_length()) if mask >> place & 1]
        return self._make(member, places), places


def _specific_places(pattern: Pattern, places: Sequence[int]) -> Sequence[int]:
    if not places or len(pattern.specific) == len(pattern.matching):
        return places
    specific = {*pattern.specific}
    return [place for place, name in zip(places, pattern.matching, strict=True) if name in specific]

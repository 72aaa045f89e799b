"""Numbers for the sets of a user's subscriptions that events match. Ranking needs only the number of this pattern."""

from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np

from rankcast.choose.ties import on_grid
from rankcast.engine.arrays.matching import Integers, Reals

__all__ = ["Pattern", "UserPatterns", "grid_of"]

_LARGEST_MASK = 62
"""The number of subscriptions that fit into the bits of an integer."""


class Pattern(NamedTuple):
    """The subscriptions of one user that match an event, the most specific of them, and their rank."""

    matching: tuple[str, ...]
    specific: tuple[str, ...]
    rank: float


def grid_of(rank: float) -> int:
    """The rank in steps of the grid on which ranks are compared.

    >>> grid_of(0.1 + 0.2) == grid_of(0.3)
    True
    """
    return round(on_grid(rank) * 1e12)


class UserPatterns:
    """The patterns of one user, numbered in the order of their first use.

    `rank` returns the pattern of some subscriptions, given by index in ascending order; it is called once for each
    set. An array of matches then costs one lookup per event: 10 ns for up to 62 subscriptions, and a lookup by bytes
    beyond that.
    """

    def __init__(self, count: int, rank: Callable[[Sequence[int]], Pattern]) -> None:
        self._count = count
        self._make = rank
        self._numbers: dict[bytes, int] = {}
        self._masks = np.empty(0, np.int64)
        self._of_mask = np.empty(0, np.int64)
        self._slots, self._filed = np.zeros((2, 1), np.int64)
        self._places: list[Integers] = []
        self._ranks = np.empty(0)
        self._grid = np.empty(0, np.int64)
        self.all: list[Pattern] = []
        self.specific: list[tuple[str, ...]] = []
        """The most specific subscriptions of each pattern."""

    def rank(self, numbers: Integers) -> tuple[Reals, Integers]:
        """The ranks of patterns, exact and in steps of the grid."""
        if new := self.all[len(self._ranks) :]:
            self._ranks = np.append(self._ranks, [pattern.rank for pattern in new])
            self._grid = np.append(self._grid, [grid_of(pattern.rank) for pattern in new])
        return self._ranks[numbers], self._grid[numbers]

    def number(self, at: Integers, places: Integers) -> tuple[Integers, Integers]:
        """The start of each event among `places`, and the number of its pattern.

        `at` is the event of each place, ascending and not empty.
        """
        if self._count > _LARGEST_MASK:
            starts = np.concatenate(([0], np.flatnonzero(at[1:] != at[:-1]) + 1))
            ends = [*starts[1:].tolist(), len(places)]
            known = [self._known(places[start:end]) for start, end in zip(starts.tolist(), ends, strict=True)]
            return starts, np.array(known, np.int64)
        from rankcast.engine.arrays.kernels.numbering import number_events

        starts, masks, filed = np.empty((3, len(at)), np.int64)
        count = number_events(at, places, self._slots, self._filed, starts, masks, filed)
        starts, masks, filed = starts[:count], masks[:count], filed[:count]
        if (filed < 0).any():
            self._file(np.unique(masks[filed < 0]))
            number_events(at, places, self._slots, self._filed, starts, masks, filed)
        return starts, self._of_mask[filed]

    def _file(self, new: Integers) -> None:
        """Number the patterns of new masks."""
        from rankcast.engine.arrays.kernels.numbering import file_masks

        numbers = [self._known(np.flatnonzero(mask >> np.arange(self._count) & 1)) for mask in new.tolist()]
        self._masks = np.concatenate((self._masks, new))
        self._of_mask = np.concatenate((self._of_mask, np.array(numbers, np.int64)))
        size = 2 << len(self._masks).bit_length()
        self._slots, self._filed = np.zeros((2, size), np.int64)
        file_masks(self._masks, self._slots, self._filed)

    def degrees(self, numbers: Integers, places: Integers, starts: Integers, degrees: Reals | None) -> Reals:
        """The degree of each event: the highest of its most specific subscriptions.

        It is 1 if `degrees` is None, which means that everything is crisp.
        """
        if degrees is None:
            return np.ones(len(starts))
        ends = [*starts[1:].tolist(), len(places)]
        return np.array(
            [
                degrees[start:end][np.isin(places[start:end], self._places[number])].max()
                for number, start, end in zip(numbers.tolist(), starts.tolist(), ends, strict=True)
            ]
        )

    def _known(self, places: Integers) -> int:
        key = places.tobytes()
        if key not in self._numbers:
            pattern = self._make(places.tolist())
            self._numbers[key] = self.add(pattern)
            specific = set(pattern.specific)
            self._places[-1] = places[[name in specific for name in pattern.matching]]
        return self._numbers[key]

    def add(self, pattern: Pattern) -> int:
        """Number a pattern that did not occur here, because it belongs to an older catalog."""
        self.all.append(pattern)
        self._places.append(np.empty(0, np.int64))
        self.specific.append(pattern.specific)
        return len(self.all) - 1

"""A compiled index: immutable arrays, in memory or mapped from a file."""

from dataclasses import dataclass, fields
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from rankcast.engine.index.spaces import AttributeSpace
from rankcast.engine.index.texts import PackedStrings

Integers = NDArray[np.int32]
Places = NDArray[np.int64]


@dataclass(frozen=True)
class CompiledIndex:
    """Everything that matching needs (see `words`), and the subscription at each place.

    The constants of all attributes are stored one after the other: `constant_counts` has a row per attribute
    (numbers, strings, times, patterns). A pattern attribute names the attribute that it tests and the number of the
    operator (`patterns.operator_at`); for other attributes both are -1.

    `literals` has the lowest and the highest code of the shared literals. Ranges come first, by attribute
    (`literal_start`); then sets, with their word instead.

    Subscriptions have *turns*, in the order of their postings, so that subscriptions found together are stored
    together. `place_at` gives the place of each turn, and `scored` repeats what ranking needs: the score (1 if none
    was given) and the user. Subscriptions with the same expression have consecutive turns; `group_ends` holds the
    first turn and the one after the last. A missing score is NaN. `records` holds each subscription as JSON,
    and then whatever else the owner keeps there; or it is empty.
    """

    words: Integers
    literals: Integers
    literal_start: Integers
    list_start: Places
    level_start: Integers
    levels: Integers
    instructions: Integers
    set_words: Integers
    group_ends: Integers
    place_at: Integers
    scored: NDArray[np.float64]
    attribute_names: PackedStrings
    pattern_of: Integers
    constant_counts: Places
    numbers: NDArray[np.float64]
    remainders: NDArray[np.int16]
    times: Places
    strings: PackedStrings
    ids: PackedStrings
    user: Integers
    users: PackedStrings
    scores: NDArray[np.float64]
    by_id: Integers
    records: PackedStrings

    def place_of(self, name: str) -> int | None:
        """The place of the subscription with this id. O(log subscriptions)."""
        wanted, low, high = name.encode(), 0, len(self.by_id)
        while low < high:
            middle = (low + high) // 2
            place = int(self.by_id[middle])
            found = self.ids.raw(place)
            if found == wanted:
                return place
            low, high = (middle + 1, high) if found < wanted else (low, middle)
        return None

    @property
    def size(self) -> int:
        """The number of subscriptions."""
        return len(self.user)

    @property
    def nbytes(self) -> int:
        """The size of all arrays in bytes."""
        return sum(getattr(self, field.name).nbytes for field in fields(self))

    @cached_property
    def spaces(self) -> list[AttributeSpace]:
        """The constants of each attribute, which define the codes of values."""
        ends = np.cumsum(self.constant_counts, axis=0)
        starts = ends - self.constant_counts
        spaces: list[AttributeSpace] = []
        for (number, string, time, pattern), (number_end, _, time_end, _) in zip(starts, ends, strict=True):
            first = string + pattern
            counts = self.constant_counts[len(spaces)]
            remainders = self.remainders[number:number_end] if len(self.remainders) else self.remainders
            spaces.append(
                AttributeSpace(
                    self.numbers[number:number_end],
                    remainders if remainders.any() else remainders[:0],
                    self.strings.part(first, first + counts[1] + counts[3]),
                    self.times[time:time_end],
                )
            )
        return spaces

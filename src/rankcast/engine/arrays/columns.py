"""Arrays that grow."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from rankcast.plain import Array


class AppendableArray:
    """An array with spare capacity, so that appending takes constant time on average."""

    def __init__(self, kind: Any) -> None:
        self._room: Array = np.zeros(16, kind)
        self._count = 0

    def __len__(self) -> int:
        return self._count

    @property
    def values(self) -> Array:
        """The contents, as a view that is valid until the array grows."""
        return self._room[: self._count]

    def append(self, value: object) -> None:
        """Append a value."""
        if self._count == len(self._room):
            self.reserve(1)
        self._room[self._count] = value
        self._count += 1

    def extend(self, values: Sequence[object]) -> None:
        """Append several values."""
        self.reserve(len(values))
        self._room[self._count : self._count + len(values)] = values
        self._count += len(values)

    def reserve(self, more: int) -> None:
        """Make room for `more` further values."""
        wanted = self._count + more
        if wanted > len(self._room):
            room = np.zeros(max(wanted, 2 * len(self._room)), self._room.dtype)
            room[: self._count] = self.values
            self._room = room

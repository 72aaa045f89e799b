"""Many strings in two arrays, read one by one or in stretches."""

from collections.abc import Iterable, Iterator, Sequence
from itertools import pairwise
from typing import overload

import numpy as np
from numpy.typing import NDArray

__all__ = ["Texts"]


class Texts(Sequence[str]):
    """Strings as UTF-8, one after the other; `ends` has a 0 and then the end of each.

    >>> texts = Texts.of(["a", "", "bc"])
    >>> texts[2], len(texts), list(texts)
    ('bc', 3, ['a', '', 'bc'])
    """

    def __init__(self, data: NDArray[np.uint8], ends: NDArray[np.int64]) -> None:
        self.data = data
        self.ends = ends

    @classmethod
    def of(cls, strings: Iterable[str]) -> "Texts":
        """The strings, packed."""
        encoded = [text.encode() for text in strings]
        ends = np.zeros(len(encoded) + 1, np.int64)
        np.cumsum(np.fromiter(map(len, encoded), np.int64, len(encoded)), out=ends[1:])
        return cls(np.frombuffer(b"".join(encoded), np.uint8), ends)

    @property
    def nbytes(self) -> int:
        """Bytes of the text and of the ends."""
        return self.data.nbytes + self.ends.nbytes

    def part(self, first: int, last: int) -> Sequence[str]:
        """The strings from one place to before another, unpacked when first needed."""
        return Texts(self.data, self.ends[first : last + 1])

    def __len__(self) -> int:
        return len(self.ends) - 1

    @overload
    def __getitem__(self, place: int) -> str: ...
    @overload
    def __getitem__(self, place: slice) -> list[str]: ...
    def __getitem__(self, place: int | slice) -> str | list[str]:
        if isinstance(place, slice):
            return [self[i] for i in range(*place.indices(len(self)))]
        if not -len(self) <= place < len(self):
            raise IndexError(place)
        place %= len(self)
        return bytes(self.data[self.ends[place] : self.ends[place + 1]]).decode()

    def __iter__(self) -> Iterator[str]:
        ends = self.ends.tolist()
        data = bytes(self.data[ends[0] : ends[-1]])
        for begin, end in pairwise(ends):
            yield data[begin - ends[0] : end - ends[0]].decode()

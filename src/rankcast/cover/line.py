"""Sets on a line: unions of intervals of ordered values, with open or closed ends."""

from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator
from typing import Any, NamedTuple, TypeAlias

Cut: TypeAlias = tuple[Any, int]
"""A position between values: (v, 0) is just before v, (v, 1) just after it."""


class ValueLine(NamedTuple):
    """A set of values, as the positions at which an ascending walk enters or leaves it.

    `below` says whether the walk starts inside; each cut, in ascending order, changes sides. The form is canonical:
    equal sets are equal tuples. The domain counts as dense: between two numbers there is always another. Operations
    cost O(cuts).

    >>> ValueLine.between((1, 0), (5, 1)) & ValueLine.above((5, 0))
    ValueLine(below=False, cuts=((5, 0), (5, 1)))
    """

    below: bool
    cuts: tuple[Cut, ...]

    @classmethod
    def above(cls, cut: Cut) -> "ValueLine":
        """Everything after the cut."""
        return cls(False, (cut,))

    @classmethod
    def between(cls, start: Cut, end: Cut) -> "ValueLine":
        """Everything between two cuts."""
        return cls(False, (start, end)) if start < end else EMPTY

    @classmethod
    def points(cls, values: Iterable[Any]) -> "ValueLine":
        """A set of single values."""
        return cls(False, tuple(cut for value in sorted(set(values)) for cut in ((value, 0), (value, 1))))

    def __bool__(self) -> bool:
        return self.below or bool(self.cuts)

    def __invert__(self) -> "ValueLine":
        return ValueLine(not self.below, self.cuts)

    def __and__(self, other: "ValueLine") -> "ValueLine":
        return ~(~self | ~other)

    def __or__(self, other: "ValueLine") -> "ValueLine":
        if self == other or not other:
            return self
        if not self:
            return other
        if len(self.cuts) < len(other.cuts):
            return other | self
        if len(other.cuts) == 2 and len(self.cuts) > 8 and not other.below:
            # Adding one interval to many: only the cuts within it need to be examined.
            i, j = bisect_left(self.cuts, other.cuts[0]), bisect_right(self.cuts, other.cuts[1])
            start, end = self.below ^ (i % 2 == 1), self.below ^ (j % 2 == 1)
            added = other.cuts[start : 1 if end else 2]
            return ValueLine(self.below, self.cuts[:i] + added + self.cuts[j:])
        inside = self.below or other.below
        cuts = []
        for cut, mine, others in _sides(self, other):
            if (mine or others) is not inside:
                inside = not inside
                cuts.append(cut)
        return ValueLine(self.below or other.below, tuple(cuts))

    def within(self, other: "ValueLine") -> bool:
        """Whether this is a subset of the other."""
        if self.below > other.below:
            return False
        mine, others = self.cuts, other.cuts
        if len(mine) == 2 == len(others) and not other.below:
            return others[0] <= mine[0] and mine[1] <= others[1]
        return self == other or all(there or not here for _, here, there in _sides(self, other))

    def meets(self, other: "ValueLine") -> bool:
        """Whether the two have a common value."""
        return not self.within(~other)

    def has(self, value: object) -> bool:
        """Whether it contains the value."""
        return self.below is (sum(cut <= (value, 0) for cut in self.cuts) % 2 == 0)

    def pieces(self) -> Iterator[tuple[Cut | None, Cut | None]]:
        """The intervals in ascending order, as pairs of cuts; None means unbounded."""
        ends: list[Cut | None] = [None] if self.below else []
        ends.extend(self.cuts)
        if len(ends) % 2:
            ends.append(None)
        yield from zip(ends[::2], ends[1::2], strict=True)


EMPTY = ValueLine(False, ())
FULL = ValueLine(True, ())


def _sides(a: ValueLine, b: ValueLine) -> Iterator[tuple[Cut, bool, bool]]:
    """Each cut of either set, and whether the values right after it are in `a` and in `b`."""
    in_a, in_b = a.below, b.below
    i = j = 0
    while i < len(a.cuts) or j < len(b.cuts):
        if j == len(b.cuts) or (i < len(a.cuts) and a.cuts[i] <= b.cuts[j]):
            cut = a.cuts[i]
            if j < len(b.cuts) and b.cuts[j] == cut:
                in_b, j = not in_b, j + 1
            in_a, i = not in_a, i + 1
        else:
            cut = b.cuts[j]
            in_b, j = not in_b, j + 1
        yield cut, in_a, in_b

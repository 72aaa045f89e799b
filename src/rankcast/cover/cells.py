"""Cells: the possible states of one attribute, over all kinds of values (semantics: Events and subscriptions)."""

from collections.abc import Iterator
from typing import NamedTuple

from rankcast.cover.line import EMPTY, FULL, ValueLine
from rankcast.cover.strings import ALL, NONE, StringLine

TRUE, FALSE, BOTH = 1, 2, 4
"""The states of a boolean attribute: only true, only false, both values. Combined as a mask of allowed states."""


class StringRequirement(NamedTuple):
    """The requirement on the strings of an attribute: at least one in each set of `some`, and none in `none`.

    An attribute may have several strings, so different strings may satisfy two members of `some`. The members
    therefore do not combine.
    """

    some: tuple[StringLine, ...] = ()
    none: StringLine = NONE

    def __bool__(self) -> bool:
        """Whether any strings can satisfy it."""
        if not self.none:
            return all(self.some)
        return not ALL.within(self.none) and not any(texts.within(self.none) for texts in self.some)

    def __and__(self, other: "StringRequirement") -> "StringRequirement":
        more = tuple(texts for texts in other.some if texts not in self.some)
        return StringRequirement(self.some + more, self.none | other.none)

    def within(self, other: "StringRequirement") -> bool:
        """Whether all strings that satisfy this also satisfy the other; exact."""
        if other.none and not other.none.within(self.none):
            return False
        for wanted in other.some:
            if wanted in self.some:
                continue
            enough = wanted | self.none if self.none else wanted
            if not any(texts.within(enough) for texts in self.some) and not ALL.within(enough):
                return False
        return True


ANY_TEXT = StringRequirement()


class Cell(NamedTuple):
    """A set of states of one attribute: missing, a number, a time, booleans, strings, or a list of numbers or times.

    An attribute has values of only one kind, so the parts are alternatives. `texts` None means no strings; an
    unsatisfiable `StringRequirement` never occurs. `lists` says the same of lists, whose members are named by strings
    (`member_name`). Cells are closed under `&`; the complement is a union of cells (`outside`).
    """

    missing: bool = False
    numbers: ValueLine = EMPTY
    times: ValueLine = EMPTY
    booleans: int = 0
    texts: StringRequirement | None = None
    lists: StringRequirement | None = None

    def __bool__(self) -> bool:
        some = self.texts is not None or self.lists is not None
        return bool(self.missing or self.numbers or self.times or self.booleans or some)

    def __and__(self, other: "Cell") -> "Cell":
        return Cell(
            self.missing and other.missing,
            self.numbers & other.numbers,
            self.times & other.times,
            self.booleans & other.booleans,
            _both(self.texts, other.texts),
            _both(self.lists, other.lists),
        )

    def within(self, other: "Cell") -> bool:
        """Whether this is a subset of the other; exact."""
        if self.missing > other.missing or self.booleans & ~other.booleans:
            return False
        if self.numbers is not EMPTY and not self.numbers.within(other.numbers):
            return False
        if self.times is not EMPTY and not self.times.within(other.times):
            return False
        return all(
            mine is None or (others is not None and mine.within(others))
            for mine, others in ((self.texts, other.texts), (self.lists, other.lists))
        )

    def meets(self, other: "Cell") -> bool:
        """Whether the two have a common state; exact."""
        if (self.missing and other.missing) or self.booleans & other.booleans:
            return True
        if self.numbers is not EMPTY and other.numbers is not EMPTY and self.numbers.meets(other.numbers):
            return True
        if self.times is not EMPTY and other.times is not EMPTY and self.times.meets(other.times):
            return True
        return any(
            _both(mine, others) is not None for mine, others in ((self.texts, other.texts), (self.lists, other.lists))
        )

    def union(self, other: "Cell") -> "Cell | None":
        """The union of both, if it is a single cell."""
        try:
            texts, lists = _either(self.texts, other.texts), _either(self.lists, other.lists)
        except _SeveralCells:
            return None
        return Cell(
            self.missing or other.missing,
            self.numbers | other.numbers,
            self.times | other.times,
            self.booleans | other.booleans,
            texts,
            lists,
        )

    def outside(self) -> Iterator["Cell"]:
        """Cells that together contain all other states."""
        plain = Cell(
            not self.missing,
            ~self.numbers,
            ~self.times,
            ~self.booleans & 7,
            ANY_TEXT if self.texts is None else None,
            ANY_TEXT if self.lists is None else None,
        )
        if plain:
            yield plain
        for other in _outside(self.texts):
            yield Cell(texts=other)
        for other in _outside(self.lists):
            yield Cell(lists=other)


class _SeveralCells(Exception):
    """The union of two requirements is not one requirement."""


def _both(a: StringRequirement | None, b: StringRequirement | None) -> StringRequirement | None:
    return None if a is None or b is None else a & b or None


def _either(a: StringRequirement | None, b: StringRequirement | None) -> StringRequirement | None:
    if a is None or b is None or a == b:
        return b if a is None else a
    if a.none != b.none or len(a.some) > 1 or len(b.some) > 1:
        raise _SeveralCells
    return StringRequirement((a.some[0] | b.some[0],) if a.some and b.some else (), a.none)


def _outside(wanted: StringRequirement | None) -> Iterator[StringRequirement]:
    """Requirements of which one is met where this one is not."""
    if wanted is not None:
        others = *(StringRequirement(none=texts) for texts in wanted.some), StringRequirement((wanted.none,))
        yield from (other for other in others if other)


ANY = Cell(True, FULL, FULL, 7, ANY_TEXT, ANY_TEXT)
NOTHING = Cell()

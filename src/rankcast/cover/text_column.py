"""Columns of string requirements: many requirements, some of which are compared with all at once."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from enum import IntEnum
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from rankcast.cover.cells import ANY_TEXT, StringRequirement
from rankcast.cover.haystack import Haystack
from rankcast.cover.line import EMPTY, ValueLine
from rankcast.cover.line_column import LineColumn, is_point
from rankcast.cover.strings import ALL, StringLine

if TYPE_CHECKING:
    from numpy.typing import NDArray


class TextKind(IntEnum):
    """The kind of requirement on the strings of an attribute."""

    NONE = 0
    """There are no strings."""
    ANY = 1
    LINE = 2
    """At least one lies on a line."""
    PART = 3
    """At least one contains a literal."""
    SUFFIX = 4
    """At least one ends with a literal."""


class TextOutline(NamedTuple):
    """A requirement that a column can compare."""

    kind: TextKind
    line: ValueLine = EMPTY
    literal: str = ""


def text_outline(texts: StringRequirement | None) -> TextOutline | None:
    """The outline of a requirement; None if it combines several.

    >>> text_outline(StringRequirement((StringLine.containing("a"),))).literal
    'a'
    """
    if texts is None:
        return TextOutline(TextKind.NONE)
    if texts == ANY_TEXT or texts == StringRequirement((ALL,)):
        return TextOutline(TextKind.ANY)
    if len(texts.some) != 1 or texts.none:
        return None
    only = texts.some[0]
    if only == StringLine(only.line):
        return TextOutline(TextKind.LINE, only.line)
    for kind, literals in ((TextKind.PART, only.contains), (TextKind.SUFFIX, only.endswith)):
        if len(literals) == 1 and only == _PATTERNS[kind](literals[0]):
            return TextOutline(kind, literal=literals[0])
    return None


_PATTERNS: dict[TextKind, Callable[[str], StringLine]] = {
    TextKind.PART: StringLine.containing,
    TextKind.SUFFIX: StringLine.ending,
}


class TextColumn:
    """String requirements, stored in slots.

    `compare` is exact, except that it may miss a line that lies within a pattern because of the order of characters.
    A pattern of c characters takes c^2 / 2 lookups of its substrings, or one test per other pattern if that is fewer,
    and one search in all others.
    """

    def __init__(self) -> None:
        self._outlines: list[TextOutline] = []
        self._kinds = np.zeros(8, np.int8)
        self._lines = LineColumn()
        self._slots_of: dict[TextKind, dict[str, list[int]]] = {TextKind.PART: {}, TextKind.SUFFIX: {}}
        self._stacks: dict[TextKind, tuple[list[list[int]], Haystack]] = {}
        self._cores_of: dict[int, tuple[str, ...]] = {}
        """The common prefix of each interval of each line."""
        self._cores: tuple[list[int], Haystack] | None = None
        self._pieces: NDArray[np.int64] = np.empty(0, np.int64)
        self._cofinite: dict[int, tuple[str, ...]] = {}
        """Lines of all strings except a few, with the excluded strings."""

    def put(self, slots: Sequence[int], outlines: Sequence[TextOutline]) -> None:
        """Put requirements into free slots: the first slot is 0, each further one at most one more than before."""
        room = max(slots, default=0) + 1
        while room > len(self._kinds):
            self._kinds = np.concatenate((self._kinds, np.zeros_like(self._kinds)))
        self._outlines += [TextOutline(TextKind.NONE)] * (room - len(self._outlines))
        self._lines.put(slots, [outline.line for outline in outlines])
        for slot, outline in zip(slots, outlines, strict=True):
            self._outlines[slot] = outline
            self._kinds[slot] = outline.kind
            if outline.kind in self._slots_of:
                self._slots_of[outline.kind].setdefault(outline.literal, []).append(slot)
                self._stacks.pop(outline.kind, None)
            elif outline.kind is TextKind.LINE:
                self._cores = None
                self._cores_of[slot] = tuple(_cores(outline.line))
                excluded = _all_but(outline.line)
                if excluded is not None:
                    self._cofinite[slot] = excluded

    def remove(self, slot: int) -> None:
        """Free a slot."""
        outline = self._outlines[slot]
        if outline.kind in self._slots_of:
            slots = self._slots_of[outline.kind][outline.literal]
            slots.remove(slot)
            if not slots:
                del self._slots_of[outline.kind][outline.literal]
            self._stacks.pop(outline.kind, None)
        elif outline.kind is TextKind.LINE:
            self._cores = None
            del self._cores_of[slot]
            self._cofinite.pop(slot, None)
        self._lines.remove(slot)
        self._outlines[slot] = TextOutline(TextKind.NONE)
        self._kinds[slot] = TextKind.NONE

    def compare(self, slots: "NDArray[np.int64]") -> "tuple[NDArray[np.bool_], NDArray[np.bool_]] | None":
        """Compare some slots with every slot: whether the first lies within the second, and whether it contains it.

        None if all require no strings, or all require any string.
        """
        kinds = self._kinds[: len(self._outlines)]
        if kinds[0] < TextKind.LINE and (kinds == kinds[0]).all():
            return None
        own = kinds[slots, None]
        within = (own == TextKind.NONE) | (kinds == TextKind.ANY)
        containing = (own == TextKind.ANY) | (kinds == TextKind.NONE)
        if (kinds < TextKind.LINE).all():
            return within, containing
        is_line = kinds == TextKind.LINE
        if is_line.any():
            both = (own == TextKind.LINE) & is_line
            lines = self._lines.compare(slots)
            within |= both if lines is None else both & lines[0]
            containing |= both if lines is None else both & lines[1]
        if not self._slots_of[TextKind.PART] and not self._slots_of[TextKind.SUFFIX]:
            return within, containing
        for number, slot in enumerate(slots.tolist()):
            outline = self._outlines[slot]
            if outline.kind is TextKind.LINE:
                within[number, list(self._patterns_around(slot))] = True
                containing[number, list(self._patterns_on(slot))] = True
            elif outline.kind > TextKind.LINE:
                within[number, list(self._around(outline))] = True
                containing[number, list(self._inside(outline))] = True
        return within, containing

    def _around(self, outline: TextOutline) -> Iterator[int]:
        """The slots that contain a pattern."""
        literal = outline.literal
        for part in self._parts_of(literal):
            yield from self._slots_of[TextKind.PART][part]
        for slot, excluded in self._cofinite.items():
            if not any(_fits(outline.kind, literal, word) for word in excluded):
                yield slot
        if outline.kind is TextKind.SUFFIX:
            for start in range(len(literal)):
                yield from self._slots_of[TextKind.SUFFIX].get(literal[start:], ())

    def _inside(self, outline: TextOutline) -> Iterator[int]:
        """The slots that lie within a pattern."""
        literal = outline.literal
        if outline.kind is TextKind.PART:
            for kind in (TextKind.PART, TextKind.SUFFIX):
                groups, stack = self._stack(kind)
                for number in stack.containing(literal):
                    yield from groups[number]
            places, stack = self._stack_of_cores()
            hits = [places[number] for number in stack.containing(literal)]
            if hits:
                found = np.bincount(hits, minlength=len(self._pieces))
                yield from np.flatnonzero((found > 0) & (found == self._pieces)).tolist()
            return
        for other, slots_of in self._slots_of[TextKind.SUFFIX].items():
            if other.endswith(literal):
                yield from slots_of
        for slot, cores in self._cores_of.items():
            if cores[0].endswith(literal) and self._line_fits(slot, TextKind.SUFFIX, literal):
                yield slot

    def _patterns_around(self, slot: int) -> Iterator[int]:
        """The patterns that contain a line."""
        core = min(self._cores_of[slot], key=len)
        candidates = {TextKind.PART: self._parts_of(core), TextKind.SUFFIX: self._suffixes_of(core)}
        for kind, literals in candidates.items():
            for literal in literals:
                if self._line_fits(slot, kind, literal):
                    yield from self._slots_of[kind][literal]

    def _patterns_on(self, slot: int) -> Iterator[int]:
        """The patterns that lie on a line."""
        excluded = self._cofinite.get(slot)
        if excluded is None:
            return
        for kind, slots_of in self._slots_of.items():
            for literal, slots in slots_of.items():
                if not any(_fits(kind, literal, word) for word in excluded):
                    yield from slots

    def _parts_of(self, text: str) -> Iterable[str]:
        """The pattern literals that a text contains."""
        literals = self._slots_of[TextKind.PART]
        if len(text) * (len(text) + 1) // 2 > len(literals):
            return [literal for literal in literals if literal in text]
        ends = range(1, len(text) + 1)
        return {text[start:end] for end in ends for start in range(end)} & literals.keys()

    def _suffixes_of(self, text: str) -> Iterable[str]:
        literals = self._slots_of[TextKind.SUFFIX]
        return [text[start:] for start in range(len(text)) if text[start:] in literals]

    def _stack(self, kind: TextKind) -> tuple[list[list[int]], Haystack]:
        if kind not in self._stacks:
            slots_of = self._slots_of[kind]
            self._stacks[kind] = list(slots_of.values()), Haystack(slots_of)
        return self._stacks[kind]

    def _stack_of_cores(self) -> tuple[list[int], Haystack]:
        """All of `_cores_of`, with their slots."""
        if self._cores is None:
            places = [slot for slot, cores in self._cores_of.items() for _ in cores]
            self._cores = places, Haystack(core for cores in self._cores_of.values() for core in cores)
            self._pieces = np.bincount(np.array(places, np.int64), minlength=len(self._outlines))
        return self._cores

    def _line_fits(self, slot: int, kind: TextKind, literal: str) -> bool:
        if kind is TextKind.SUFFIX and not all(is_point(*piece) for piece in self._outlines[slot].line.pieces()):
            return False
        return all(_fits(kind, literal, core) for core in self._cores_of[slot])


def _fits(kind: TextKind, literal: str, word: str) -> bool:
    return literal in word if kind is TextKind.PART else word.endswith(literal)


def _cores(line: ValueLine) -> Iterator[str]:
    """The common prefix of the strings of each interval."""
    for start, end in line.pieces():
        low, high = "" if start is None else start[0], None if end is None else end[0]
        if high is None or not low:
            yield ""
        elif StringLine.starting(low) == StringLine.interval(low, high) or is_point(start, end):
            yield low
        else:
            yield low[
                : next((i for i, (a, b) in enumerate(zip(low, high, strict=False)) if a != b), min(len(low), len(high)))
            ]


def _all_but(line: ValueLine) -> tuple[str, ...] | None:
    """The strings that are not on a line, if there are only a few."""
    excluded: list[str] = []
    for start, end in (~line).pieces():
        low = "" if start is None else start[0]
        if end is None or not end[0].startswith(low) or end[0][len(low) :].strip("\0"):
            return None
        excluded += [low + "\0" * more for more in range(len(end[0]) - len(low))]
    return tuple(excluded)

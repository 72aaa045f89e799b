"""Sets of strings: unions of intervals in code point order and of the strings that contain or end with a literal."""

from collections.abc import Iterable, Iterator
from typing import NamedTuple

from rankcast.cover.line import EMPTY, FULL, ValueLine
from rankcast.model import Op, string_test

_LAST = 0x10FFFF
_SURROGATES = range(0xD800, 0xE000)
_MOST_PARTS = 4096


class StringLine(NamedTuple):
    r"""A set of strings: an interval part and string patterns.

    It holds the strings on `line`, those that contain one of some literals, those that end with one, and those that
    pass some other test.

    Strings are ordered by code point, so the successor of ``'a'`` is ``'a\0'``. Every interval is stored as [low,
    high), and a prefix is also an interval (``startswith 'ab'`` is ['ab', 'ac')). This makes `within` *exact*: an
    interval is either finite or contains all strings with some prefix, and a prefix can be followed by a character
    that no literal contains.

    >>> StringLine.starting("ab").within(StringLine.containing("b"))
    True
    >>> StringLine.containing("b").within(StringLine.starting("ab"))
    False
    """

    line: ValueLine
    contains: tuple[str, ...] = ()
    endswith: tuple[str, ...] = ()
    passing: tuple[tuple[str, str], ...] = ()
    """Other tests, as operator and operand. It is only known which single strings pass them."""

    @classmethod
    def these(cls, values: Iterable[str]) -> "StringLine":
        """A set of single strings."""
        line = EMPTY
        for value in values:
            line |= _interval(value, value + "\0")
        return cls(line)

    @classmethod
    def interval(cls, low: str, high: str | None) -> "StringLine":
        """The strings from `low` up to but excluding `high`; None means unbounded."""
        return cls(_interval(low, high))

    @classmethod
    def starting(cls, prefix: str) -> "StringLine":
        """All strings that start with the literal."""
        kept = prefix.rstrip(chr(_LAST))
        if not kept:
            return cls.interval(prefix, None)
        following = ord(kept[-1]) + 1
        following = _SURROGATES.stop if following in _SURROGATES else following
        return cls.interval(prefix, kept[:-1] + chr(following))

    @classmethod
    def containing(cls, literal: str) -> "StringLine":
        """All strings that contain the literal."""
        return cls(EMPTY, contains=(literal,)) if literal else ALL

    @classmethod
    def ending(cls, literal: str) -> "StringLine":
        """All strings that end with the literal."""
        return cls(EMPTY, endswith=(literal,)) if literal else ALL

    @classmethod
    def those_passing(cls, op: Op, operand: str) -> "StringLine":
        """All strings that pass a test about which nothing more is known."""
        return cls(EMPTY, passing=((op.value, op.fold(operand)),))

    def __bool__(self) -> bool:
        return bool(self.line or self.contains or self.endswith or self.passing)

    def __invert__(self) -> "StringLine":
        """The complement; only for a set without patterns."""
        return StringLine(~self.line)

    def __or__(self, other: "StringLine") -> "StringLine":
        line = self.line | other.line
        if line == FULL:
            return ALL
        contains = sorted({*self.contains, *other.contains})
        contains = [word for word in contains if not any(part != word and part in word for part in contains)]
        endswith = sorted({*self.endswith, *other.endswith})
        passing = self.passing or other.passing
        if self.passing and other.passing:
            passing = tuple(sorted({*self.passing, *other.passing}))
        return StringLine(line, tuple(contains), tuple(endswith), passing)

    def has(self, value: str) -> bool:
        """Whether it contains the string."""
        return self.line.has(value) or self._matches(value)

    def within(self, other: "StringLine") -> bool:
        """Whether this is a subset of the other.

        Exact, except that it may return False for intervals with bounds that differ in thousands of characters, and
        for other tests.
        """
        if not (self.contains or self.endswith or self.passing or other.contains or other.endswith or other.passing):
            return self.line.within(other.line)
        if self == other or other.line == FULL:
            return True
        if self.passing and not set(self.passing) <= set(other.passing):
            return False
        rest = ~other.line
        return (
            all(other._matches_all(low, high) for low, high in _bounds(self.line & rest))
            and all(other._has_pattern(word, rest, open_end=True) for word in self.contains)
            and all(other._has_pattern(word, rest, open_end=False) for word in self.endswith)
        )

    def _matches(self, value: str) -> bool:
        return (
            any(word in value for word in self.contains)
            or value.endswith(self.endswith)
            or any(string_test(Op.of(symbol), operand)(value) for symbol, operand in self.passing)
        )

    def _contained(self, prefix: str) -> bool:
        return any(word in prefix for word in self.contains)

    def _has_pattern(self, literal: str, rest: ValueLine, open_end: bool) -> bool:
        """Whether every string with this literal, inside or at the end, has a pattern or lies outside `rest`."""
        if self._contained(literal) or (not open_end and literal.endswith(self.endswith)):
            return True
        if rest == FULL:
            return False
        for low, high in _bounds(rest):
            for prefix, after in _parts(low, high):
                if after is None:
                    held = literal in prefix if open_end else prefix.endswith(literal)
                    if held and not self._matches(prefix):
                        return False
                elif not self._matches_cones(prefix, after):
                    return False
        return True

    def _matches_all(self, low: str, high: str | None) -> bool:
        """Whether every string of the interval has one of the patterns."""
        return all(
            self._matches(prefix) if after is None else self._matches_cones(prefix, after)
            for prefix, after in _parts(low, high)
        )

    def _matches_cones(self, prefix: str, after: range) -> bool:
        """Whether all strings that continue the prefix with one of the characters contain a literal.

        These strings can have any ending, so only literals within the prefix itself count.
        """
        if self._contained(prefix):
            return True
        size = sum(1 for _ in zip(_characters(after), range(len(self.contains) + 1), strict=False))
        return size <= len(self.contains) and all(self._contained(prefix + char) for char in _characters(after))


ALL = StringLine(FULL)
NONE = StringLine(EMPTY)


def _interval(low: str, high: str | None) -> ValueLine:
    if high is not None and low >= high:
        return EMPTY
    cuts = (((low, 0),) if low else ()) + (((high, 0),) if high is not None else ())
    return ValueLine(not low, cuts)


def _bounds(line: ValueLine) -> Iterator[tuple[str, str | None]]:
    for start, end in line.pieces():
        yield (start[0] if start else ""), (end[0] if end else None)


def _characters(codes: range) -> Iterator[str]:
    return (chr(code) for code in codes if code not in _SURROGATES)


def _parts(low: str, high: str | None) -> Iterator[tuple[str, range | None]]:
    """[low, high) as single strings (s, None) and as sets (prefix, codes).

    A set holds all strings that continue the prefix with one of the characters. Short prefixes come first, because
    they decide most often.
    """
    shared = 0
    if high is not None:
        while shared < len(low) and shared < len(high) and low[shared] == high[shared]:
            shared += 1
    if len(low) + len(high or "") - 2 * shared > _MOST_PARTS:
        # A weaker answer is sound: the interval is a part of all strings that start with the common prefix of its
        # bounds.
        yield low[:shared], range(_LAST + 1)
        return
    if high is None:
        yield from _from(low, 0)
        return
    if shared == len(low):
        yield low, None
        yield low, range(ord(high[shared]))
    else:
        yield low[:shared], range(ord(low[shared]) + 1, ord(high[shared]))
        yield from _from(low, shared + 1)
    for i in range(shared + 1, len(high)):
        yield high[:i], None
        yield high[:i], range(ord(high[i]))


def _from(low: str, shared: int) -> Iterator[tuple[str, range | None]]:
    """The parts of all strings from `low` on that start with its first `shared` characters."""
    for i in range(shared, len(low)):
        yield low[:i], range(ord(low[i]) + 1, _LAST + 1)
    yield low, None
    yield low, range(_LAST + 1)

"""Finding all string tests that a string passes at once."""

from collections.abc import Callable, Iterable, Sequence
from functools import cached_property
from typing import TypeAlias

from rankcast.errors import ModelError
from rankcast.model import Op, StringTest, string_test
from rankcast.model.regexes import regex_options

MEMBERS = -1
"""In place of the number of an operator: the attribute holds the members of a list of numbers or times."""

Finder: TypeAlias = Callable[[str], Iterable[int]]
"""Finds the operands that a string passes, by index."""

_MOST_FILTERED = 8192
"""The most patterns that share one pass over a string; more would need too much memory."""


def operator_at(number: int) -> Op:
    """The operator with this number in compiled indexes: all operators except comparisons, in the order of `Op`."""
    return [op for op in Op if op.sides is None][number]


def number_of(op: Op | None) -> int:
    """The number of an operator; None stands for the members of lists.

    >>> operator_at(number_of(Op.ENDSWITH)) is Op.ENDSWITH
    True
    """
    return MEMBERS if op is None else [one for one in Op if one.sides is None].index(op)


class AttributePatterns:
    """The operands of one attribute under one operator, by number.

    A string takes one pass: an Aho-Corasick automaton for ``contains``, one lookup per length in use for
    ``startswith`` and ``endswith``, RE2's filter for ``matches``. An operator that folds strings costs as much as the
    operator that then decides. Any other operator is decided operand by operand, and the caller caches the answer.
    The search structures are built on first use.

    >>> AttributePatterns(Op.CONTAINS, ["b", "abc", ""]).fitting("abcd")
    [0, 1, 2]
    """

    def __init__(self, op: Op, texts: Sequence[str]) -> None:
        self._op = op
        self._numbers: dict[str, list[int]] = {}
        for number, text in enumerate(texts):
            self._numbers.setdefault(op.fold(text), []).append(number)

    def fitting(self, value: str) -> list[int]:
        """The numbers of the operands that the string passes, ascending."""
        found = self._find(self._op.fold(value))
        return sorted(number for place in found for number in self._of_place[place])

    @cached_property
    def _of_place(self) -> list[list[int]]:
        return list(self._numbers.values())

    @cached_property
    def _find(self) -> Finder:
        return _FINDERS.get(self._op.like, _one_by_one(self._op.like))(list(self._numbers))


def _one_by_one(op: Op) -> Callable[[Sequence[str]], Finder]:
    def finder(texts: Sequence[str]) -> Finder:
        tests: list[StringTest] = [string_test.__wrapped__(op, text) for text in texts]
        return lambda value: [place for place, passes in enumerate(tests) if passes(value)]

    return finder


def _containing(texts: Sequence[str]) -> Finder:
    from ahocorasick_rs import AhoCorasick

    places = [place for place, text in enumerate(texts) if text]
    always = {place for place, text in enumerate(texts) if not text}
    if not places:
        return lambda value: always
    automaton = AhoCorasick([texts[place] for place in places])

    def find(value: str) -> Iterable[int]:
        found = automaton.find_matches_as_indexes(value, overlapping=True)
        return always.union(places[match[0]] for match in found)

    return find


def _starting(texts: Sequence[str]) -> Finder:
    place_of = {text: place for place, text in enumerate(texts)}
    lengths = sorted({len(text) for text in texts})

    def find(value: str) -> Iterable[int]:
        starts = (value[:length] for length in lengths if length <= len(value))
        return [place_of[start] for start in starts if start in place_of]

    return find


def _ending(texts: Sequence[str]) -> Finder:
    find = _starting([text[::-1] for text in texts])
    return lambda value: find(value[::-1])


def _equal(texts: Sequence[str]) -> Finder:
    place_of = {text: [place] for place, text in enumerate(texts)}
    return lambda value: place_of.get(value, ())


def _matching(texts: Sequence[str]) -> Finder:
    """Search for the literals that patterns require in one pass, and try only patterns with a hit."""
    if len(texts) <= _MOST_FILTERED:
        try:
            return _filtered(texts)
        except ModelError:
            if len(texts) == 1:
                return _one_by_one(Op.MATCHES)(texts)
    half = min((len(texts) + 1) // 2, _MOST_FILTERED)
    first, rest = _matching(texts[:half]), _matching(texts[half:])
    return lambda value: [*first(value), *(half + place for place in rest(value))]


def _filtered(texts: Sequence[str]) -> Finder:
    import re2

    options = regex_options()
    patterns = re2.Filter()
    try:
        for text in texts:
            patterns.Add(text, options)
        patterns.Compile()
    except re2.error as error:
        raise ModelError(f"too many patterns for one filter: {error}") from None
    return lambda value: patterns.Match(value) or ()


_FINDERS: dict[Op, Callable[[Sequence[str]], Finder]] = {
    Op.EQ: _equal,
    Op.CONTAINS: _containing,
    Op.STARTSWITH: _starting,
    Op.ENDSWITH: _ending,
    Op.MATCHES: _matching,
}
"""The operators that are decided for all operands at once."""

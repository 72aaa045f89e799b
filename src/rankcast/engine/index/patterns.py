"""Which of many string patterns a string fits, all found at once."""

from collections.abc import Sequence
from functools import cached_property

from rankcast.model import Op

__all__ = ["OPERATORS", "AttributePatterns"]

OPERATORS = (Op.CONTAINS, Op.STARTSWITH, Op.ENDSWITH)


class AttributePatterns:
    """The patterns of one attribute under one operator, by number.

    A string costs one pass over it: through an Aho-Corasick automaton for ``contains``, a look-up per length in use
    for the other two. The automaton is built when first needed.

    >>> AttributePatterns(Op.CONTAINS, ["b", "abc", ""]).fitting("abcd")
    [0, 1, 2]
    """

    def __init__(self, op: Op, texts: Sequence[str]) -> None:
        self._op = op
        self._number = {text: number for number, text in enumerate(texts)}
        self._lengths = sorted({len(text) for text in self._number})

    def fitting(self, value: str) -> list[int]:
        """The numbers of the patterns that the string fits, ascending."""
        if self._op is Op.CONTAINS:
            found = set(self._automaton.find_matches_as_indexes(value, overlapping=True)) if self._texts else ()
            numbers = {self._number[self._texts[match[0]]] for match in found}
            if "" in self._number:
                numbers.add(self._number[""])
            return sorted(numbers)
        ends = (
            value[:length] if self._op is Op.STARTSWITH else value[len(value) - length :]
            for length in self._lengths
            if length <= len(value)
        )
        return sorted(self._number[end] for end in ends if end in self._number)

    @cached_property
    def _texts(self) -> list[str]:
        return [text for text in self._number if text]

    @cached_property
    def _automaton(self):  # type: ignore[no-untyped-def]
        from ahocorasick_rs import AhoCorasick

        return AhoCorasick(self._texts)

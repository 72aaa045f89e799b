"""Operators. The parser, labels, forms, engines and documentation are derived from one declaration per operator.

To add an operator, add a member to `Op`; nothing else needs to change. By default, covering assumes that the operator
covers only itself, and the index evaluates it once per distinct value.
"""

from collections.abc import Callable
from dataclasses import dataclass
from enum import Enum
from functools import lru_cache
from typing import Any, NamedTuple, Self, TypeAlias

from rankcast.errors import ModelError
from rankcast.model.regexes import check_regex, check_words, regex_test, word_key
from rankcast.model.values import Kind, Scalar, kind_of

StringTest: TypeAlias = Callable[[str], bool]

_ANY_KIND = tuple(Kind)
_ORDERED = (Kind.NUMBER, Kind.STRING, Kind.TIME)
_STRINGS = (Kind.STRING,)
_MEMBERS = (Kind.NUMBER, Kind.TIME)
_PREPARED = 1024
"""Number of string tests that are cached. They include compiled regular expressions, so this bounds their memory."""


class Sides(NamedTuple):
    """Which values pass a comparison: those below the operand, equal to it, above it."""

    below: bool
    at: bool
    above: bool


@dataclass(frozen=True, kw_only=True)
class Operator:
    """The declaration of an operator.

    Parameters
    ----------
    symbol
        How expressions write it.
    words
        How labels and forms show it to people; `time_words` replaces it for times.
    kinds
        The kinds of operand that it accepts, and therefore the kinds of values that can pass.
    passes
        A description of the values that pass, for the table in the documentation.
    example
        A predicate that uses it.
    sides
        For a comparison: which values pass. Matching, covering, the index and imprecise matching follow from it.
    test
        For a string test: returns the test for an operand. Such an operator takes numbers and times only as
        ``contains`` does: it asks for a member of a list.
    like, fold
        Used instead of `test`: apply `fold` to value and operand, then decide with the operator `like`.
    check
        Raises `ModelError` for a string that cannot be the operand.
    offered
        The kinds of attributes for which forms offer it; None means all of `kinds`.
    aliases
        Names for it in other languages, for hints in error messages.
    is_reserved
        Whether an attribute with the operator's name needs double quotes. A new operator must not set this,
        because stored expressions may use the name.
    """

    symbol: str
    words: str
    kinds: tuple[Kind, ...]
    passes: str
    example: str
    time_words: str | None = None
    sides: Sides | None = None
    test: Callable[[str], StringTest] | None = None
    like: "Operator | None" = None
    fold: Callable[[str], str] | None = None
    check: Callable[[str], object] | None = None
    offered: tuple[Kind, ...] | None = None
    aliases: tuple[str, ...] = ()
    is_reserved: bool = False

    def is_offered(self, kind: Kind | None) -> bool:
        """Whether a form offers the operator for an attribute of this kind; None means that the kind is unknown."""
        return kind is None or kind in (self.kinds if self.offered is None else self.offered)


def _comparison(symbol: str, words: str, sides: tuple[bool, bool, bool], **more: Any) -> Operator:
    return Operator(
        symbol=symbol,
        words=words,
        sides=Sides(*sides),
        kinds=_ORDERED,
        offered=(Kind.NUMBER, Kind.TIME),
        example=f"year {symbol} 1999",
        **more,
    )


def _in_any_case(symbol: str, like: Operator, words: str, passes: str, example: str, **more: Any) -> Operator:
    return Operator(
        symbol=symbol,
        words=words,
        kinds=_STRINGS,
        passes=f"{passes} in any case",
        example=example,
        like=like,
        fold=str.casefold,
        **more,
    )


class _DeclaredOperator(Enum):
    """An operator with its symbol as value."""

    _value_: str
    declared: Operator
    sides: Sides | None

    def __new__(cls, declared: Operator) -> Self:
        """Create a member with the symbol as its value."""
        member = object.__new__(cls)
        member._value_ = declared.symbol
        member.declared = declared
        member.sides = declared.sides
        return member


class Op(_DeclaredOperator):
    """The operators that compare with one value. Add new ones at the end, because compiled indexes number them."""

    EQ = Operator(
        symbol="=",
        words="is",
        kinds=_ANY_KIND,
        passes="the same value; integers and reals compare exactly",
        example="genre = 'drama'",
        sides=Sides(False, True, False),
        aliases=("==", "equals"),
    )
    NE = Operator(
        symbol="!=",
        words="is not",
        kinds=_ANY_KIND,
        passes="any other value of the type",
        example="genre != 'drama'",
        sides=Sides(True, False, True),
        aliases=("<>",),
    )
    LT = _comparison("<", "below", (True, False, False), time_words="before", passes="smaller or earlier values")
    LE = _comparison("<=", "at most", (True, True, False), time_words="up to", passes="the same value and those below")
    GT = _comparison(">", "above", (False, False, True), time_words="after", passes="larger or later values")
    GE = _comparison(">=", "at least", (False, True, True), time_words="from", passes="the same value and those above")
    CONTAINS = Operator(
        symbol="contains",
        words="contains",
        kinds=(*_STRINGS, *_MEMBERS),
        passes="strings with this part; lists of numbers or times with this member, and the member alone",
        example="title contains 'moon'",
        test=lambda operand: lambda value: operand in value,
        aliases=("like",),
        is_reserved=True,
    )
    STARTSWITH = Operator(
        symbol="startswith",
        words="starts with",
        kinds=_STRINGS,
        passes="strings with this beginning",
        example="title startswith 'The '",
        test=lambda operand: lambda value: value.startswith(operand),
        is_reserved=True,
    )
    ENDSWITH = Operator(
        symbol="endswith",
        words="ends with",
        kinds=_STRINGS,
        passes="strings with this end",
        example="title endswith 'II'",
        test=lambda operand: lambda value: value.endswith(operand),
        is_reserved=True,
    )

    IEQUALS = _in_any_case("iequals", EQ, "is, in any case,", "the same string", "director iequals 't. burton'")
    ICONTAINS = _in_any_case(
        "icontains",
        CONTAINS,
        "contains, in any case,",
        "strings with this part",
        "title icontains 'moon'",
        aliases=("ilike",),
    )
    ISTARTSWITH = _in_any_case(
        "istartswith",
        STARTSWITH,
        "starts, in any case, with",
        "strings with this beginning",
        "title istartswith 'the '",
    )
    IENDSWITH = _in_any_case(
        "iendswith", ENDSWITH, "ends, in any case, with", "strings with this end", "title iendswith 'ii'"
    )
    HAS = Operator(
        symbol="has",
        words="has the words",
        kinds=_STRINGS,
        passes="strings with this word, or these words in a row, in any case",
        example="title has 'blue moon'",
        like=CONTAINS,
        fold=word_key,
        check=check_words,
    )

    MATCHES = Operator(
        symbol="matches",
        words="matches the pattern",
        kinds=_STRINGS,
        passes="strings in which this regular expression (RE2) is found",
        example="title matches '^The .* (rises|returns)$'",
        test=regex_test,
        check=check_regex,
        aliases=("regexp", "rlike"),
    )

    @classmethod
    def of(cls, symbol: str) -> "Op":
        """The operator with this symbol."""
        return _OPS[symbol]

    @property
    def like(self) -> "Op":
        """The operator that decides after folding; the operator itself if there is none."""
        return self if self.declared.like is None else Op.of(self.declared.like.symbol)

    def fold(self, text: str) -> str:
        """The folded form of a string. Two operands with the same folded form mean the same."""
        return text if self.declared.fold is None else self.declared.fold(text)

    def check(self, operand: Scalar) -> None:
        """Raise `ModelError` if the value cannot be the operand."""
        kind = kind_of(operand)
        if kind not in self.declared.kinds:
            wanted = [one.value for one in self.declared.kinds]
            listed = " or ".join([", ".join(wanted[:-1]), wanted[-1]] if len(wanted) > 1 else wanted)
            raise ModelError(f"{self.value} needs a {listed}, not the {kind.value} {operand!r}")
        if self.declared.check is not None:
            self.declared.check(str(operand))


_OPS = {op.value: op for op in Op}


class SpecialOp(_DeclaredOperator):
    """The operators that take no value, several values, or the name of a concept. Each has its own test class."""

    IN = Operator(
        symbol="in",
        words="is one of",
        kinds=_ANY_KIND,
        passes="values equal to one of those listed",
        example="genre in ('drama', 'short')",
        offered=(Kind.STRING, Kind.NUMBER),
        is_reserved=True,
    )
    BETWEEN = Operator(
        symbol="between",
        words="between",
        kinds=_ORDERED,
        passes="values from the first to the second, both included; one test of one value",
        example="rating between 7 and 10",
        offered=(Kind.NUMBER, Kind.TIME),
        is_reserved=True,
    )
    EXISTS = Operator(
        symbol="exists",
        words="is given",
        kinds=_ANY_KIND,
        passes="any value",
        example="mpaa exists",
        is_reserved=True,
    )
    IS = Operator(
        symbol="is",
        words="is (vaguely)",
        kinds=(Kind.STRING, Kind.NUMBER),
        passes="values that belong to the concept: see [Approximate matching](#approximate-matching)",
        example="price is very cheap [0.8, 0]",
        offered=(),
        is_reserved=True,
    )


@lru_cache(maxsize=_PREPARED)
def string_test(op: Op, operand: str) -> StringTest:
    """The string test of an operator that is not a comparison, for this operand.

    >>> string_test(Op.STARTSWITH, "The ")("The Blue Angel")
    True
    """
    declared = op.declared
    if declared.fold is not None:
        wanted, fold, test = declared.fold(operand), declared.fold, _plain_test(op.like)
        passes = test(wanted)
        return lambda value: passes(fold(value))
    return _plain_test(op)(operand)


def _plain_test(op: Op) -> Callable[[str], StringTest]:
    if op.declared.test is not None:
        return op.declared.test
    sides = op.sides
    if sides is None:
        raise ModelError(f"the operator {op.value} declares neither sides nor a test")
    return lambda operand: (
        lambda value: sides.below if value < operand else sides.above if value > operand else sides.at
    )


def is_operand(op: Op, value: Scalar) -> bool:
    """Whether the operator accepts this value.

    >>> is_operand(Op.STARTSWITH, 5), is_operand(Op.EQ, 5)
    (False, True)
    """
    try:
        op.check(value)
    except ModelError:
        return False
    return True

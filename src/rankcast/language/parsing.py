"""The parser of the text form of expressions (semantics: Events and subscriptions; semantics: Approximate matching).

::

    expression  = all ("or" all)*
    all         = operand ("and" operand)*
    operand     = "not" operand | "(" expression ")" | "true" | predicate
    predicate   = name test ["[" number "," number "]"]
    test        = operator value
                | "in" "(" value ("," value)* ")" | "between" value "and" value | "exists"
                | "is" ("not" | "very" | "somewhat")* name
    operator    = the symbol of one of `Op`: "=" | "<" | "contains" | …
    value       = 'string' | number | "true" | "false" | "date" 'yyyy-mm-dd' | "time" 'yyyy-mm-ddThh:mm:ssZ'
    name        = word | "any text"

Keywords are case-insensitive.

The parser is written by hand, because millions of subscriptions may be read. A lark parser (LALR, contextual lexer)
took 99 us for a subscription of three predicates without building the model; this one takes 34 us including the
model. lark also took 0.17 s to start, and could list the expected tokens but not explain the mistake. This parser
recurs only for brackets: three frames for each of at most `MAX_DEPTH` levels.
"""

import re
from datetime import datetime
from typing import assert_never

from rankcast import model
from rankcast.errors import ExpressionError, ModelError
from rankcast.language.complaints import no_attribute, no_concept, no_end, no_operator, no_value
from rankcast.language.limits import (
    MAX_DEPTH,
    MAX_LENGTH,
    MAX_PREDICATES,
    check_limits,
    too_deep,
    too_long,
    too_many_predicates,
)
from rankcast.language.printing import show_value
from rankcast.language.times import parse_time
from rankcast.language.tokens import HEDGES, KEYWORDS, NAME, Tokens
from rankcast.model import MAX_NAME, MAX_TEXT, Scalar, check_name, check_scalar

_NUMBER = re.compile(r"-?(?:[0-9]+(?:\.[0-9]+)?|\.[0-9]+)(?:[eE][+-]?[0-9]+)?")
_DATE = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}")
NUMBER_STARTS = frozenset("-+.0123456789")
"""The characters with which a number, valid or not, begins."""


_ATTITUDES = {one.value: one for one in model.Attitude}

_OPS = {op.value: op for op in model.Op}
_SPECIAL = {op.value: op for op in model.SpecialOp}
_LONGEST_SHOWN = 5  # `show` writes at most this many times as much text as it was parsed from


def parse(text: str) -> model.Expression:
    """Parse an expression.

    Raises `ExpressionError` with the position of the error, or `LimitError` if the text is too long, too deeply
    nested or has too many predicates. O(characters).

    >>> parse("genre = 'drama' and not year < 1999")  # doctest: +NORMALIZE_WHITESPACE
    And(parts=(Predicate(attribute='genre', test=Compare(op=<Op.EQ: '='>, value='drama'), thresholds=None),
               Not(part=Predicate(attribute='year', test=Compare(op=<Op.LT: '<'>, value=1999), thresholds=None))))
    >>> parse("title startwith 'The'")  # doctest: +ELLIPSIS
    Traceback (most recent call last):
    ...
    rankcast.errors.ExpressionError: found 'startwith' after 'title', where an operator should be (=, ..., is); \
did you mean 'startswith'? (at character 7)
    """
    _check_text(text)
    parser = _Parser(text)
    expression = parser.expression(0)
    if parser.pieces[parser.at]:
        raise no_end(parser)
    # 'and' inside 'or' adds levels without brackets, and `show` may write a longer text than it was parsed from.
    if parser.deepest >= MAX_DEPTH // 2 or len(text) > MAX_LENGTH // _LONGEST_SHOWN:
        check_limits(expression, text)
    return expression


def parse_term(text: str) -> model.Term:
    """Parse a concept with its hedges, as it stands after ``is``.

    >>> parse_term("not very cheap")
    Term(concept='cheap', hedges=(<Hedge.NOT: 'not'>, <Hedge.VERY: 'very'>))
    """
    _check_text(text)
    parser = _Parser(text)
    term = parser.term()
    if parser.pieces[parser.at]:
        raise parser.error(f"{parser.found()}, where nothing more should be")
    return term


def _check_text(text: str) -> None:
    if len(text) > MAX_LENGTH:
        raise too_long(text, len(text))
    if not text.isascii():
        try:
            text.encode()
        except UnicodeEncodeError as error:
            raise ExpressionError(
                "text that is not valid Unicode (half of a surrogate pair)", text, error.start
            ) from None


class _Parser(Tokens):
    """Parses the tokens in one pass from left to right."""

    __slots__ = ("deepest", "predicates")

    def __init__(self, text: str) -> None:
        super().__init__(text)
        self.deepest = 0
        self.predicates = 0

    def expression(self, depth: int) -> model.Expression:
        """Operands joined by `and` and `or`, as far as possible."""
        alternatives: list[model.Expression] = []
        while True:
            parts = [self.operand(depth)]
            while (word := self.pieces[self.at].lower()) == "and":
                self.at += 1
                parts.append(self.operand(depth))
            alternatives.append(parts[0] if len(parts) == 1 else model.And(tuple(parts)))
            if word != "or":
                return alternatives[0] if len(alternatives) == 1 else model.Or(tuple(alternatives))
            self.at += 1

    def operand(self, depth: int) -> model.Expression:
        """Any number of `not`, then a bracket, `true` or a predicate."""
        piece = self.pieces[self.at]
        nots = 0
        while piece.lower() == "not":
            nots += 1
            if depth + nots > MAX_DEPTH:
                raise too_deep(self.text, self.position(self.at))
            self.at += 1
            piece = self.pieces[self.at]
        depth += nots
        if depth > self.deepest:
            self.deepest = depth
        part: model.Expression
        if piece == "(":
            part = self.bracket(depth + 1)
        elif piece.lower() == "true":
            self.at += 1
            part = model.Always()
        else:
            part = self.predicate()
        for _ in range(nots):
            part = model.Not(part)
        return part

    def bracket(self, depth: int) -> model.Expression:
        """`(expression)`."""
        opening = self.at
        if depth > MAX_DEPTH:
            raise too_deep(self.text, self.position(opening))
        self.at += 1
        inner = self.expression(depth)
        closing = self.pieces[self.at]
        if not closing:
            raise self.error("a bracket opens here and never closes; a ')' is missing", opening)
        if closing != ")":
            raise no_end(self)
        self.at += 1
        return inner

    def predicate(self) -> model.Predicate:
        """A name, its test and optional thresholds."""
        self.predicates += 1
        if self.predicates > MAX_PREDICATES:
            raise too_many_predicates(self.text, self.position(self.at))
        attribute = self.name(KEYWORDS)
        if attribute is None:
            raise no_attribute(self)
        test = self.test(attribute)
        return model.Predicate(attribute, test, self.thresholds() if self.pieces[self.at] == "[" else None)

    def test(self, attribute: str) -> model.Test:
        """The test after the name."""
        piece = self.pieces[self.at]
        op = _OPS.get(piece) or _OPS.get(piece.lower())
        if op is not None:
            self.at += 1
            start = self.at
            value = self.value()
            try:
                return model.Compare(op, value)
            except ModelError as error:
                raise self.error(str(error), start) from None
        special = _SPECIAL.get(piece.lower())
        if special is None:
            raise no_operator(self, attribute)
        self.at += 1
        match special:
            case model.SpecialOp.IN:
                return self.one_of()
            case model.SpecialOp.BETWEEN:
                return self.between()
            case model.SpecialOp.EXISTS:
                return model.Exists()
            case model.SpecialOp.IS:
                return model.Is(self.term(attribute))
            case other:
                assert_never(other)

    def one_of(self) -> model.OneOf:
        """The values of `in (…)`."""
        opening = self.at
        if self.pieces[opening] != "(":
            raise self.error(f"{self.found()}, where a list in brackets should be: in ('a', 'b')")
        if self.pieces[opening + 1] == ")":
            raise self.error("in () needs at least one value")
        values = []
        closing = ","
        while closing == ",":
            self.at += 1
            values.append(self.value())
            closing = self.pieces[self.at]
        if not closing:
            raise self.error("a list opens here and never closes; a ')' is missing", opening)
        if closing != ")":
            raise self.error(f"{self.found()}, where ',' or ')' should be")
        self.at += 1
        return model.OneOf(tuple(values))

    def between(self) -> model.Between:
        """The two bounds of `between low and high`."""
        start = self.at
        low = self.value()
        if self.pieces[self.at].lower() != "and":
            raise self.error(f"{self.found()}, where 'and' should be: between 1 and 5")
        self.at += 1
        high = self.value()
        try:
            return model.Between(low, high)
        except ModelError as error:
            ordered = model.kind_of(low) is model.kind_of(high) is not model.Kind.BOOLEAN
            message = f"between needs the lower value first, not {show_value(low)} and {show_value(high)}"
            raise self.error(message if ordered else str(error), start) from None

    def term(self, attribute: str | None = None) -> model.Term:
        """Hedges and the name of a concept."""
        hedges: list[model.Hedge] = []
        while (word := self.pieces[self.at].lower()) in HEDGES:
            if len(hedges) == MAX_DEPTH:
                raise too_deep(self.text, self.position(self.at))
            hedges.append(model.Hedge(word))
            self.at += 1
        concept = self.name(KEYWORDS)
        if concept is None:
            raise no_concept(self, attribute)
        return model.Term(concept, tuple(hedges))

    def thresholds(self) -> model.Thresholds:
        """`[possibility, necessity]`, or the word for both: `[optimistic]`."""
        word = self.pieces[self.at + 1]
        if word in _ATTITUDES and self.pieces[self.at + 2] == "]":
            self.at += 3
            return _ATTITUDES[word].thresholds
        numbers: list[float] = []
        for closing in ",]":
            self.at += 1
            if self.pieces[self.at][:1] not in NUMBER_STARTS:
                raise self.error(
                    f"{self.found()}, where a number should be: [possibility, necessity]{_or_word(self.pieces[self.at])}"
                )
            number = self.number()
            if not 0 <= number <= 1:
                raise self.error(f"the threshold {number} is outside 0..1", self.at - 1)
            numbers.append(float(number))
            if self.pieces[self.at] != closing:
                both = "; both thresholds are needed" if self.pieces[self.at] == "]" else ""
                raise self.error(f"{self.found()}, where {closing!r} should be: [possibility, necessity]{both}")
        self.at += 1
        return model.Thresholds(numbers[0], numbers[1])

    def name(self, reserved: frozenset[str]) -> str | None:
        """The next name, with or without double quotes; None if there is none."""
        piece = self.pieces[self.at]
        if NAME.match(piece):
            if piece.lower() in reserved:
                return None
            if len(piece) > MAX_NAME:
                raise self.error(f"a name of {len(piece):,} characters; it must have at most {MAX_NAME}")
            self.at += 1
            return piece
        if piece[:1] != '"' or piece == '"':
            return None
        if piece == '""':
            raise self.error("a name that is empty")
        name = piece[1:-1].replace('""', '"')
        try:
            check_name("a name", name)
        except ModelError as error:
            raise self.error(str(error)) from None
        self.at += 1
        return name

    def value(self) -> Scalar:
        """A string, number, boolean, date or time."""
        piece = self.pieces[self.at]
        first = piece[:1]
        if first == "'" != piece:
            text = piece[1:-1].replace("''", "'")
            if len(text) > MAX_TEXT:
                raise self.error(f"a string of {len(text):,} characters; it must have at most {MAX_TEXT:,}")
            self.at += 1
            return text
        if first in NUMBER_STARTS:
            return self.number()
        word = piece.lower()
        if word in ("true", "false"):
            self.at += 1
            return word == "true"
        if word in ("date", "time") and self.pieces[self.at + 1][:1] == "'":
            return self.instant(word)
        raise no_value(self)

    def number(self) -> int | float:
        """A number; an integer if it has neither a point nor an exponent."""
        piece = self.pieces[self.at]
        if not _NUMBER.fullmatch(piece):
            right = f"write date '{piece}'" if _DATE.fullmatch(piece) else "numbers are written like 5, -0.5 or 1e6"
            raise self.error(f"found '{piece[:40]}', which is not a number; {right}")
        try:
            value = int(piece) if piece.lstrip("-").isdigit() else float(piece)
            check_scalar(value)
        except ValueError:
            raise self.error(
                f"the number {piece[:40]} is out of range: integers have 64 bits, reals reach up to 1.7e308"
            ) from None
        self.at += 1
        return value

    def instant(self, word: str) -> datetime:
        """``date '…'`` or ``time '…'``."""
        self.at += 1
        written = self.pieces[self.at][1:-1]
        if word == "date" and re.match("[0-9-]{10}[Tt ]", written):
            raise self.error(f"a date has no time of day; write date '{written[:10]}' or time '{written[:40]}'")
        try:
            time = parse_time(written)
        except ModelError as error:
            raise self.error(str(error)) from None
        self.at += 1
        return time


def _or_word(piece: str) -> str:
    """The words for thresholds, if a word was given."""
    return f", or one of {', '.join(_ATTITUDES)}" if piece[:1].isalpha() else ""

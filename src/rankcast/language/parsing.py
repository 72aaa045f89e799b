"""Reading the text form of expressions (SPEC 1 and 6).

::

    expression  = all ("or" all)*
    all         = operand ("and" operand)*
    operand     = "not" operand | "(" expression ")" | "true" | predicate
    predicate   = name test ["[" number "," number "]"]
    test        = ("=" | "!=" | "<" | "<=" | ">" | ">=" | "contains" | "startswith" | "endswith") value
                | "in" "(" value ("," value)* ")" | "between" value "and" value | "exists"
                | "is" ("not" | "very" | "somewhat")* name
    value       = 'string' | number | "true" | "false" | "date" 'yyyy-mm-dd' | "time" 'yyyy-mm-ddThh:mm:ssZ'
    name        = word | "any text"

Keywords are the same in any case. The parser is written by hand: an LALR parser made by lark took eight times as
long for a subscription of three predicates (184 us against 22 us, with 10 million subscriptions to read), took 0.17 s
to start, and could only list the tokens that it expected, not say what is wrong. It recurs for brackets only, two
frames for each of at most `MAX_DEPTH` levels.
"""

from datetime import datetime

from rankcast.errors import ExpressionError, ModelError, did_you_mean
from rankcast.language.limits import (
    MAX_DEPTH,
    MAX_LENGTH,
    MAX_PREDICATES,
    check_limits,
    too_deep,
    too_long,
    too_many_predicates,
)
from rankcast.language.printing import show, show_value
from rankcast.language.times import parse_time
from rankcast.language.tokens import END, HEDGES, KEYWORDS, Token, next_token
from rankcast.model import (
    Always,
    And,
    Between,
    Compare,
    Exists,
    Expression,
    Hedge,
    Is,
    Not,
    OneOf,
    Op,
    Or,
    Predicate,
    Scalar,
    Term,
    Test,
    Thresholds,
    check_scalar,
)

__all__ = ["parse", "parse_term"]

_OPS = {op.value: op for op in Op}
_OPERATORS = (*_OPS, "in", "between", "exists", "is")
_INSTEAD = {"==": "=", "<>": "!=", "like": "contains", "equals": "=", "has": "contains"}
_LONGEST_SHOWN = 5  # the text form that `show` writes is at most this many times as long as the text it came from


def parse(text: str) -> Expression:
    """The expression that a text means.

    Raises `ExpressionError` with the position of what is wrong, `LimitError` if the text is too long, too deeply
    nested or has too many predicates. O(characters).

    >>> parse("genre = 'drama' and not year < 1999")  # doctest: +NORMALIZE_WHITESPACE
    And(parts=(Predicate(attribute='genre', test=Compare(op=<Op.EQ: '='>, value='drama'), thresholds=None),
               Not(part=Predicate(attribute='year', test=Compare(op=<Op.LT: '<'>, value=1999), thresholds=None))))
    >>> parse("title startwith 'The'")
    Traceback (most recent call last):
    ...
    rankcast.errors.ExpressionError: found 'startwith' after 'title', where an operator should be (=, !=, <, <=, >, \
>=, contains, startswith, endswith, in, between, exists, is); did you mean 'startswith'? (at character 7)
    """
    _check_text(text)
    parser = _Parser(text)
    expression = parser.expression(0)
    if parser.token.kind != END:
        raise parser.unexpected_rest()
    if parser.deepest > MAX_DEPTH // 2 - 1:
        check_limits(expression)
    if len(text) > MAX_LENGTH // _LONGEST_SHOWN and len(shown := show(expression)) > MAX_LENGTH:
        raise too_long(text, len(shown))
    return expression


def parse_term(text: str) -> Term:
    """The concept, with its hedges, that a text names: what may stand after ``is``.

    >>> parse_term("not very cheap")
    Term(concept='cheap', hedges=(<Hedge.NOT: 'not'>, <Hedge.VERY: 'very'>))
    """
    _check_text(text)
    parser = _Parser(text)
    term = parser.term()
    if parser.token.kind != END:
        raise parser.error(f"found {parser.found()} after {parser.before()}, where nothing more should be")
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


class _Parser:
    """One pass over the text; `token` is the one that comes next, `last` the one before it."""

    __slots__ = ("deepest", "last", "predicates", "text", "token")

    def __init__(self, text: str) -> None:
        self.text = text
        self.token = self.last = next_token(text, 0)
        self.deepest = 0
        self.predicates = 0

    def advance(self) -> Token:
        """Take the next token."""
        self.last = token = self.token
        self.token = next_token(self.text, token.end)
        return token

    # expressions

    def expression(self, depth: int) -> Expression:
        """Operands joined by `and` and `or`, up to what cannot go on."""
        alternatives: list[Expression] = []
        while True:
            parts = [self.operand(depth)]
            while self.token.value == "and" and self.token.kind == "word":
                self.advance()
                parts.append(self.operand(depth))
            alternatives.append(parts[0] if len(parts) == 1 else And(tuple(parts)))
            if not (self.token.value == "or" and self.token.kind == "word"):
                return alternatives[0] if len(alternatives) == 1 else Or(tuple(alternatives))
            self.advance()

    def operand(self, depth: int) -> Expression:
        """`not`s, then a bracket, `true` or a predicate."""
        nots = 0
        while self.token.value == "not" and self.token.kind == "word":
            nots += 1
            if depth + nots > MAX_DEPTH:
                raise too_deep(self.text, self.token.start)
            self.advance()
        depth += nots
        part: Expression
        if self.token.value == "(":
            if depth + 1 > MAX_DEPTH:
                raise too_deep(self.text, self.token.start)
            opening = self.advance()
            part = self.expression(depth + 1)
            self.close(opening)
        elif self.token.value == "true" and self.token.kind == "word":
            self.advance()
            part = Always()
        else:
            part = self.predicate()
        self.deepest = max(self.deepest, depth)
        for _ in range(nots):
            part = Not(part)
        return part

    def close(self, opening: Token) -> None:
        """Take the bracket that closes an expression."""
        if self.token.value == ")":
            self.advance()
        elif self.token.kind == END:
            raise ExpressionError("a bracket opens here and never closes; a ')' is missing", self.text, opening.start)
        else:
            raise self.unexpected_rest()

    # predicates

    def predicate(self) -> Predicate:
        """A name, its test, and thresholds if there are any."""
        self.predicates += 1
        if self.predicates > MAX_PREDICATES:
            raise too_many_predicates(self.text, self.token.start)
        attribute = self.attribute()
        test = self.test(attribute)
        thresholds = self.thresholds() if self.token.value == "[" else None
        return Predicate(attribute, test, thresholds)

    def attribute(self) -> str:
        """The name that a predicate begins with."""
        token = self.token
        if token.kind == "word" and token.value not in KEYWORDS:
            self.advance()
            return self.text[token.start : token.end]
        if token.kind == "name":
            return self.quoted_name()
        if token.kind == END and self.last is token:
            raise self.error("the expression is empty; write something like genre = 'drama', or true for everything")
        hint = ""
        if token.kind == "word":
            hint = f'; a name that is a keyword needs double quotes: "{token.value}"'
        elif token.kind == "string":
            hint = "; names are written without quotes, or in double ones"
        raise self.error(f"found {self.found()}{self.after()}, where a predicate should be, like year > 1999{hint}")

    def quoted_name(self) -> str:
        """A name in double quotes."""
        token = self.advance()
        name = token.value[1:-1].replace('""', '"')
        if not name:
            raise ExpressionError("an empty name", self.text, token.start)
        return name

    def test(self, attribute: str) -> Test:
        """What comes after the name."""
        token = self.token
        op = _OPS.get(token.value)
        if op is not None and token.kind != "name":
            self.advance()
            start = self.token.start
            value = self.value()
            try:
                return Compare(op, value)
            except ModelError as error:
                raise ExpressionError(str(error), self.text, start) from None
        if token.kind == "word":
            match token.value:
                case "in":
                    self.advance()
                    return self.one_of()
                case "between":
                    self.advance()
                    return self.between()
                case "exists":
                    self.advance()
                    return Exists()
                case "is":
                    self.advance()
                    return Is(self.term(attribute))
        raise self.no_operator(attribute)

    def no_operator(self, attribute: str) -> ExpressionError:
        """What to say where an operator is missing."""
        token = self.token
        expected = f"where an operator should be ({', '.join(_OPERATORS)})"
        if token.kind == "word" and token.value == "not":
            following = next_token(self.text, token.end).value
            example = f"not ({attribute} {following} …)" if following in _OPERATORS else f"not ({attribute} = …)"
            return self.error(
                f"found 'not' after {self.before()}, {expected}; 'not' stands before a whole predicate: {example}, "
                f"which also holds where {attribute} is missing"
            )
        hint = ""
        if token.value in _INSTEAD:
            hint = f"; did you mean {_INSTEAD[token.value]!r}?"
        elif token.kind == "word" and token.value not in ("and", "or"):
            hint = did_you_mean(token.value, _OPERATORS)
            if not hint:
                hint = f'; a name with spaces needs double quotes: "{attribute} {self.text[token.start : token.end]}"'
        elif token.kind in ("word", END) or token.value == ")":
            hint = f"; write {attribute} = … or {attribute} exists"
        return self.error(f"found {self.found()}{self.after()}, {expected}{hint}")

    def one_of(self) -> OneOf:
        """The values of `in (…)`."""
        if self.token.value != "(":
            raise self.error(f"found {self.found()}{self.after()}, where '(' should be: in ('a', 'b')")
        opening = self.advance()
        if self.token.value == ")":
            raise self.error("in () needs at least one value")
        values = [self.value()]
        while self.token.value == ",":
            self.advance()
            values.append(self.value())
        if self.token.kind == END:
            raise ExpressionError("a list opens here and never closes; a ')' is missing", self.text, opening.start)
        if self.token.value != ")":
            raise self.error(f"found {self.found()}{self.after()}, where ',' or ')' should be")
        self.advance()
        return OneOf(tuple(values))

    def between(self) -> Between:
        """The two ends of `between low and high`."""
        start = self.token.start
        low = self.value()
        if not (self.token.value == "and" and self.token.kind == "word"):
            raise self.error(f"found {self.found()}{self.after()}, where 'and' should be: between 1 and 5")
        self.advance()
        high = self.value()
        try:
            return Between(low, high)
        except ModelError as error:
            message = str(error)
            if "lower value first" in message:
                message = f"between needs the lower value first, not {show_value(low)} and {show_value(high)}"
            raise ExpressionError(message, self.text, start) from None

    def term(self, attribute: str | None = None) -> Term:
        """Hedges and the name of a concept."""
        hedges: list[Hedge] = []
        while self.token.kind == "word" and self.token.value in HEDGES:
            if len(hedges) == MAX_DEPTH:
                raise too_deep(self.text, self.token.start)
            hedges.append(Hedge(self.advance().value))
        token = self.token
        if token.kind == "name":
            return Term(self.quoted_name(), tuple(hedges))
        if token.kind == "word" and token.value not in KEYWORDS:
            self.advance()
            return Term(self.text[token.start : token.end], tuple(hedges))
        hint = ""
        if token.kind in ("string", "number") or token.value in ("true", "false"):
            hint = f"; to compare with a value write {attribute} = …" if attribute else ""
        raise self.error(f"found {self.found()}{self.after()}, where the name of a concept should be{hint}")

    def thresholds(self) -> Thresholds:
        """`[possibility, necessity]`."""
        self.advance()
        numbers: list[float] = []
        for closing in ",]":
            token = self.token
            if token.kind != "number":
                raise self.error(
                    f"found {self.found()}{self.after()}, where a number from 0 to 1 should be: [possibility, necessity]"
                )
            value = float(self.number())
            if not 0 <= value <= 1:
                raise ExpressionError(f"the threshold {token.value[:40]} is outside 0..1", self.text, token.start)
            numbers.append(value)
            if self.token.value != closing:
                more = "; both thresholds are needed" if closing == "," and self.token.value == "]" else ""
                raise self.error(
                    f"found {self.found()}{self.after()}, where {closing!r} should be: [possibility, necessity]{more}"
                )
            self.advance()
        return Thresholds(numbers[0], numbers[1])

    # values

    def value(self) -> Scalar:
        """A string, number, boolean, date or time."""
        token = self.token
        match token.kind:
            case "string":
                self.advance()
                return token.value[1:-1].replace("''", "'")
            case "number":
                return self.number()
            case "word":
                if token.value in ("true", "false"):
                    self.advance()
                    return token.value == "true"
                if token.value in ("date", "time") and next_token(self.text, token.end).kind == "string":
                    return self.instant()
        raise self.no_value()

    def number(self) -> int | float:
        """A number, whole ones as an integer."""
        token = self.advance()
        try:
            value = int(token.value) if token.value.lstrip("-").isdigit() else float(token.value)
            check_scalar(value)
        except ValueError:
            raise ExpressionError(
                f"the number {token.value[:40]} is out of range: integers have 64 bits, reals go up to 1.7e308",
                self.text,
                token.start,
            ) from None
        return value

    def instant(self) -> datetime:
        """``date '…'`` or ``time '…'``."""
        word = self.advance().value
        token = self.advance()
        written = token.value[1:-1]
        if word == "date" and len(written) > 10 and written[10] in "Tt ":
            raise ExpressionError(
                f"a date has no time of day; write date '{written[:10]}' or time '{written}'", self.text, token.start
            )
        try:
            return parse_time(written)
        except ModelError as error:
            raise ExpressionError(str(error), self.text, token.start) from None

    def no_value(self) -> ExpressionError:
        """What to say where a value is missing."""
        token = self.token
        hint = ""
        if token.kind == "name":
            inner = token.value[1:-1].replace('""', '"')
            hint = f"; double quotes are for names, strings need single quotes: {show_value(inner)}"
        elif token.kind == "word" and token.value in ("date", "time"):
            example = "2003-01-01" if token.value == "date" else "2003-01-01T20:00:00Z"
            hint = f"; write {token.value} '{example}', or '{token.value}' in quotes for the string"
        elif token.kind == "word" and token.value not in KEYWORDS:
            hint = f"; strings need single quotes: {show_value(self.text[token.start : token.end])}"
        elif token.value in ("=", "==", ">", "<"):
            hint = f"; did you mean '{self.last.value[:1]}='?" if self.last.value in ("<", ">", "!") else ""
        return self.error(f"found {self.found()}{self.after()}, where a value should be, like 'text' or 5{hint}")

    # errors

    def error(self, message: str) -> ExpressionError:
        """An error at the token that comes next."""
        return ExpressionError(message, self.text, self.token.start)

    def unexpected_rest(self) -> ExpressionError:
        """What to say where an expression should go on or end."""
        token = self.token
        if token.value == ")":
            return self.error("a ')' without a '(' before it")
        hint = ""
        if token.kind == "word":
            hint = did_you_mean(token.value, ("and", "or"))
        elif token.value == ",":
            hint = "; did you mean 'and'?"
        expected = "'and', 'or' or the end of the expression"
        return self.error(f"found {self.found()}{self.after()}, where {expected} should be{hint}")

    def found(self) -> str:
        """The next token, for people."""
        return "the end" if self.token.kind == END else _cut(self.text[self.token.start : self.token.end])

    def before(self) -> str:
        """The token before the next one, for people."""
        return _cut(self.text[self.last.start : self.last.end])

    def after(self) -> str:
        """Where the next token stands."""
        return "" if self.last is self.token else f" after {self.before()}"


def _cut(piece: str) -> str:
    shown = piece if len(piece) <= 40 else piece[:40] + "…"
    return shown if shown[0] in "'\"" else f"'{shown}'"

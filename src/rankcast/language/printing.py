"""Writing expressions in the text form: the inverse of `parse`."""

from collections.abc import Callable
from datetime import datetime
from typing import assert_never

from rankcast import model
from rankcast.language.times import show_time
from rankcast.language.tokens import HEDGES, KEYWORDS, NAME
from rankcast.model import Always, And, Expression, Not, Or, Predicate


def written(
    expression: Expression,
    predicate: Callable[[Predicate], str],
    always: str,
    bracketed: Callable[[Expression, Expression], bool],
) -> str:
    """The text of an expression; `bracketed` decides which parts of an expression need brackets.

    O(parts), without recursion.
    """
    words: list[str] = []
    pending: list[Expression | str] = [expression]
    while pending:
        match pending.pop():
            case str(word):
                words.append(word)
            case Predicate() as leaf:
                words.append(predicate(leaf))
            case Always():
                words.append(always)
            case Not(part) as whole:
                pending.extend((")", part, "not (") if bracketed(whole, part) else (part, "not "))
            case (And(parts) | Or(parts)) as whole:
                between = " and " if isinstance(whole, And) else " or "
                for number, part in enumerate(reversed(parts)):
                    if number:
                        pending.append(between)
                    pending.extend((")", part, "(") if bracketed(whole, part) else (part,))
    return "".join(words)


def show(expression: model.Expression) -> str:
    """The text of an expression, with brackets only where needed: ``parse(show(x)) == x``.

    O(parts), without recursion.

    >>> from rankcast.model import Compare, Exists, Not, Op, Or, Predicate
    >>> show(Not(Or((Predicate("year", Compare(Op.GT, 1999)), Predicate("mpaa", Exists())))))
    'not (year > 1999 or mpaa exists)'
    """
    return written(expression, _show_predicate, "true", _bracketed)


def _bracketed(whole: model.Expression, part: model.Expression) -> bool:
    """An `and` inside an `or` needs no brackets."""
    return isinstance(part, model.Or) or (isinstance(part, model.And) and not isinstance(whole, model.Or))


def _show_predicate(predicate: model.Predicate) -> str:
    name = show_name(predicate.attribute)
    match predicate.test:
        case model.Compare(op, value):
            text = f"{name} {op.value} {show_value(value)}"
        case model.OneOf(values):
            text = f"{name} in ({', '.join(map(show_value, values))})"
        case model.Between(low, high):
            text = f"{name} between {show_value(low)} and {show_value(high)}"
        case model.Exists():
            text = f"{name} exists"
        case model.Is(term):
            text = f"{name} is {show_term(term)}"
        case other:
            assert_never(other)
    if predicate.thresholds is None:
        return text
    limits = predicate.thresholds
    return f"{text} [{_show_degree(limits.possibility)}, {_show_degree(limits.necessity)}]"


def _show_degree(degree: float) -> str:
    return str(int(degree)) if degree in (0, 1) else repr(float(degree))


def show_value(value: model.Scalar) -> str:
    """A value as written in an expression.

    >>> show_value("it's"), show_value(1.0)
    ("'it''s'", '1.0')
    """
    match value:
        case bool():
            return "true" if value else "false"
        case str():
            return "'" + value.replace("'", "''") + "'"
        case datetime():
            text = show_time(value)
            return f"date '{text[:10]}'" if text.endswith("T00:00:00Z") else f"time '{text}'"
        case float():
            return repr(float(value))
    return str(value)


def show_name(name: str, reserved: frozenset[str] = KEYWORDS) -> str:
    """A name, in double quotes if it needs them.

    >>> show_name("year"), show_name("release date"), show_name("In")
    ('year', '"release date"', '"In"')
    """
    if NAME.fullmatch(name) and name.lower() not in reserved:
        return name
    return '"' + name.replace('"', '""') + '"'


def show_term(term: model.Term) -> str:
    """A concept with its hedges, as written after ``is``."""
    words = [hedge.value for hedge in term.hedges]
    return " ".join([*words, show_name(term.concept, KEYWORDS | HEDGES)])

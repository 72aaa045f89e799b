"""Descriptions of expressions in words, for people."""

import re
from datetime import datetime
from typing import assert_never

from rankcast import model
from rankcast.language.printing import show_value, written
from rankcast.language.times import show_time

_LOOKS_DIFFERENT = re.compile(
    r"[+-]?[0-9][0-9.,]*([eE][+-]?[0-9]+)?|[0-9]{4}-[0-9]{2}-[0-9]{2}.*|yes|no|true|false", re.I
)


def label(expression: model.Expression) -> str:
    """A description of an expression in words; it cannot be parsed again.

    >>> from rankcast.language import parse
    >>> label(parse("genre = 'drama' and year > 1999"))
    'genre is drama and year above 1999'
    >>> label(parse("year > '1999'"))
    "year above '1999'"
    >>> label(parse("not (price is very cheap) or release_date >= date '2003-01-01'"))
    'not (price is very cheap) or release date from 2003-01-01'
    """
    return written(expression, _label_predicate, "everything", _bracketed)


def _bracketed(whole: model.Expression, part: model.Expression) -> bool:
    """Use more brackets than parsing needs, because people may not know the precedence of operators."""
    return isinstance(whole, model.Not) or isinstance(part, model.And | model.Or)


def _label_predicate(predicate: model.Predicate) -> str:
    name = predicate.attribute.replace("_", " ")
    match predicate.test:
        case model.Compare(op, value):
            time_words = op.declared.time_words if isinstance(value, datetime) else None
            text = f"{name} {time_words or op.declared.words} {_label_value(value)}"
        case model.OneOf((value,)):
            text = f"{name} is {_label_value(value)}"
        case model.OneOf(values):
            *most, last = map(_label_value, values)
            text = f"{name} is {', '.join(most)} or {last}"
        case model.Between(low, high):
            text = f"{name} from {_label_value(low)} to {_label_value(high)}"
        case model.Exists():
            text = f"{name} {model.SpecialOp.EXISTS.declared.words}"
        case model.Is(term):
            text = " ".join([name, "is", *(hedge.value for hedge in term.hedges), term.concept])
        case other:
            assert_never(other)
    if predicate.thresholds is None:
        return text
    limits = predicate.thresholds
    return f"{text} (possible to {limits.possibility:g}, certain to {limits.necessity:g})"


def _label_value(value: model.Scalar) -> str:
    match value:
        case bool():
            return "yes" if value else "no"
        case str():
            # A text that looks like another type is quoted: `year > '1999'` compares texts.
            is_plain = value.strip() == value != "" and not _LOOKS_DIFFERENT.fullmatch(value)
            return value if is_plain else show_value(value)
        case datetime():
            text = show_time(value)
            return text[:10] if text.endswith("T00:00:00Z") else f"{text[:10]} {text[11:-1]} UTC"
    return str(value)

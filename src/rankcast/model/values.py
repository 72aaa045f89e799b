"""Crisp values (strings, numbers, booleans and times) and when two of them are the same."""

import math
from datetime import UTC, datetime
from enum import Enum
from typing import TypeAlias

from rankcast.errors import ModelError

Scalar: TypeAlias = str | bool | int | float | datetime
Values: TypeAlias = tuple[Scalar, ...]
"""The distinct values of one attribute, all of one kind. Several numbers or times are a list (`is_list`)."""

EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
MAX_TEXT = 65_536
"""Maximum number of characters of a string value."""

_INTEGER_LIMIT = 2**63


class Kind(Enum):
    """The type of a value. Integers and reals are one kind and compare with each other."""

    STRING = "string"
    NUMBER = "number"
    BOOLEAN = "boolean"
    TIME = "time"


def kind_of(value: Scalar) -> Kind:
    """The kind of a value (a boolean is not a number).

    >>> kind_of(True), kind_of(1), kind_of("1")
    (<Kind.BOOLEAN: 'boolean'>, <Kind.NUMBER: 'number'>, <Kind.STRING: 'string'>)
    """
    match value:
        case bool():
            return Kind.BOOLEAN
        case int() | float():
            return Kind.NUMBER
        case str():
            return Kind.STRING
        case datetime():
            return Kind.TIME
    raise ModelError(f"{value!r} is a {type(value).__name__}, not a string, number, boolean or time")


def is_list(values: Values) -> bool:
    """Whether the values are a list of numbers or times, which passes only ``contains`` and ``exists``.

    Strings and booleans are not: of several strings, each is a value of its own.

    >>> is_list((1, 2)), is_list((1,)), is_list(("a", "b"))
    (True, False, False)
    """
    return len(values) > 1 and not isinstance(values[0], str | bool)


def identity(value: Scalar) -> tuple[Kind, Scalar]:
    """A key that is equal for two values if and only if they are the same value (``1 == 1.0``, ``True != 1``)."""
    return kind_of(value), value


def check_scalar(value: Scalar) -> Scalar:
    """Return the value if it may occur in an event or predicate; otherwise raise.

    Refused: NaN and infinities, integers outside 64 bits, text that is too long or not valid Unicode (lone
    surrogates), times without a zone or outside the years 1 to 9999 in UTC.
    """
    kind = type(value)
    # A fast path for nearly all values, because every event and expression passes through here.
    if (kind is str and value.isascii() and len(value) <= MAX_TEXT) or kind is bool:  # type: ignore[union-attr, arg-type]
        return value
    if kind is int or kind is float:
        return _checked_number(value)  # type: ignore[arg-type]
    match kind_of(value), value:
        case Kind.NUMBER, int() | float():
            return _checked_number(value)
        case Kind.STRING, str():
            if len(value) > MAX_TEXT:
                raise ModelError(f"a string of {len(value):,} characters; it must have at most {MAX_TEXT:,}")
            try:
                value.encode()
            except UnicodeEncodeError as error:
                raise ModelError(f"text that is not valid Unicode at character {error.start + 1}") from None
        case Kind.TIME, datetime(tzinfo=None):
            raise ModelError(f"time {value.isoformat()} has no zone")
        case Kind.TIME, datetime():
            try:
                return value if value.tzinfo is UTC else value.astimezone(UTC)
            except OverflowError:
                raise ModelError(f"time {value.isoformat()} lies outside the years 1..9999 of UTC") from None
    return value


def _checked_number(value: float) -> float:
    if isinstance(value, int):
        if not -_INTEGER_LIMIT <= value < _INTEGER_LIMIT:
            raise ModelError("an integer of more than 64 bits")
    elif not math.isfinite(value):
        raise ModelError(f"{value} is not a number that can be compared")
    return value


def check_values(values: Values) -> Values:
    """The distinct values of one attribute, in the given order."""
    if not values:
        raise ModelError("an attribute needs a value")
    if len(values) == 1:
        if type(values[0]) is str and values[0].isascii() and len(values[0]) <= MAX_TEXT:  # most are
            return values
        checked = check_scalar(values[0])
        return values if checked is values[0] else (checked,)
    distinct = tuple({identity(value): check_scalar(value) for value in values}.values())
    kinds = {kind_of(value) for value in distinct}
    if len(kinds) > 1:
        raise ModelError(f"values of different types in one attribute: {_names(kinds)}")
    return distinct


def _names(kinds: set[Kind]) -> str:
    return " and ".join(sorted(kind.value for kind in kinds))

"""Crisp tests on crisp values: the hot path of matching."""

from datetime import datetime
from typing import Any

from rankcast.model import (
    Between,
    Compare,
    Exists,
    Kind,
    OneOf,
    Op,
    Scalar,
    Test,
    Values,
    is_list,
    kind_of,
    string_test,
)

# Bound once, because looking up or hashing an enum member costs more than the comparison.
_EQ, _NE, _LT, _LE, _GT, _GE = Op.EQ, Op.NE, Op.LT, Op.LE, Op.GT, Op.GE
_CONTAINS = Op.CONTAINS

_KINDS: dict[type, Kind] = {
    str: Kind.STRING,
    int: Kind.NUMBER,
    float: Kind.NUMBER,
    bool: Kind.BOOLEAN,
    datetime: Kind.TIME,
}


def passes(test: Test, values: Values) -> bool:
    """Whether at least one value passes a test other than `Is` (semantics: Events and subscriptions).

    The values are distinct and of one kind. Integers and reals compare exactly, strings by code point; a test of
    another kind passes none of them. A list of numbers or times passes only ``contains`` and ``exists``. O(values), for `OneOf` times the number of listed values.

    >>> passes(Compare(Op.GT, 1999), (2004,)), passes(Compare(Op.NE, True), (1,))
    (True, False)
    """
    if isinstance(test, Compare):
        wanted = test.value
        if type(values[0]) is not type(wanted) and not _same_kind(values[0], wanted):
            return False
        if is_list(values):
            return test.op is _CONTAINS and wanted in values
        return _compares(test.op, values, wanted)
    if isinstance(test, Between):
        low: Any = test.low
        high: Any = test.high
        if not _same_kind(values[0], low) or is_list(values):
            return False
        if len(values) == 1:
            return bool(low <= values[0] <= high)
        return any(low <= value <= high for value in values)
    if isinstance(test, OneOf):
        if is_list(values):
            return False
        for value in values:  # noqa: SIM110  # a generator would double the cost
            if value in test.values and _is_listed(value, test.values):
                return True
        return False
    if isinstance(test, Exists):
        return True
    raise TypeError(f"{test!r} is not a crisp test")


def _compares(op: Op, values: tuple[Any, ...], wanted: Any) -> bool:
    if op is _EQ:
        return wanted in values
    if op is _NE:
        return len(values) > 1 or values[0] != wanted  # of several distinct values, at least one differs
    if len(values) > 1:
        return any(_compares(op, (value,), wanted) for value in values)
    value = values[0]
    if op is _GE:
        return bool(value >= wanted)
    if op is _GT:
        return bool(value > wanted)
    if op is _LE:
        return bool(value <= wanted)
    if op is _LT:
        return bool(value < wanted)
    if op is _CONTAINS:
        return wanted in value if isinstance(value, str) else bool(value == wanted)
    return string_test(op, wanted)(value)


def _is_listed(value: Scalar, listed: Values) -> bool:
    return any(value == other and _same_kind(value, other) for other in listed)


def _same_kind(value: Scalar, other: Scalar) -> bool:
    return (_KINDS.get(type(value)) or kind_of(value)) is (_KINDS.get(type(other)) or kind_of(other))

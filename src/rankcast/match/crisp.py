"""Crisp tests on crisp values: the part of matching that runs millions of times."""

import operator
from collections.abc import Callable
from typing import Any

from rankcast.model import Between, Compare, Exists, OneOf, Op, Scalar, Test, Values, identity, kind_of

__all__ = ["passes"]

_HOLDS: dict[Op, Callable[[Any, Any], bool]] = {
    Op.EQ: operator.eq,
    Op.NE: operator.ne,
    Op.LT: operator.lt,
    Op.LE: operator.le,
    Op.GT: operator.gt,
    Op.GE: operator.ge,
    Op.CONTAINS: operator.contains,
    Op.STARTSWITH: str.startswith,
    Op.ENDSWITH: str.endswith,
}


def passes(test: Test, values: Values) -> bool:
    """Whether some of the values, which are of one kind, passes a test other than `Is` (SPEC 1).

    Integers and reals compare exactly, strings by code point; a test of another kind than the values passes none.
    About half a microsecond for a single value.

    >>> passes(Compare(Op.GT, 1999), (2004,)), passes(Compare(Op.NE, True), (1,))
    (True, False)
    """
    if isinstance(test, Compare):
        wanted = test.value
        if not _same_kind(values[0], wanted):
            return False
        holds = _HOLDS[test.op]
        if len(values) == 1:
            return holds(values[0], wanted)
        return any(holds(value, wanted) for value in values)
    if isinstance(test, Between):
        low: Any = test.low
        high: Any = test.high
        return _same_kind(values[0], low) and any(low <= value <= high for value in values)
    if isinstance(test, OneOf):
        return any(value in test.values and identity(value) in map(identity, test.values) for value in values)
    return isinstance(test, Exists)


def _same_kind(value: Scalar, other: Scalar) -> bool:
    return type(value) is type(other) or kind_of(value) is kind_of(other)

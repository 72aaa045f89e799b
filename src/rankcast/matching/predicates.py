"""Plain evaluation of one predicate: its degrees, and whether they reach its thresholds.

`passes`, the crisp test of crisp values, is the hot path of matching.
"""

from datetime import datetime
from typing import Any

from rankcast.fuzzy import degree, possibility_necessity, set_possibility_necessity
from rankcast.matching.outcomes import FAILED, HELD, Meaning, Outcome
from rankcast.model import (
    AttributeValue,
    Between,
    Compare,
    Event,
    Exists,
    Hedge,
    Is,
    Kind,
    Membership,
    OneOf,
    Op,
    Predicate,
    Scalar,
    Term,
    Test,
    Thresholds,
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


TOLERANCE = 1e-9
"""The accuracy of degrees. A degree that misses its threshold by at most this still reaches it."""

_DEFAULT = Thresholds()


def evaluate_predicate(predicate: Predicate, event: Event, meaning: Meaning, shared: Meaning | None = None) -> Outcome:
    """The outcome of one predicate; degrees below its thresholds count as 0."""
    value = event.attributes.get(predicate.attribute)
    if value is None:
        return FAILED
    if isinstance(value, tuple) and not isinstance(predicate.test, Is):
        return HELD if passes(predicate.test, value) else FAILED
    possibility, necessity = degrees_of(predicate, value, meaning, shared or meaning)
    return Outcome(True, possibility, necessity) if reaches(predicate, possibility, necessity) else FAILED


def degrees_of(predicate: Predicate, value: AttributeValue, meaning: Meaning, shared: Meaning) -> tuple[float, float]:
    """Possibility and necessity of a predicate for the value of its attribute, ignoring thresholds."""
    attribute, test = predicate.attribute, predicate.test
    if isinstance(value, tuple):
        if isinstance(test, Is):
            mu = meaning(attribute, test.term)
            best = 0.0 if is_list(value) else max(degree(mu, test.term.hedges, each) for each in value)
        else:
            best = 1.0 if passes(test, value) else 0.0
        return best, best
    if isinstance(test, Exists):
        return 1.0, 1.0
    pi, hedges = distribution_of(attribute, value, shared)
    if isinstance(test, Is):
        return possibility_necessity(meaning(attribute, test.term), test.term.hedges, pi, hedges)
    return set_possibility_necessity(test, pi, hedges)


def distribution_of(attribute: str, value: Membership | Term, shared: Meaning) -> tuple[Membership, tuple[Hedge, ...]]:
    """The possibility distribution of an imprecise value, with its hedges."""
    return (shared(attribute, value), value.hedges) if isinstance(value, Term) else (value, ())


def reaches(predicate: Predicate, possibility: float, necessity: float) -> bool:
    """Whether possibility and necessity reach the thresholds of the predicate."""
    least = least_of(predicate)
    return possibility > 0 and possibility >= least.possibility - TOLERANCE and necessity >= least.necessity - TOLERANCE


def least_of(predicate: Predicate) -> Thresholds:
    """The thresholds of a predicate: its own, or the defaults."""
    return predicate.thresholds or _DEFAULT

"""Predicates: an attribute, and a test that at least one of its values must pass.

See semantics: Events and subscriptions; semantics: Approximate matching.
"""

from dataclasses import dataclass
from typing import TypeAlias

from rankcast.errors import ModelError
from rankcast.model.declared import Real, check_name
from rankcast.model.membership import Term
from rankcast.model.operators import Op
from rankcast.model.values import Kind, Scalar, check_scalar, identity, kind_of

_SHARE = Real(0, 1)


@dataclass(frozen=True, slots=True, eq=False)
class Compare:
    """``op value``. Strings are ordered by code point; booleans only compare by ``=`` and ``!=``."""

    op: Op
    value: Scalar

    def __post_init__(self) -> None:
        object.__setattr__(self, "value", check_scalar(self.value))
        self.op.check(self.value)

    # Compare by the identity of the value, because Python treats `= 1` and `= true` as equal.

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Compare) and self.op is other.op and identity(self.value) == identity(other.value)

    def __hash__(self) -> int:
        return hash((self.op, identity(self.value)))


@dataclass(frozen=True, slots=True, eq=False)
class OneOf:
    """``in (…)``: equal to one of the values, which may be of different kinds."""

    values: tuple[Scalar, ...]

    def __post_init__(self) -> None:
        if not self.values:
            raise ModelError("in () needs at least one value")
        distinct = {identity(value): check_scalar(value) for value in self.values}
        object.__setattr__(self, "values", tuple(distinct.values()))

    def __eq__(self, other: object) -> bool:
        return isinstance(other, OneOf) and self._identities() == other._identities()

    def __hash__(self) -> int:
        return hash(self._identities())

    def _identities(self) -> tuple[tuple[Kind, Scalar], ...]:
        return tuple(identity(value) for value in self.values)


@dataclass(frozen=True, slots=True)
class Between:
    """``between low and high``: one value lies in the closed interval."""

    low: Scalar
    high: Scalar

    def __post_init__(self) -> None:
        object.__setattr__(self, "low", check_scalar(self.low))
        object.__setattr__(self, "high", check_scalar(self.high))
        low, high = kind_of(self.low), kind_of(self.high)
        if low is not high:
            raise ModelError(f"between needs two values of one type, not a {low.value} and a {high.value}")
        if low is Kind.BOOLEAN:
            raise ModelError("between needs numbers, strings or times, not booleans")
        if self.low > self.high:  # type: ignore[operator]  # one kind, checked above
            raise ModelError(f"between needs the lower value first, not {self.low!r} and {self.high!r}")


@dataclass(frozen=True, slots=True)
class Exists:
    """``exists``: the attribute has at least one value."""


@dataclass(frozen=True, slots=True)
class Is:
    """``is [not|very|somewhat …] concept``: the value belongs to a vague concept to a sufficient degree."""

    term: Term


Test: TypeAlias = Compare | OneOf | Between | Exists | Is


@dataclass(frozen=True, slots=True)
class Thresholds:
    """The least possibility and necessity that a predicate requires. Possibility must always exceed 0."""

    possibility: float = 0.5
    necessity: float = 0.0

    def __post_init__(self) -> None:
        for name, value in (("possibility", self.possibility), ("necessity", self.necessity)):
            _SHARE.check(f"the threshold of {name}", value)


@dataclass(frozen=True, slots=True)
class Predicate:
    """Holds if and only if *some* value of `attribute` passes `test`. If the attribute is missing, nothing passes.

    `thresholds` None means the defaults: possibility 0.5, necessity 0.
    """

    attribute: str
    test: Test
    thresholds: Thresholds | None = None

    def __post_init__(self) -> None:
        check_name("the name of an attribute", self.attribute)

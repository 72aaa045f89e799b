from datetime import UTC, datetime, timedelta, timezone
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rankcast.matching.predicates import passes
from rankcast.model import Between, Compare, Exists, OneOf, Op, Test, Values, kind_of

NOON = datetime(2026, 5, 1, 12, tzinfo=UTC)
LATER = NOON + timedelta(hours=1)

CASES: list[tuple[Test, Values, bool]] = [
    (Compare(Op.EQ, "drama"), ("drama",), True),
    (Compare(Op.EQ, "drama"), ("comedy", "drama"), True),
    (Compare(Op.EQ, "drama"), ("Drama",), False),
    (Compare(Op.EQ, 1), (1.0,), True),
    (Compare(Op.EQ, 0.1), (0.1,), True),
    (Compare(Op.EQ, True), (True,), True),
    (Compare(Op.EQ, True), (False, True), True),
    (Compare(Op.EQ, NOON), (NOON,), True),
    (Compare(Op.NE, "drama"), ("drama",), False),
    (Compare(Op.NE, "drama"), ("comedy",), True),
    (Compare(Op.NE, "drama"), ("comedy", "drama"), True),
    (Compare(Op.NE, 1), (1.0,), False),
    (Compare(Op.NE, NOON), (LATER,), True),
    (Compare(Op.NE, True), (True, False), True),
    (Compare(Op.LT, 5), (4.5,), True),
    (Compare(Op.LT, 5), (5,), False),
    (Compare(Op.LE, 5), (5.0,), True),
    (Compare(Op.LE, 5), (5.5,), False),
    (Compare(Op.GT, 5), (5.5,), True),
    (Compare(Op.GT, 5), (5,), False),
    (Compare(Op.GE, 5), (5,), True),
    (Compare(Op.GE, 5), (4,), False),
    (Compare(Op.LT, LATER), (NOON,), True),
    (Compare(Op.GE, LATER), (NOON,), False),
    (Compare(Op.LT, "b"), ("a",), True),
    (Compare(Op.LT, "b"), ("c", "a"), True),
    (Compare(Op.GT, "b"), ("a", "c"), True),
    (Compare(Op.GT, "b"), ("a", "b"), False),
    (Compare(Op.CONTAINS, "ish"), ("Big Fish",), True),
    (Compare(Op.CONTAINS, "ISH"), ("Big Fish",), False),
    (Compare(Op.CONTAINS, ""), ("",), True),
    (Compare(Op.STARTSWITH, "Big"), ("Big Fish",), True),
    (Compare(Op.STARTSWITH, "Fish"), ("Big Fish", "Fish"), True),
    (Compare(Op.STARTSWITH, "Fish"), ("Big Fish",), False),
    (Compare(Op.ENDSWITH, "Fish"), ("Big Fish",), True),
    (Compare(Op.ENDSWITH, "Big"), ("Big Fish",), False),
    (OneOf(("drama", "comedy")), ("short", "comedy"), True),
    (OneOf(("drama", "comedy")), ("short",), False),
    (OneOf((1, "one")), ("one",), True),
    (OneOf((1, "one")), (1.0,), True),
    (OneOf((1, "one")), (True,), False),
    (OneOf((True, 2)), (1,), False),
    (OneOf((True, 1)), (1,), True),
    (OneOf((1, True)), (True,), True),
    (Between(1, 5), (1,), True),
    (Between(1, 5), (5.0,), True),
    (Between(1, 5), (5.0001,), False),
    (Between("a", "c"), ("z", "b"), True),
    (Between("a", "c"), ("z", "d"), False),
    (Between(NOON, LATER), (LATER,), True),
    (Exists(), (False,), True),
    (Exists(), ("",), True),
]

OTHER_TYPES: list[tuple[Test, Values]] = [
    (Compare(op, wanted), values)
    for op in (Op.EQ, Op.NE, Op.LT, Op.LE, Op.GT, Op.GE)
    for wanted, values in [
        (1, ("1",)),
        ("1", (1,)),
        (1, (True,)),
        (1, (NOON,)),
        ("x", (True,)),
        ("2026-05-01", (NOON,)),
        (NOON, (1,)),
        (NOON, ("2026-05-01",)),
    ]
] + [
    (Compare(Op.EQ, True), (1,)),
    (Compare(Op.NE, True), (0,)),
    (Compare(Op.NE, False), ("x",)),
    (Compare(Op.CONTAINS, "1"), (1,)),
    (Compare(Op.STARTSWITH, ""), (True,)),
    (Between(0, 2), (True,)),
    (Between(0, 2), ("1",)),
    (Between("a", "b"), (1,)),
    (OneOf((1, 0)), (True, False)),
]


@pytest.mark.parametrize(("test", "values", "expected"), CASES, ids=str)
def test_every_operator(test: Test, values: Values, expected: bool) -> None:
    assert passes(test, values) is expected


@pytest.mark.parametrize(("test", "values"), OTHER_TYPES, ids=str)
def test_other_types_do_not_pass(test: Test, values: Values) -> None:
    assert passes(test, values) is False


def test_integers_and_reals_compare_exactly() -> None:
    assert not passes(Compare(Op.EQ, 2.0**53), (2**53 + 1,))
    assert passes(Compare(Op.LT, 2**53 + 1), (2.0**53,))
    assert passes(Compare(Op.GT, 0.3), (0.1 + 0.2,))


def test_strings_are_ordered_by_code_point() -> None:
    assert passes(Compare(Op.GT, "Z"), ("a",))
    assert passes(Compare(Op.GT, "\ue000"), ("\U0001f600",))  # UTF-16 has it the other way round
    assert passes(Compare(Op.GT, "z"), ("é",))


def test_one_instant_in_two_zones() -> None:
    there = NOON.astimezone(timezone(timedelta(hours=5)))
    assert passes(Compare(Op.EQ, there), (NOON,))


class Half(float):
    """A number of another class than float itself, as numpy's are."""


def test_subclasses_of_the_types_are_of_their_kind() -> None:
    assert passes(Compare(Op.EQ, 0.5), (Half(0.5),))
    assert passes(Compare(Op.LT, 1), (Half(0.5),))
    assert not passes(Compare(Op.LT, "1"), (Half(0.5),))


SCALARS = st.one_of(
    st.sampled_from(["", "a", "ab", "b", "ba"]),
    st.integers(-2, 2),
    st.sampled_from([-0.5, 0.0, 0.5, 1.0]),
    st.booleans(),
    st.sampled_from([NOON, LATER]),
)


def plainly(test: Test, value: Any) -> bool:
    """semantics: Events and subscriptions, word by word."""

    def alike(other: Any) -> bool:
        return kind_of(value) is kind_of(other)

    match test:
        case Compare(op, wanted):
            return (
                alike(wanted)
                and {
                    Op.EQ: lambda: value == wanted,
                    Op.NE: lambda: value != wanted,
                    Op.LT: lambda: value < wanted,
                    Op.LE: lambda: value <= wanted,
                    Op.GT: lambda: value > wanted,
                    Op.GE: lambda: value >= wanted,
                    Op.CONTAINS: lambda: wanted in value,
                    Op.STARTSWITH: lambda: value.startswith(wanted),
                    Op.ENDSWITH: lambda: value.endswith(wanted),
                }[op]()
            )
        case OneOf(values):
            return any(alike(other) and value == other for other in values)
        case Between(low, high):
            return alike(low) and low <= value <= high
        case _:
            return True


@st.composite
def any_test(draw: st.DrawFn) -> Test:
    form = draw(st.sampled_from([Compare, OneOf, Between]))
    value = draw(SCALARS)
    if form is OneOf:
        return OneOf((value, *draw(st.lists(SCALARS, max_size=3))))
    if form is Between and not isinstance(value, bool):
        other = draw(SCALARS.filter(lambda other: kind_of(other) is kind_of(value)))
        return Between(*sorted([value, other]))
    ops = [Op.EQ, Op.NE]
    ops += [] if isinstance(value, bool) else [Op.LT, Op.LE, Op.GT, Op.GE]
    ops += [Op.CONTAINS, Op.STARTSWITH, Op.ENDSWITH] if isinstance(value, str) else []
    return Compare(draw(st.sampled_from(ops)), value)


@given(any_test(), st.one_of(SCALARS.map(lambda value: (value,)), st.permutations(["a", "ab", "b"]).map(tuple)))
def test_some_value_must_pass(test: Test, values: Values) -> None:
    assert passes(test, values) is any(plainly(test, value) for value in values)

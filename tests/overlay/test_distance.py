"""The distance of subscriptions: as stated, symmetric, within 0..1."""

import pytest
from hypothesis import given

from rankcast.cover import normal_form
from rankcast.language import parse, show
from rankcast.model import Expression
from rankcast.overlay import distance
from rankcast.testing.strategies import expressions


@pytest.mark.parametrize(
    ("one", "other", "expected"),
    [
        ("x between 0 and 4", "x between 2 and 6", 1 - 2 / 6),
        ("x between 0 and 4", "x between 5 and 6", 1),
        ("x between 0 and 4", "y between 0 and 4", 1),
        ("x between 0 and 4", "x between 0 and 4 and y = 1", 0.5),
        ("x > 3", "x > 3", 0),
        ("x > 3", "x > 4", 1),
        ("x = 1", "x in (1, 2)", 0.5),
        ("p in ('a', 'b')", "p in ('b', 'c')", 1 - 1 / 3),
        ("p startswith 'a'", "p startswith 'a'", 0),
        ("p startswith 'a'", "p = 'ab'", 1),
        ("true", "true", 0),
        ("x > 1 and x < 0", "x > 3 and x < 2", 0),
        ("x = 1 or y = 1", "x = 1", 0.25),  # one way x = 1 has its like and y = 1 has not, the other way all have
    ],
)
def test_examples(one: str, other: str, expected: float) -> None:
    assert distance(normal_form(parse(one)), normal_form(parse(other))) == pytest.approx(expected)


@given(expressions(2), expressions(2))
def test_symmetric_and_within_bounds(one: Expression, other: Expression) -> None:
    a, b = normal_form(one), normal_form(other)
    assert distance(a, b) == distance(b, a)
    assert 0 <= distance(a, b) <= 1
    assert distance(a, normal_form(parse(show(one)))) == 0 or a.conjunctions is None

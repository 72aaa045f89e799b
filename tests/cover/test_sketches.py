"""Sketches never say no to a cover, and say no to most of what is none."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rankcast.cover import covers, normal_form
from rankcast.cover.sketches import Sketches, sketch_of
from rankcast.language import parse
from rankcast.model import And, Expression
from rankcast.testing.strategies import conjunctions, expressions


def may_cover(one: Expression, other: Expression) -> bool:
    sketches = Sketches()
    sketches.append(sketch_of(normal_form(one)))
    return bool(sketches.covering(sketch_of(normal_form(other)))[0])


wheres = st.one_of(conjunctions(fuzzy=True), expressions(2, fuzzy=True))


@given(wheres, wheres)
def test_no_cover_is_missed(one: Expression, other: Expression) -> None:
    for general, special in ((one, other), (one, And((one, other))), (other, And((one, other)))):
        if covers(general, special):
            assert may_cover(general, special)


@pytest.mark.parametrize(
    ("one", "other", "expected"),
    [
        ("p = 'a' and x < 5", "p = 'a' and x < 3", True),
        ("p = 'a' and x < 5", "p = 'b' and x < 3", False),
        ("p = 'a' and x < 5", "p = 'a' and x < 7", False),
        ("p = 'a'", "x < 3", False),
        ("p startswith 'a'", "p = 'b'", True),
        ("p startswith 'a'", "x < 3", False),
        ("x in (1, 2, 9)", "x in (2, 3)", True),
        ("x in (1, 2, 9)", "x in (2, 10)", False),
        ("x exists", "x < 3", True),
        ("x < 9007199254740993", "x < 9007199254740993", True),
        ("x < 3 or y < 3", "z = 1", True),
    ],
)
def test_examples(one: str, other: str, expected: bool) -> None:
    assert may_cover(parse(one), parse(other)) is expected

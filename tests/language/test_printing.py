from datetime import UTC, datetime

import pytest
from hypothesis import given, settings

from rankcast import model
from rankcast.language import parse, show
from rankcast.language.printing import show_name, show_term, show_value
from rankcast.testing import strategies, wild

A, B, C = (model.Predicate(name, model.Exists()) for name in "abc")


@pytest.mark.parametrize(
    ("expression", "text"),
    [
        (model.Always(), "true"),
        (model.Not(model.Always()), "not true"),
        (model.And((A, B, C)), "a exists and b exists and c exists"),
        (model.And((model.And((A, B)), C)), "(a exists and b exists) and c exists"),
        (model.Or((model.And((A, B)), C)), "a exists and b exists or c exists"),
        (model.And((model.Or((A, B)), C)), "(a exists or b exists) and c exists"),
        (model.Or((model.Or((A, B)), C)), "(a exists or b exists) or c exists"),
        (model.Not(model.And((A, B))), "not (a exists and b exists)"),
        (model.Not(model.Not(A)), "not not a exists"),
        (model.And((model.Not(A), B)), "not a exists and b exists"),
        (model.Predicate("a", model.Exists(), model.Thresholds(0.8, 0)), "a exists [0.8, 0]"),
    ],
)
def test_brackets_stand_only_where_they_matter(expression, text):
    assert show(expression) == text
    assert parse(text) == expression


@pytest.mark.parametrize(
    ("value", "text"),
    [
        ("it's", "'it''s'"),
        ("", "''"),
        ("two\nlines", "'two\nlines'"),
        (True, "true"),
        (1, "1"),
        (1.0, "1.0"),
        (-0.5, "-0.5"),
        (1e300, "1e+300"),
        (datetime(2003, 1, 1, tzinfo=UTC), "date '2003-01-01'"),
        (datetime(2003, 1, 1, 12, tzinfo=UTC), "time '2003-01-01T12:00:00Z'"),
    ],
)
def test_values(value, text):
    assert show_value(value) == text
    assert repr(parse(f"a = {text}")) == repr(model.Predicate("a", model.Compare(model.Op.EQ, value)))


def test_names_are_quoted_only_where_they_must():
    for name in ("genre", "x.y", "_1", "día", "date", "time", "very"):
        assert show_name(name) == name
    for name in ("release date", "In", "TRUE", "1st", "a-b", "x\ny"):
        assert show_name(name) == f'"{name}"'
    assert show_name('a"b') == '"a""b"'
    assert show_term(model.Term("very", (model.Hedge.NOT, model.Hedge.VERY))) == 'not very "very"'


@settings(max_examples=40)
@given(wild.expressions())
def test_parse_is_the_inverse_of_show(expression):
    again = parse(show(expression))
    assert again == expression
    assert repr(again) == repr(expression)  # 1 == 1.0 == True, so equality alone would hide a change of type


@given(strategies.expressions(fuzzy=True))
def test_show_of_parse_is_stable(expression):
    text = show(expression)
    assert show(parse(text)) == text


def test_depth_needs_no_recursion():
    expression = A
    for _ in range(100_000):
        expression = model.Not(expression)
    assert show(expression).endswith("not a exists")

import time

import pytest

from rankcast.errors import LimitError, RecordError
from rankcast.language import (
    MAX_DEPTH,
    MAX_LENGTH,
    MAX_PREDICATES,
    check_limits,
    expression_of_json,
    expression_to_json,
    parse,
    show,
)
from rankcast.model import And, Exists, Not, OneOf, Or, Predicate

LEAF = Predicate("a", Exists())
_HALF_LENGTH = MAX_LENGTH // 2
_HALF = "x" * _HALF_LENGTH


def nots(count):
    expression = LEAF
    for _ in range(count):
        expression = Not(expression)
    return expression


def alternating(levels):
    expression = LEAF
    for level in range(levels):
        expression = (And if level % 2 else Or)((LEAF, expression))
    return expression


@pytest.mark.parametrize(
    ("text", "message", "position"),
    [
        ("x" * 10_000_000, "an expression of 10,000,000 characters; the limit is 100,000", MAX_LENGTH),
        ("(" * 10_000, "an expression nested more than 100 levels deep (brackets, 'and', 'or', 'not')", 100),
        ("not " * 20_000, "an expression nested more than 100 levels deep", 400),
        ("not(" * 20_000, "an expression nested more than 100 levels deep", 200),
        ("a is " + "very " * 19_000, "an expression nested more than 100 levels deep", 505),
        (" or ".join(["a=1"] * 2001), "an expression of more than 2,000 predicates", 14_000),
        ("(a=1 or b=2 and " * 60 + "c=3" + ")" * 60, "an expression nested more than 100 levels deep", 0),
        ("a in (" + "1," * 49_000 + "1)", None, None),
        ("a in (" + "9e15," * 19_000 + "1)", None, None),
        ("a in (" + ",".join(map(str, range(10_000, 26_000))) + ")", "an expression of 112,005 characters; the", None),
    ],
)
def test_too_much_is_refused_at_once(text, message, position):
    start = time.perf_counter()
    if message is None:
        parse(text)
    else:
        with pytest.raises(LimitError) as caught:
            parse(text)
        assert caught.value.message.startswith(message)
        assert position is None or caught.value.position == position
        assert caught.value.pointed()
    assert time.perf_counter() - start < 10


def test_the_limits_themselves_are_allowed():
    for expression in (
        nots(MAX_DEPTH),
        alternating(MAX_DEPTH),
        And((LEAF,) * MAX_PREDICATES),
        Predicate("a", OneOf((_HALF, "y" * (MAX_LENGTH - len(_HALF) - len("a in ('', '')"))))),
    ):
        check_limits(expression)
        assert parse(show(expression)) == expression
        assert expression_of_json(expression_to_json(expression)) == expression
    assert parse("(" * MAX_DEPTH + "a exists" + ")" * MAX_DEPTH) == LEAF


@pytest.mark.parametrize(
    ("expression", "message"),
    [
        (nots(MAX_DEPTH + 1), "nested more than 100 levels deep"),
        (nots(5000), "nested more than 100 levels deep"),
        (alternating(MAX_DEPTH + 1), "nested more than 100 levels deep"),
        (And((LEAF,) * (MAX_PREDICATES + 1)), "more than 2,000 predicates"),
        (Predicate("a", OneOf((_HALF, "y" * _HALF_LENGTH))), "100,013 characters; the limit is 100,000"),
    ],
)
def test_one_more_is_refused_in_text_and_in_json(expression, message):
    with pytest.raises(LimitError, match=message):
        check_limits(expression)
    with pytest.raises(LimitError, match=message):
        expression_to_json(expression)
    with pytest.raises(LimitError, match=message):
        parse(show(expression))


def test_json_has_the_same_limits():
    leaf = {"attribute": "a", "exists": True}
    deep = leaf
    for _ in range(MAX_DEPTH + 1):
        deep = {"not": deep}
    for obj, message in (
        (deep, "where: an expression nested more than 100 levels"),
        ({"and": [leaf] * (MAX_PREDICATES + 1)}, "where: an expression of more than 2,000 predicates"),
        ({"attribute": "a", "in": [_HALF, "y" * _HALF_LENGTH]}, "where: an expression of 100,013 characters"),
        (
            {"attribute": "a", "is": "x" * (MAX_LENGTH + 1)},
            r"where\['is'\]: a string of 100,001 characters; it must have at most 65,536",
        ),
    ):
        with pytest.raises(RecordError, match=message):
            expression_of_json(obj, "where")

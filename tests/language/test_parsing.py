import random
from datetime import UTC, datetime

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from rankcast import model
from rankcast.errors import ExpressionError
from rankcast.language import parse, show
from rankcast.language.parsing import parse_term


def equals(name, value):
    return model.Predicate(name, model.Compare(model.Op.EQ, value))


def test_the_examples_of_the_specification():
    assert parse("genre = 'drama' and director = 'T. Burton' and release_date >= date '2003-01-01'") == model.And(
        (
            equals("genre", "drama"),
            equals("director", "T. Burton"),
            model.Predicate("release_date", model.Compare(model.Op.GE, datetime(2003, 1, 1, tzinfo=UTC))),
        )
    )
    assert parse("(genre = 'comedy' and year > 1999) or (genre = 'short' and rating between 7 and 10)") == model.Or(
        (
            model.And((equals("genre", "comedy"), model.Predicate("year", model.Compare(model.Op.GT, 1999)))),
            model.And((equals("genre", "short"), model.Predicate("rating", model.Between(7, 10)))),
        )
    )
    assert parse("size is medium [0.8, 0] and price <= 1500 and condition is not old [1, 0.3]") == model.And(
        (
            model.Predicate("size", model.Is(model.Term("medium")), model.Thresholds(0.8, 0)),
            model.Predicate("price", model.Compare(model.Op.LE, 1500)),
            model.Predicate("condition", model.Is(model.Term("old", (model.Hedge.NOT,))), model.Thresholds(1, 0.3)),
        )
    )
    assert parse(
        "title startswith 'The ' and mpaa exists and start < time '2026-05-01T20:00:00Z' "
        "and not (genre in ('short', 'news'))"
    ) == model.And(
        (
            model.Predicate("title", model.Compare(model.Op.STARTSWITH, "The ")),
            model.Predicate("mpaa", model.Exists()),
            model.Predicate("start", model.Compare(model.Op.LT, datetime(2026, 5, 1, 20, tzinfo=UTC))),
            model.Not(model.Predicate("genre", model.OneOf(("short", "news")))),
        )
    )


A, B, C = (equals(name, 1) for name in "abc")


@pytest.mark.parametrize(
    ("text", "expression"),
    [
        ("a=1 and b=1 and c=1", model.And((A, B, C))),
        ("(a=1 and b=1) and c=1", model.And((model.And((A, B)), C))),
        ("a=1 or b=1 and c=1", model.Or((A, model.And((B, C))))),
        ("(a=1 or b=1) and c=1", model.And((model.Or((A, B)), C))),
        ("not a=1 and b=1", model.And((model.Not(A), B))),
        ("not (a=1 and b=1)", model.Not(model.And((A, B)))),
        ("not not a=1", model.Not(model.Not(A))),
        ("((a=1))", A),
        ("NOT a=1 AnD b=1 OR c=1", model.Or((model.And((model.Not(A), B)), C))),
        ("true", model.Always()),
        ("TRUE or a=1", model.Or((model.Always(), A))),
        ("\n a = 1 \t", A),
    ],
)
def test_structure(text, expression):
    assert parse(text) == expression


@pytest.mark.parametrize(
    ("text", "test"),
    [
        ("!= 1", model.Compare(model.Op.NE, 1)),
        ("= 1.0", model.Compare(model.Op.EQ, 1.0)),
        ("= -1e3", model.Compare(model.Op.EQ, -1000.0)),
        ("= .5", model.Compare(model.Op.EQ, 0.5)),
        ("= -9223372036854775808", model.Compare(model.Op.EQ, -(2**63))),
        ("= FALSE", model.Compare(model.Op.EQ, False)),
        ("CONTAINS 'it''s'", model.Compare(model.Op.CONTAINS, "it's")),
        ("endswith 'a\nb'", model.Compare(model.Op.ENDSWITH, "a\nb")),
        ("= ''", model.Compare(model.Op.EQ, "")),
        ("In ( 1 , 'x', true )", model.OneOf((1, "x", True))),
        ("between 'a' and 'b'", model.Between("a", "b")),
        (
            "between date '2003-01-01' and time '2003-01-01T01:00:00+01:00'",
            model.Between(*[datetime(2003, 1, 1, tzinfo=UTC)] * 2),
        ),
        ("> time '2003-01-01T10:00:00'", model.Compare(model.Op.GT, datetime(2003, 1, 1, 10, tzinfo=UTC))),
        ("EXISTS", model.Exists()),
        ("is very very cheap", model.Is(model.Term("cheap", (model.Hedge.VERY, model.Hedge.VERY)))),
        ('is not "very"', model.Is(model.Term("very", (model.Hedge.NOT,)))),
        ("is somewhat Date", model.Is(model.Term("Date", (model.Hedge.SOMEWHAT,)))),
    ],
)
def test_tests(text, test):
    parsed = parse(f"x {text}")
    assert parsed == model.Predicate("x", test)
    assert repr(parsed) == repr(model.Predicate("x", test))
    assert parse(f"x {text} [0.25, 1]") == model.Predicate("x", test, model.Thresholds(0.25, 1))


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ('"release date"', "release date"),
        ('"a""b"', 'a"b'),
        ('"in"', "in"),
        ("date", "date"),
        ("time", "time"),
        ("very", "very"),
        ("Genre", "Genre"),
        ("größe.max_2", "größe.max_2"),
        ("名前", "名前"),
    ],
)
def test_names(text, name):
    assert parse(f"{text} = 1") == equals(name, 1)
    assert parse(f"a = 1 and {text} exists") == model.And((equals("a", 1), model.Predicate(name, model.Exists())))


def test_terms():
    assert parse_term("not very cheap") == model.Term("cheap", (model.Hedge.NOT, model.Hedge.VERY))
    assert parse_term('"two words"') == model.Term("two words")
    with pytest.raises(ExpressionError, match="found 'car' after 'cheap', where nothing more should be"):
        parse_term("cheap car")


def attempt(text):
    """What the text means, or the error that it gives; any other error fails the test."""
    try:
        return parse(text)
    except ExpressionError as error:
        return error


WORDS = [
    *("and", "or", "not", "in", "between", "exists", "is", "contains", "startswith", "true", "false", "date", "time"),
    *("very", "genre", "year", "=", "!=", "<", "<=", ">", ">=", "==", "<>", "(", "(", ")", ")", "[", "]", ",", "1"),
    *(
        "-2.5",
        "1e999",
        "'x'",
        "'it''s'",
        "'",
        '"',
        '"a b"',
        "'2003-01-01'",
        "[1,0]",
        "&",
        "!",
        "#",
        "é",
        "\ud800",
        "\x00",
    ),
]


@given(st.lists(st.sampled_from(WORDS), max_size=12).map(" ".join))
@example("date '")
@example("a = date")
@example("a in (")
@example("a is cheap [")
@example("a between 1 and")
def test_any_text_gives_an_expression_or_an_error_inside_of_the_text(text):
    found = attempt(text)
    if isinstance(found, ExpressionError):
        assert 0 <= found.position <= len(text)
        assert found.message
        assert found.pointed()
    else:
        assert parse(show(found)) == found


@given(st.text(max_size=40))
def test_no_text_breaks_the_parser(text):
    found = attempt(text)
    assert not isinstance(found, ExpressionError) or 0 <= found.position <= len(text)


def test_one_changed_character_never_breaks_the_parser():
    text = "(genre = 'drama' or not year between 1 and 5) and price is very cheap [0.5, 0] and d > date '2003-01-01'"
    dice = random.Random(1)
    for at in range(len(text)):
        for letter in ("", "'", '"', "(", ")", "[", ",", " ", "\n", dice.choice("abcdefghij0123456789=<>!.-")):
            attempt(text[:at] + letter + text[at + 1 :])

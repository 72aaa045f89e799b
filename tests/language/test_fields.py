from enum import Enum

import pytest

from rankcast.errors import RecordError
from rankcast.language.fields import Fields, number_of, text_of, what_is


class Colour(Enum):
    RED = "red"
    GREEN = "green"


KNOWN = ("name", "count", "size", "colour", "inner")


def fields(**given):
    return Fields("a thing", given, KNOWN)


def test_values_of_the_right_type_go_through():
    given = fields(name="x", count=3, size=2, colour="red", inner={})
    assert given.text("name") == "x"
    assert given.whole("count") == 3
    assert given.number("size") == 2.0
    assert isinstance(given.number("size"), float)
    assert given.choice("colour", Colour) is Colour.RED
    assert given.object("inner") == {}
    assert "name" in given


def test_null_is_as_good_as_left_out():
    for given in (fields(), fields(name=None, count=None)):
        assert "name" not in given
        assert given.text("name", None) is None
        assert given.number("count", 7) == 7
        with pytest.raises(RecordError, match="a thing needs the field 'name'"):
            given.text("name")


@pytest.mark.parametrize(
    ("read", "message"),
    [
        (lambda: fields(nmae=1), "a thing has no field 'nmae'; did you mean 'name'?"),
        (lambda: fields(zzz=1), "a thing has no field 'zzz'; it has colour, count, inner, name, size"),
        (lambda: fields(name="").text("name"), "field 'name' of a thing is empty"),
        (lambda: fields(name=5).text("name"), "field 'name' of a thing must be a string, not the number 5"),
        (lambda: fields(name="\ud800").text("name"), "field 'name' of a thing: text that is not valid Unicode at"),
        (lambda: fields(count="3").whole("count"), "field 'count' of a thing must be a whole number, not the string"),
        (
            lambda: fields(count=3.0).whole("count"),
            "field 'count' of a thing must be a whole number, not the number 3.0",
        ),
        (lambda: fields(count=True).whole("count"), "field 'count' of a thing must be a whole number, not true"),
        (lambda: fields(count=2**63).whole("count"), "field 'count' of a thing: an integer of more than 64 bits"),
        (lambda: fields(size="x").number("size"), "field 'size' of a thing must be a number, not the string 'x'"),
        (lambda: fields(size=float("nan")).number("size"), "field 'size' of a thing: nan is not a number that can"),
        (lambda: fields(size=10**400).number("size"), "field 'size' of a thing: an integer of more than 64 bits"),
        (
            lambda: fields(colour="gren").choice("colour", Colour),
            "field 'colour' of a thing cannot be 'gren'; it is one of red, green; did you mean 'green'?",
        ),
        (
            lambda: fields(colour=[]).choice("colour", Colour),
            "field 'colour' of a thing must be one of red, green, not",
        ),
        (lambda: fields(inner=[1]).object("inner"), "field 'inner' of a thing must be an object {…}, not a list"),
        (lambda: text_of(None, "it"), "it must be a string, not null"),
        (lambda: number_of({}, "it"), "it must be a number, not an object"),
    ],
)
def test_errors_name_the_field_the_value_and_what_would_be_right(read, message):
    with pytest.raises(RecordError) as caught:
        read()
    assert str(caught.value).startswith(message)


def test_values_for_people():
    assert [what_is(value) for value in (None, True, "x", 1, [], {}, 10**400, b"")] == [
        *("null", "true", "the string 'x'", "the number 1", "a list", "an object", "a very large number", "a bytes")
    ]
    assert what_is("x" * 1000) == f"the string '{'x' * 60}…'"

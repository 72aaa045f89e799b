import copy
import pickle
from dataclasses import replace
from datetime import UTC, datetime

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rankcast.errors import ModelError, RecordError
from rankcast.language import decode_event, dumps, encode_event
from rankcast.language.events import MAX_NESTED, written_event
from rankcast.model import Event, Gaussian, Hedge, Interval, Term, Trapezoid
from rankcast.testing import strategies, wild

SPEC = """{"id": "e1", "time": "2004-02-13T20:05:00Z", "source": "imdb",
    "attributes": {"title": "Big Fish", "genre": ["drama", "comedy"], "oscars": 0,
                   "release_date": {"time": "2004-02-13"},
                   "price": {"is": "cheap"}, "size": {"between": [50, 60]},
                   "age": {"trapezoid": [10, 20, 30, 40]}}}"""

TIME = datetime(2004, 2, 13, 20, 5, tzinfo=UTC)


def event(**given):
    return decode_event({"id": "e1", "time": "2004-02-13T20:05:00Z", "attributes": {}, **given})


def attribute(value):
    return event(attributes={"a": value}).attributes


def test_the_example_of_the_specification():
    expected = Event(
        "e1",
        TIME,
        {
            "title": ("Big Fish",),
            "genre": ("drama", "comedy"),
            "oscars": (0,),
            "release_date": (datetime(2004, 2, 13, tzinfo=UTC),),
            "price": Term("cheap"),
            "size": Interval(50, 60),
            "age": Trapezoid(10, 20, 30, 40),
        },
        "imdb",
    )
    assert decode_event(SPEC) == expected
    assert decode_event(SPEC.encode()) == expected
    assert decode_event(encode_event(expected)) == expected


@pytest.mark.parametrize(
    ("value", "attributes"),
    [
        (None, {}),
        ([], {}),
        ("", {"a": ("",)}),
        (0, {"a": (0,)}),
        (False, {"a": (False,)}),
        ([True, False], {"a": (True, False)}),
        (["x", "x"], {"a": ("x",)}),
        ([5], {"a": (5,)}),
        ({"is": "not very cheap"}, {"a": Term("cheap", (Hedge.NOT, Hedge.VERY))}),
        ({"is": '"two words"'}, {"a": Term("two words")}),
        ({"bell": [1, 2]}, {"a": Gaussian(1, 2)}),
    ],
)
def test_values(value, attributes):
    assert attribute(value) == attributes


def test_now_stands_in_for_a_missing_time():
    assert decode_event({"id": "e1", "attributes": {}}, now=TIME).time == TIME
    assert event(time="2004-02-13T00:00:00Z").time != TIME


def test_advertisement():
    given = event(advertisement="a1", k=5)
    assert (given.advertisement, given.k) == ("a1", 5)
    assert encode_event(given)["k"] == 5


@settings(max_examples=50)
@given(wild.events())
def test_round_trip(given):
    assert decode_event(encode_event(given)) == given
    again = decode_event(dumps(encode_event(given)))
    assert repr(again) == repr(given)


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"id": 1}, "field 'id' of an event must be a string, not the number 1; write \"1\" in quotes"),
        ({"id": None}, "an event needs the field 'id'"),
        ({"id": ""}, "id is empty; it must have 1..1,000 characters"),
        ({"source": 5}, "field 'source' of an event must be a string, not the number 5; write \"5\" in quotes"),
        ({"time": None}, "an event needs the field 'time'"),
        ({"time": 5}, "field 'time' of an event must be a string like '2004-02-13T20:05:00Z', not the number 5"),
        ({"time": "soon"}, "field 'time' of an event: 'soon' is not a time; write it like"),
        ({"attributes": None}, "an event needs the field 'attributes'"),
        ({"attributes": []}, "field 'attributes' of an event must be an object {…}, not a list"),
        ({"genre": "x"}, "an event has no field 'genre'; what describes the event goes into 'attributes'"),
        ({"atributes": {}}, "an event has no field 'atributes'; did you mean 'attributes'?"),
        ({"k": 5}, "k without an advertisement"),
        ({"k": "5"}, "field 'k' of an event must be a whole number, not the string '5'"),
        ({"k": 5.0}, "field 'k' of an event must be a whole number, not the number 5.0"),
        ({"k": True}, "field 'k' of an event must be a whole number, not true"),
        ({"advertisement": 5}, "field 'advertisement' of an event must be a string, not the number 5"),
        ({"attributes": {"": 5}}, "the name of an attribute is empty; "),
        ({"attributes": {5: 5}}, "the name of an attribute must be a string, not the number 5"),
        ({"attributes": {"\ud800": 5}}, "the name of an attribute: text that is not valid Unicode at character 1"),
    ],
)
def test_errors(given, message):
    with pytest.raises(RecordError) as caught:
        event(**given)
    assert str(caught.value).startswith(message)


@pytest.mark.parametrize(
    ("value", "message"),
    [
        ([1, "x"], "attribute 'a': values of different types in one attribute: number and string"),
        ([None], "attribute 'a': element 1 is null; a list must hold strings, booleans, numbers or times"),
        ([1, [2]], "attribute 'a': element 2 is a list; a list must hold strings, booleans, numbers or times"),
        (
            [{"b": 1}],
            "attribute 'a': element 1 is an object; a list must hold strings, booleans, numbers or times; give",
        ),
        ({"b": [1, {"c": 2}]}, "attribute 'a.b': element 2 is an object"),
        ({"b": [1, "x"]}, "attribute 'a.b': values of different types in one attribute: number and string"),
        (2**63, "attribute 'a': an integer of more than 64 bits"),
        (float("nan"), "attribute 'a': nan is not a number that can be compared"),
        ("\ud800", "attribute 'a': text that is not valid Unicode at character 1"),
        (b"x", "attribute 'a' must be a string, number, boolean, list or object, not a bytes"),
        ({"trapezod": [1, 2, 3, 4]}, "attribute 'a' is an object with 'trapezod'; it must have just one of time, is, "),
        ({"is": "x", "between": [1, 2]}, "attribute 'a' is an object with 'is', 'between'; it must have just one of"),
        ({"time": "soon"}, "attribute 'a': 'soon' is not a time; write it like"),
        ({"time": 5}, "attribute 'a': 'time' must be a string, not the number 5"),
        ({"is": "very"}, "attribute 'a': found the end after 'very', where the name of a concept should be (at char"),
        ({"is": ""}, "attribute 'a': found the end, where the name of a concept should be"),
        ({"between": [5, 1]}, "attribute 'a': interval [5, 1] needs its numbers in ascending order"),
    ],
)
def test_errors_of_values_name_the_attribute(value, message):
    with pytest.raises(RecordError) as caught:
        attribute(value)
    assert str(caught.value).startswith(message)


def test_nested_objects_are_flattened():
    given = {"a": {"b": {"c": 3, "d": None, "e": []}, "f": ["x", "y"], "t": {"time": "2026-01-01"}}, "g": {}, "h.i": 5}
    assert event(attributes=given).attributes == {
        "a.b.c": (3,),
        "a.f": ("x", "y"),
        "a.t": (datetime(2026, 1, 1, tzinfo=UTC),),
        "h.i": (5,),
    }


def test_values_within_nested_objects():
    given = {"offer": {"size": {"between": [50, 60]}, "price": {"is": "cheap"}, "names": {"title": "x"}}}
    assert event(attributes=given).attributes == {
        "offer.size": Interval(50, 60),
        "offer.price": Term("cheap"),
        "offer.names.title": ("x",),
    }


@pytest.mark.parametrize(
    "given", [{"a": {"b": 1}, "a.b": 2}, {"a.b": 2, "a": {"b": 1}}, {"a": {"b.c": 1, "b": {"c": 2}}}]
)
def test_an_attribute_is_given_once(given):
    with pytest.raises(RecordError, match=r"attribute 'a\.b(\.c)?' is given twice"):
        event(attributes=given)


def test_nesting_has_a_limit():
    nested = 1
    for _ in range(MAX_NESTED):
        nested = {"x": nested}
    assert list(event(attributes={"a": nested}).attributes) == ["a" + ".x" * MAX_NESTED]
    with pytest.raises(RecordError, match="is nested in more than 20 levels"):
        event(attributes={"a": {"x": nested}})


def test_lists_of_numbers_and_times():
    times = [{"time": "2026-01-02"}, {"time": "2026-01-01"}]
    found = event(attributes={"n": [1, 2.5, 1.0], "t": times, "one": [5]})
    assert found.attributes["n"] == (1, 2.5)
    assert [one.day for one in found.attributes["t"]] == [2, 1]
    assert found.attributes["one"] == (5,)
    assert decode_event(encode_event(found)) == found


@given(strategies.events(fuzzy=True), st.text(min_size=1, max_size=8), st.sampled_from([None, "shop"]), st.booleans())
def test_an_event_of_a_log_is_the_same_if_it_is_read_later(drawn, name, source, is_advertised):
    try:
        event = replace(drawn, id=name, source=source, advertisement="a" if is_advertised else None, seq=5)
    except ModelError:
        return  # not every text is an id
    text = dumps(encode_event(event))
    whole, later = decode_event(text, seq=5), written_event(text, event.time, 5)
    assert (later, later.id, later.seq, later.source) == (whole, whole.id, 5, source)
    assert dumps(encode_event(written_event(text, event.time, 5))) == text
    assert copy.deepcopy(written_event(text, event.time, 5)) == whole
    assert pickle.loads(pickle.dumps(written_event(text, event.time, 5))) == whole
    assert dict(later.attributes) == whole.attributes
    assert whole == later

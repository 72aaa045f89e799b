import pytest
from hypothesis import given, settings

from rankcast.errors import RecordError
from rankcast.language import dumps, expression_of_json, expression_to_json, parse
from rankcast.language.json_text import read_object
from rankcast.testing import strategies, wild

LEAF = {"attribute": "a", "exists": True}


@pytest.mark.parametrize(
    ("text", "obj"),
    [
        ("true", {"always": True}),
        ("not a exists", {"not": LEAF}),
        ("a exists and genre = 'drama'", {"and": [LEAF, {"attribute": "genre", "=": "drama"}]}),
        ("a exists or a exists", {"or": [LEAF, LEAF]}),
        ("genre in ('x', 1)", {"attribute": "genre", "in": ["x", 1]}),
        ("a between 1 and 2.5", {"attribute": "a", "between": [1, 2.5]}),
        ("price is very cheap [0.5, 1]", {"attribute": "price", "is": "very cheap", "thresholds": [0.5, 1]}),
        ("d > date '2003-01-01'", {"attribute": "d", ">": {"time": "2003-01-01T00:00:00Z"}}),
        ("title startswith 'The'", {"attribute": "title", "startswith": "The"}),
    ],
)
def test_forms(text, obj):
    assert expression_to_json(parse(text)) == obj
    assert expression_of_json(obj) == parse(text)


@settings(max_examples=50)
@given(wild.expressions())
def test_round_trip(expression):
    again = expression_of_json(read_object(dumps(expression_to_json(expression))))
    assert again == expression
    assert repr(again) == repr(expression)


@settings(max_examples=50)
@given(strategies.expressions(fuzzy=True))
def test_round_trip_of_plain_expressions(expression):
    assert expression_of_json(expression_to_json(expression)) == expression


@pytest.mark.parametrize(
    ("obj", "message"),
    [
        (5, "where must be an object, not the number 5"),
        ({}, "where has nothing; it must have one of and, or, not, always, or an attribute"),
        ({"nott": LEAF}, "where has 'nott'; it must have one of and, or, not, always, or an attribute; did you mean"),
        ({"and": [LEAF, LEAF], "or": []}, "where has 'and', 'or'; it must have one of"),
        ({"and": [LEAF]}, "where.and must be a list of at least two expressions, not a list of 1"),
        ({"or": LEAF}, "where.or must be a list of at least two expressions, not an object"),
        ({"always": False}, "where.always must be true, not false"),
        ({"not": {"and": [LEAF, 5]}}, "where.not.and[1] must be an object, not the number 5"),
        ({"attribute": 5, "=": 1}, "where.attribute must be a string, not the number 5"),
        ({"attribute": "", "=": 1}, "where: the name of an attribute is empty; "),
        ({"attribute": "a"}, "where must have one operator (=, !=, <, "),
        ({"attribute": "a", "=": 1, "<": 2}, "where must have one operator (=, !=, <, "),
        ({"attribute": "a", "startwith": "x"}, "where has 'startwith', which is no operator (=, !=, <, "),
        ({"attribute": "a", "and": [LEAF, LEAF]}, "where has 'and', which is no operator"),
        ({"attribute": "a", "=": None}, 'where[\'=\'] must be a string, number, boolean or {"time": "…"}, not null'),
        ({"attribute": "a", "=": float("nan")}, "where: nan is not a number that can be compared"),
        ({"attribute": "a", "=": 2**70}, "where: an integer of more than 64 bits"),
        ({"attribute": "a", "=": "\ud800"}, "where: text that is not valid Unicode"),
        ({"attribute": "a", "=": {"time": "soon"}}, "where: 'soon' is not a time; write it like"),
        ({"attribute": "a", "=": {"time": 5}}, "where['='] must be a string, not the number 5"),
        ({"attribute": "a", "in": []}, "where['in'] must be a list of values, not a list of 0"),
        ({"attribute": "a", "in": 5}, "where['in'] must be a list of values, not the number 5"),
        ({"attribute": "a", "between": [1]}, "where['between'] must be a list of two values, not a list of 1"),
        ({"attribute": "a", "between": [2, 1]}, "where: between needs the lower value first, not 2 and 1"),
        ({"attribute": "a", "exists": False}, "where['exists'] must be true, not false"),
        ({"attribute": "a", "is": "very"}, "where['is']: found the end after 'very', where the name of a concept"),
        ({"attribute": "a", "contains": True}, "where: contains needs a string, number or time, not the boolean True"),
        ({**LEAF, "thresholds": 1}, "where.thresholds must be a list of two numbers [possibility, necessity], not"),
        ({**LEAF, "thresholds": [1, 2]}, "where: the threshold of necessity is 2.0; it must lie in 0..1"),
        ({**LEAF, "thresholds": ["x", 0]}, "where.thresholds must be a number, not the string 'x'"),
    ],
)
def test_errors_name_the_path(obj, message):
    with pytest.raises(RecordError) as caught:
        expression_of_json(obj, "where")
    assert str(caught.value).startswith(message)

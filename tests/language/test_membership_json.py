import pytest
from hypothesis import given, settings

from rankcast import model
from rankcast.errors import RecordError
from rankcast.language.json_text import dumps, read_object
from rankcast.language.membership_json import FORMS, membership_of_json, membership_to_json
from rankcast.testing import wild


@pytest.mark.parametrize(
    ("form", "value", "membership"),
    [
        ("trapezoid", [0, 0, 500, 900], model.Trapezoid(0, 0, 500, 900)),
        ("triangle", [1, 2, 3.5], model.Triangle(1, 2, 3.5)),
        ("between", [50, 60], model.Interval(50, 60)),
        ("interval", [50, 60], model.Interval(50, 60)),
        ("left_shoulder", [1, 2], model.LeftShoulder(1, 2)),
        ("right_shoulder", [1, 2], model.RightShoulder(1, 2)),
        ("gaussian", [1, 2], model.Gaussian(1, 2)),
        ("bell", [1, 2], model.Gaussian(1, 2)),
        ("piecewise", [[0, 0], [1, 1.0]], model.Piecewise(((0, 0), (1, 1.0)))),
        ("table", {"new": 1, "used": 0.5}, model.Table((("new", 1), ("used", 0.5)))),
        ("table", [[1, 1], [2, 0.5]], model.Table(((1, 1), (2, 0.5)))),
    ],
)
def test_forms(form, value, membership):
    assert membership_of_json(form, value, "it") == membership
    assert form in FORMS


@settings(max_examples=50)
@given(wild.memberships())
def test_round_trip(membership):
    ((form, value),) = read_object(dumps(membership_to_json(membership))).items()
    assert membership_of_json(form, value, "it") == membership


@pytest.mark.parametrize(
    ("form", "value", "message"),
    [
        ("trapezoid", [1, 2, 3], "it: 'trapezoid' must be a list of 4 numbers [a, b, c, d], not a list of 3"),
        ("trapezoid", 5, "it: 'trapezoid' must be a list of 4 numbers [a, b, c, d], not the number 5"),
        ("trapezoid", [1, 2, 3, "4"], "it: each number of 'trapezoid' must be a number, not the string '4'"),
        ("trapezoid", [1, 2, 3, True], "it: each number of 'trapezoid' must be a number, not true"),
        ("trapezoid", [1, 2, 3, 2**70], "it: each number of 'trapezoid': an integer of more than 64 bits"),
        ("triangle", [3, 2, 1], "it: triangle [3, 2, 1] needs its numbers in ascending order"),
        ("between", [5, 1], "it: interval [5, 1] needs its numbers in ascending order"),
        ("gaussian", [0, 0], "it: the sigma of gaussian is 0; it must be above 0 and at most 1e15"),
        ("piecewise", 5, "it: 'piecewise' must be a list of pairs [x, degree], not the number 5"),
        ("piecewise", [[1]], "it: 'piecewise' must be a list of pairs [x, degree]; one of them is a list"),
        ("piecewise", [], "it: piecewise needs at least one point [x, degree]"),
        ("piecewise", [[1, 2]], "it: piecewise point [1, 2] has a degree outside 0..1"),
        ("table", 5, "it: 'table' must be an object {value: degree} or a list of pairs [x, degree], not the number 5"),
        ("table", {"x": "1"}, "it: 'table': the degree of 'x' must be a number, not the string '1'"),
        ("table", {"x": 2}, "it: table gives 'x' the degree 2, which is outside 0..1"),
        ("table", [[True, 1]], "it: 'table' must be a string or number, not true"),
        ("table", [[1, 1], ["x", 1]], "it: table mixes strings and numbers"),
        ("table", [[1, 1], [1.0, 1]], "it: table names a value twice"),
        ("table", {}, "it: table needs at least one value with a degree"),
    ],
)
def test_errors(form, value, message):
    with pytest.raises(RecordError) as caught:
        membership_of_json(form, value, "it")
    assert str(caught.value) == message

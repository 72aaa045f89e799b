import pytest

from rankcast.model import Gaussian, Interval, LeftShoulder, Membership, Piecewise, RightShoulder, Trapezoid, Triangle
from rankcast.service.page.concepts.concept_shapes import FIELDS, FORMS, converted, first_shape, forms_for
from rankcast.service.page.concepts.curve_editor import form_of, membership_of, numbers_of
from rankcast.service.studies.attribute_study import Axis, study

SHAPES: list[Membership] = [
    Trapezoid(10, 20, 30, 40),
    Triangle(10, 20, 40),
    Interval(10, 20),
    LeftShoulder(20, 30),
    RightShoulder(20, 30),
    Gaussian(20, 4),
    Piecewise(((0, 0.2), (10, 1.0), (20, 0.4))),
]
AXIS = Axis("x", 0, 100)


@pytest.mark.parametrize("shape", SHAPES, ids=form_of)
@pytest.mark.parametrize("form", [form for form in FORMS if form != "table"])
def test_every_form_turns_into_every_other(shape: Membership, form: str) -> None:
    made = converted(shape, form, AXIS)
    assert form_of(made) == form
    if form in FIELDS:
        assert len(numbers_of(made)) == len(FIELDS[form])


@pytest.mark.parametrize("shape", SHAPES, ids=form_of)
def test_a_form_turned_into_itself_stays(shape: Membership) -> None:
    if not isinstance(shape, Interval | Gaussian):
        assert converted(shape, form_of(shape), AXIS) == shape
    assert membership_of(form_of(shape), numbers_of(shape)) == shape


def test_shoulders_go_on_to_the_end_of_the_axis() -> None:
    assert converted(LeftShoulder(20, 30), "trapezoid", AXIS) == Trapezoid(0, 0, 20, 30)
    assert converted(RightShoulder(20, 30), "trapezoid", AXIS) == Trapezoid(20, 30, 100, 100)


def test_the_first_shape_is_in_the_middle_on_either_axis() -> None:
    assert first_shape(AXIS) == Trapezoid(30, 45, 55, 70)
    made = first_shape(Axis("x", 1, 10_000, log=True))
    assert isinstance(made, Trapezoid)
    assert 10 < made.a < made.d < 1000


def test_texts_have_tables_and_numbers_all_else() -> None:
    assert "table" not in forms_for(study("x", []), LeftShoulder(1, 2))

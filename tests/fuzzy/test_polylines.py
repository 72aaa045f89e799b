"""Straight functions as rows of corners: the degree, the limits beside it, and crisp sets as rows."""

import numpy as np
import pytest

from rankcast import model
from rankcast.fuzzy.batch import Polylines, corners_of
from rankcast.model.membership import NUMBER

FORMS = [
    model.Trapezoid(0, 1, 2, 4),
    model.Trapezoid(1, 1, 2, 2),
    model.Triangle(0, 1, 1),
    model.Interval(3, 3),
    model.LeftShoulder(1, 2),
    model.RightShoulder(2, 2),
    model.Piecewise(((0, 0.2), (1, 0.8), (1, 0.4), (1, 0.9), (2, 0.4), (4, 1.0))),
    model.Piecewise(((2, 0.7),)),
    model.Table(((1, 0.3), (4, 1.0))),
]
PLACES = np.array([-9.0, 0.0, 0.5, 1.0, 1.5, 2.0, 3.0, 4.0, 9.0])


@pytest.mark.parametrize("hedges", [(), (model.Hedge.NOT,), (model.Hedge.NOT, model.Hedge.NOT)])
def test_degrees_are_those_of_the_model(hedges):
    rows = Polylines.of([corners_of(form, hedges) for form in FORMS])
    found = rows.degree(np.tile(PLACES, (len(FORMS), 1)))
    for form, degrees in zip(FORMS, found, strict=True):
        expected = [1 - form.degree(x) if len(hedges) == 1 else form.degree(x) for x in PLACES]
        assert degrees == pytest.approx(expected, abs=1e-15), form


def test_limits_beside_a_vertical_side_differ_from_the_degree_at_it():
    row = Polylines.of([corners_of(model.Piecewise(((1, 0.8), (1, 0.9), (1, 0.4))))])
    before, here, behind = row.around(np.array([[1.0]]))
    assert (before, here, behind) == (0.8, 0.9, 0.4)


def test_rows_of_different_length_are_filled_up():
    rows = Polylines.of([corners_of(model.LeftShoulder(0, 4)), corners_of(model.Trapezoid(0, 1, 2, 3))])
    assert rows.x.shape == (2, 4)
    assert rows.degree(np.array([[3.0], [3.0]])).tolist() == [[0.25], [0.0]]


def test_the_widest_row_does_not_overflow():
    most = NUMBER.high
    row = Polylines.of([corners_of(model.RightShoulder(-most, most))])
    assert row.degree(np.array([[0.0, most / 2]])).tolist() == [[0.5, 0.75]]


@pytest.mark.parametrize(
    ("form", "hedges"),
    [(model.Gaussian(0, 1), ()), (model.Interval(0, 1), (model.Hedge.VERY,)), (model.Table((("a", 1.0),)), ())],
)
def test_what_is_curved_or_about_strings_has_no_corners(form, hedges):
    assert corners_of(form, hedges) is None

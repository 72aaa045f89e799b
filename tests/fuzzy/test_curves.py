import math
import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rankcast import model
from rankcast.fuzzy.curves import curve_of
from rankcast.fuzzy.pieces import Flat, Ramp
from rankcast.model.membership import NUMBER, SIGMA

FORMS: list[model.Membership] = [
    model.Trapezoid(1, 3, 5, 8),
    model.Trapezoid(1, 1, 5, 5),
    model.Trapezoid(1, 3, 3, 8),
    model.Triangle(1, 2, 8),
    model.Triangle(1, 1, 8),
    model.Triangle(4, 4, 4),
    model.Interval(2, 7),
    model.Interval(4, 4),
    model.LeftShoulder(2, 7),
    model.LeftShoulder(4, 4),
    model.RightShoulder(2, 7),
    model.RightShoulder(4, 4),
    model.Gaussian(4, 0.7),
    model.Piecewise(((4, 0.3),)),
    model.Piecewise(((1, 0.2), (2, 0.9), (2, 0.4), (5, 0.4), (5, 0.1), (5, 0.6), (8, 1.0))),
    model.Table(((1, 0.5), (4, 1.0), (7.5, 0.2))),
]
XS = [x / 4 for x in range(-4, 44)]


@pytest.mark.parametrize("form", FORMS, ids=str)
@pytest.mark.parametrize(
    "hedges",
    [(), (model.Hedge.NOT,), (model.Hedge.VERY,), (model.Hedge.SOMEWHAT,), (model.Hedge.NOT, model.Hedge.VERY)],
)
def test_the_curve_is_the_function(form: model.Membership, hedges: tuple[model.Hedge, ...]) -> None:
    curve = curve_of(form, hedges)
    for x in XS:
        expected = form.degree(x)
        for hedge in reversed(hedges):
            expected = hedge.applied(expected)
        assert curve.value(x) == pytest.approx(expected, abs=1e-12), x


@pytest.mark.parametrize("form", FORMS, ids=str)
def test_negated_is_one_minus(form: model.Membership) -> None:
    curve = curve_of(form)
    for x in XS:
        assert curve.negated().value(x) == pytest.approx(1 - curve.value(x), abs=1e-15)


@pytest.mark.parametrize("form", FORMS, ids=str)
def test_breaks_ascend_and_pieces_lie_between(form: model.Membership) -> None:
    curve = curve_of(form)
    assert list(curve.breaks) == sorted(set(curve.breaks))
    assert len(curve.pieces) == len(curve.breaks) + 1 == len(curve.points) + 1
    for index, piece in enumerate(curve.pieces):
        if isinstance(piece, Ramp):
            assert (piece.left, piece.right) == (curve.breaks[index - 1], curve.breaks[index])


def test_a_vertical_side_takes_its_upper_value() -> None:
    curve = curve_of(model.Piecewise(((2, 0.2), (2, 0.9), (2, 0.4))))
    assert curve.pieces == (Flat(0.2), Flat(0.4))
    assert curve.value(2) == 0.9
    assert curve.negated().value(2) == pytest.approx(0.1)


def test_very_and_somewhat_on_a_bell_change_its_width() -> None:
    far = model.Gaussian(0, 1), (model.Hedge.SOMEWHAT,) * 8
    assert curve_of(*far).value(40) == pytest.approx(math.exp(-800 / 256), rel=1e-12)
    assert curve_of(model.Gaussian(0, 1), (model.Hedge.VERY,) * 4).value(1) == pytest.approx(math.exp(-8), rel=1e-12)


@pytest.mark.parametrize("sigma", [sys.float_info.min, 1e-300, 1.0, SIGMA.high])
@pytest.mark.parametrize("mean", [NUMBER.low, 0.0, 1e9, NUMBER.high])
@pytest.mark.parametrize(
    "hedges", [(), (model.Hedge.VERY,) * 9, (model.Hedge.SOMEWHAT,) * 9, (model.Hedge.SOMEWHAT, model.Hedge.NOT)]
)
def test_extreme_bells_stay_functions(mean: float, sigma: float, hedges: tuple[model.Hedge, ...]) -> None:
    curve = curve_of(model.Gaussian(mean, sigma), hedges)
    assert curve.value(mean) == (0.0 if model.Hedge.NOT in hedges else 1.0)
    for x in (-sys.float_info.max, -1.0, 0.0, 1.0, 1e9, sys.float_info.max):
        assert 0 <= curve.value(x) <= 1


@given(st.integers(0, int(NUMBER.high) - 3), st.integers(0, 3))
def test_large_integers_are_not_rounded(low: int, width: int) -> None:
    curve = curve_of(model.Interval(low, low + width))
    assert [curve.value(x) for x in (low - 1, low, low + width, low + width + 1)] == [0, 1, 1, 0]

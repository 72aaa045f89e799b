import math

import pytest

from rankcast.fuzzy.curves import curve_of
from rankcast.fuzzy.overlap import overlap
from rankcast.model import (
    Gaussian,
    Hedge,
    Interval,
    LeftShoulder,
    Membership,
    Piecewise,
    RightShoulder,
    Table,
    Triangle,
)
from rankcast.model.membership import NUMBER

NOT = (Hedge.NOT,)


@pytest.mark.parametrize(
    ("f", "g", "height"),
    [
        (Triangle(0, 2, 4), Triangle(2, 4, 6), 0.5),
        (Triangle(0, 1, 2), Triangle(2, 3, 4), 0.0),
        (Interval(0, 1), Interval(1, 2), 1.0),
        (Interval(0, 1), Interval(1.5, 2), 0.0),
        (Interval(3, 3), Triangle(2, 4, 6), 0.5),
        (Interval(3, 3), Interval(3, 3), 1.0),
        (LeftShoulder(0, 4), RightShoulder(1, 3), 0.5),
        (LeftShoulder(0, 1), LeftShoulder(-5, -4), 1.0),
        (RightShoulder(0, 1), RightShoulder(5, 9), 1.0),
        (LeftShoulder(2, 2), RightShoulder(2, 2), 1.0),
        (Piecewise(((0, 0.3),)), Piecewise(((9, 0.8),)), 0.3),
        (Piecewise(((0, 0.0), (1, 0.6), (2, 0.0))), Interval(0, 5), 0.6),
        (Table(((1, 0.4), (3, 0.9))), Triangle(0, 2, 4), 0.5),
        (Table(((1, 0.4),)), Table(((1.0, 0.7), (2, 1.0))), 0.4),
        (Gaussian(0, 1), Gaussian(5, 1.5), math.exp(-2)),
    ],
    ids=str,
)
def test_known_heights(f: Membership, g: Membership, height: float) -> None:
    assert overlap(curve_of(f), curve_of(g)) == pytest.approx(height, abs=1e-12)
    assert overlap(curve_of(g), curve_of(f)) == pytest.approx(height, abs=1e-12)


def test_a_supremum_need_not_be_reached() -> None:
    # to the right of 1 the complement of the interval is 1, at 1 it is 0; the shoulder is 1 only up to 1
    assert overlap(curve_of(Interval(0, 1), NOT), curve_of(LeftShoulder(1, 2))) == 1.0
    assert overlap(curve_of(Interval(0, 1), NOT), curve_of(Interval(0, 1))) == 0.0


def test_the_complement_of_points_is_almost_everything() -> None:
    points = Table(((1, 1.0), (2, 1.0)))
    assert overlap(curve_of(points, NOT), curve_of(Triangle(0, 1, 3))) == 1.0
    assert overlap(curve_of(points, NOT), curve_of(points)) == 0.0


def test_steep_sides_far_from_zero_cross_exactly() -> None:
    left, right = 1e9, math.nextafter(1e9, 2e9)
    assert overlap(curve_of(LeftShoulder(left, right)), curve_of(RightShoulder(left, right))) == 0.5


def test_sides_as_long_as_the_axis() -> None:
    furthest = NUMBER.high
    assert overlap(curve_of(LeftShoulder(-furthest, furthest)), curve_of(RightShoulder(-furthest, furthest))) == 0.5


def test_a_bell_narrower_than_the_floats_around_it_is_a_point() -> None:
    assert overlap(curve_of(Gaussian(1e9, 1e-30)), curve_of(Triangle(0, 5e8, 2e9))) == pytest.approx(2 / 3, abs=1e-9)

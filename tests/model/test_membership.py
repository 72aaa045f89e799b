import pytest

from rankcast.errors import ModelError
from rankcast.model import Gaussian, Hedge, Interval, LeftShoulder, Piecewise, RightShoulder, Table, Trapezoid, Triangle


@pytest.mark.parametrize(
    ("mu", "x", "degree"),
    [
        (Trapezoid(0, 10, 20, 30), -1, 0),
        (Trapezoid(0, 10, 20, 30), 5, 0.5),
        (Trapezoid(0, 10, 20, 30), 10, 1),
        (Trapezoid(0, 10, 20, 30), 27.5, 0.25),
        (Trapezoid(0, 0, 500, 900), 0, 1),
        (Trapezoid(0, 0, 500, 900), -0.001, 0),
        (Triangle(0, 1, 3), 2, 0.5),
        (Triangle(1, 1, 1), 1, 1),
        (Interval(1, 2), 2, 1),
        (Interval(1, 2), 2.001, 0),
        (LeftShoulder(10, 20), -1e9, 1),
        (LeftShoulder(10, 20), 15, 0.5),
        (LeftShoulder(10, 20), 20, 0),
        (RightShoulder(10, 20), 1e9, 1),
        (Gaussian(5, 2), 5, 1),
        (Gaussian(0, 1e-200), 1, 0),
        (Piecewise(((0, 0.2), (10, 1.0), (10, 0.0), (20, 0.5))), 10, 1),
        (Piecewise(((0, 0.2), (10, 1.0), (10, 0.0), (20, 0.5))), -5, 0.2),
        (Piecewise(((0, 0.2), (10, 1.0), (10, 0.0), (20, 0.5))), 15, 0.25),
        (Piecewise(((0, 0.2), (10, 1.0), (10, 0.0), (20, 0.5))), 99, 0.5),
        (Table((("old", 1.0), ("worn", 0.6))), "worn", 0.6),
        (Table((("old", 1.0), ("worn", 0.6))), "new", 0),
    ],
)
def test_degree_at_a_crisp_value(mu, x, degree):
    assert mu.degree(x) == pytest.approx(degree, abs=1e-12)


@pytest.mark.parametrize(
    ("make", "says"),
    [
        (lambda: Trapezoid(3, 2, 1, 0), "ascending"),
        (lambda: Triangle(0, float("nan"), 1), "number of triangle is nan"),
        (lambda: Gaussian(0, 0), "sigma of gaussian is 0; it must be above 0"),
        (lambda: Piecewise(()), "at least one point"),
        (lambda: Piecewise(((0, 2),)), "outside 0..1"),
        (lambda: Table((("a", 1.0), ("a", 0.5))), "twice"),
        (lambda: Table((("a", 1.0), (1, 0.5))), "mixes"),
        (lambda: Table(((float("nan"), 1.0),)), "can be compared"),
        (lambda: Table(((True, 1.0),)), "not booleans"),
    ],
)
def test_functions_that_cannot_be_are_refused(make, says):
    with pytest.raises(ModelError, match=says):
        make()


def test_hedges():
    assert [hedge.applied(0.25) for hedge in Hedge] == [0.75, 0.0625, 0.5]

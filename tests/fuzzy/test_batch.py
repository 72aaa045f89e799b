"""Batches: the pairs at the same place, one against all, and any mixture of forms (exactness: test_batch_exact)."""

import numpy as np
import pytest

from rankcast.fuzzy import (
    Polylines,
    batch_degree,
    batch_possibility_necessity,
    degree,
    polyline_possibility_necessity,
    possibility_necessity,
)
from rankcast.model import Gaussian, Hedge, Interval, LeftShoulder, RightShoulder, Table, Trapezoid, Triangle

MIXED = [
    (Trapezoid(0, 1, 2, 4), ()),
    (Gaussian(2, 1), (Hedge.VERY,)),
    (LeftShoulder(1, 3), (Hedge.NOT,)),
    (Table((("new", 1.0), ("used", 0.4))), ()),
    (Triangle(1, 2, 2), (Hedge.SOMEWHAT,)),
    (Table(((1, 0.5), (2, 1.0))), ()),
    (Interval(2, 2), ()),
]


def test_any_forms_may_stand_side_by_side():
    mus, pis = [mu for mu in MIXED for _ in MIXED], [pi for _ in MIXED for pi in MIXED]
    found = np.array(batch_possibility_necessity(mus, pis)).T
    expected = [possibility_necessity(*mu, *pi) for mu, pi in zip(mus, pis, strict=True)]
    assert found == pytest.approx(np.array(expected), abs=1e-12)


def test_one_goes_with_all_of_the_other():
    one = [(RightShoulder(0, 4), ())]
    expected = [possibility_necessity(*one[0], *pi) for pi in MIXED]
    found = np.array(batch_possibility_necessity(one, MIXED)).T
    assert found == pytest.approx(np.array(expected), abs=1e-12)
    expected = [possibility_necessity(*mu, *one[0]) for mu in MIXED]
    found = np.array(batch_possibility_necessity(MIXED, one)).T
    assert found == pytest.approx(np.array(expected), abs=1e-12)


def test_arrays_of_trapezoids_need_no_objects():
    corners = np.sort(np.random.default_rng(1).integers(0, 6, (5_000, 4)), axis=1).astype(float)
    asked = Polylines.of_trapezoids(np.array([[1.0, 2.0, 3.0, 5.0]]))
    possibility, necessity = polyline_possibility_necessity(asked, Polylines.of_trapezoids(corners))
    for i in range(0, 5_000, 250):
        expected = possibility_necessity(Trapezoid(1, 2, 3, 5), (), Trapezoid(*corners[i]))
        assert (possibility[i], necessity[i]) == pytest.approx(expected, abs=1e-12)


def test_nothing_comes_of_nothing():
    assert [part.tolist() for part in batch_possibility_necessity([], [])] == [[], []]


def test_sequences_that_do_not_pair_up_are_refused():
    with pytest.raises(ValueError, match="2 concepts and 3 distributions"):
        batch_possibility_necessity(MIXED[:2], MIXED[:3])


@pytest.mark.parametrize(("mu", "hedges"), MIXED)
def test_degrees_of_many_values(mu, hedges):
    values = np.linspace(-1, 5, 25)
    assert batch_degree(mu, hedges, values) == pytest.approx([degree(mu, hedges, x) for x in values.tolist()])

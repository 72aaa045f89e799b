"""Cuts of membership functions: what is inside always holds, what is outside never, by the matcher's own arithmetic."""

import itertools
import math
import random

import pytest

from rankcast.cover.cells import ANY
from rankcast.cover.line import EMPTY, FULL, Line
from rankcast.cover.vague import Degree, exact_cut, holding, implied, not_holding
from rankcast.fuzzy import degree
from rankcast.model import (
    Gaussian,
    Hedge,
    Interval,
    LeftShoulder,
    Piecewise,
    RightShoulder,
    Table,
    Trapezoid,
    Triangle,
)

NOT, VERY, SOMEWHAT = Hedge.NOT, Hedge.VERY, Hedge.SOMEWHAT
HEDGES = [
    (),
    (NOT,),
    (VERY,),
    (SOMEWHAT,),
    (NOT, VERY),
    (SOMEWHAT, NOT),
    (VERY, NOT, SOMEWHAT),
    (NOT, NOT),
    (VERY,) * 5,
]
LEVELS = [0.0, 1e-10, 0.1, 0.25, 0.3, 0.5, 0.7, 0.9, 1 - 1e-10, 1.0]
SHAPES = [
    Trapezoid(0, 1, 2, 4),
    Trapezoid(1, 1, 2, 2),
    Trapezoid(0, 0, 500, 900),
    Trapezoid(1e9, 1e9 + 1e-6, 2e9, 2e9 + 3e-6),
    Triangle(0.1, 0.3, 0.7),
    Triangle(-1e-300, 0, 1e-300),
    Interval(1, 5),
    Interval(3, 3),
    LeftShoulder(500, 900),
    RightShoulder(0.1, 0.2),
    Gaussian(10, 2),
    Gaussian(1e9, 1e-4),
    Piecewise(((0, 0.2), (1, 0.8), (1, 0.4), (2, 0.4), (3, 1.0), (4, 0.0))),
    Piecewise(((0, 0.5),)),
    Table(((1, 0.3), (2, 0.5), (4, 1.0))),
]


def holds(mu, hedges, level, x):
    """As matching decides it."""
    reached = degree(mu, hedges, x)
    return reached > 0 and reached >= level - 1e-9


def near(x: float) -> list[float]:
    """The value and its neighbours, at all distances."""
    steps = [0.0, *(sign * 10.0**-e * max(abs(x), 1e-300) for e in range(0, 19, 2) for sign in (1, -1))]
    return [x + step for step in steps] + [math.nextafter(x, math.inf), math.nextafter(x, -math.inf)]


@pytest.mark.parametrize("mu", SHAPES, ids=str)
def test_the_cut_lies_between_what_surely_and_what_possibly_holds(mu):
    for hedges in HEDGES:
        for level in LEVELS:
            key = Degree("x", hedges, mu)
            possible, missed = holding(key, level), not_holding(key, level)
            ends = {cut[0] for line in (possible.numbers, missed.numbers) for cut in line.cuts}
            for x in {y for end in ends | {0.0, 1.0} for y in near(end) if math.isfinite(y)}:
                if holds(mu, hedges, level, x):
                    assert possible.numbers.has(x), (hedges, level, x)
                else:
                    assert missed.numbers.has(x), (hedges, level, x)


def test_what_the_cut_leaves_open_is_small():
    # The ends are known to nanometres: of `very cheap [0.25]`, everything but a neighbourhood of 700.
    key = Degree("price", (VERY,), LeftShoulder(500, 900))
    blurred = holding(key, 0.25).numbers & not_holding(key, 0.25).numbers
    assert blurred
    assert blurred.within(Line.between((699.99999, 0), (700.00001, 1)))


def test_higher_levels_are_within_lower_ones():
    rng = random.Random(8)
    for mu in SHAPES:
        for hedges in HEDGES:
            levels = sorted([*LEVELS, *(rng.random() for _ in range(5))], reverse=True)
            cells = [(holding(Degree("x", hedges, mu), t), not_holding(Degree("x", hedges, mu), t)) for t in levels]
            for (outer, inner), (wider, narrower) in itertools.pairwise(cells):
                assert outer.within(wider)
                assert narrower.within(inner)


@pytest.mark.parametrize(
    ("mu", "hedges", "level", "line"),
    [
        (Interval(1, 5), (), 0.5, Line.between((1, 0), (5, 1))),
        (Interval(1, 5), (NOT,), 0.5, ~Line.between((1, 0), (5, 1))),
        (Interval(3, 3), (VERY,), 1.0, Line.points([3])),
        (Table(((1, 0.3), (2, 0.5))), (), 0.5, Line.points([2])),
        (Table(((1, 0.3), (2, 0.5))), (NOT,), 0.6, ~Line.points([2])),
        (Piecewise(((0, 0.5),)), (), 0.4, FULL),
        (Piecewise(((0, 0.5),)), (), 0.6, EMPTY),
    ],
)
def test_a_cut_without_slopes_is_exact(mu, hedges, level, line):
    cell = exact_cut(Degree("x", hedges, mu), level)
    assert cell is not None
    assert cell.numbers == line
    assert cell.texts is None


def test_a_table_of_strings_is_exact():
    mu = Table((("new", 1.0), ("used", 0.4)))
    cell = exact_cut(Degree("x", (), mu), 0.3)
    assert cell is not None
    assert cell.numbers == EMPTY
    assert [cell.texts.some[0].has(text) for text in ("new", "used", "old")] == [True, True, False]
    cell = exact_cut(Degree("x", (NOT,), mu), 0.5)
    assert [cell.texts.some[0].has(text) for text in ("new", "used", "old")] == [False, True, True]


def test_an_unknown_concept_holds_for_some_number_or_string():
    key = Degree("x", (), "cheap")
    assert exact_cut(key, 0.5) is None
    assert not_holding(key, 0.5) == ANY
    assert not holding(key, 0.5).missing
    assert holding(key, 0.5).booleans == 0


def test_levels_imply_values():
    key = Degree("x", (), RightShoulder(0, 10))
    assert implied(key, FULL) == ANY
    middle = implied(key, Line.between((0.2, 0), (0.8, 0))).numbers
    assert [middle.has(x) for x in (1, 3, 7, 9)] == [False, True, True, False]
    ends = implied(key, ~Line.between((0.2, 0), (0.8, 0)))
    assert ends == ANY  # two pieces: nothing is said, which is sound

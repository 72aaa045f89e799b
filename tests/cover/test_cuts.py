"""Cuts of membership functions: what surely holds does, what does not possibly hold does not, by the matcher's own
arithmetic."""

import itertools
import math
import random

import pytest

from rankcast.cover.line import EMPTY, FULL, ValueLine
from rankcast.cover.vague import Reach, cut
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
    Triangle(-1e15, 0, 1e15),
    LeftShoulder(-1e15, 1e15),
    Gaussian(0, 1e15),
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
            sure, possible = (cut(mu, Reach(hedges, level, surely)) for surely in (True, False))
            assert sure.within(possible)
            ends = {end[0] for line in (sure, possible) for end in line.cuts}
            for x in {y for end in ends | {0.0, 1.0} for y in near(end) if math.isfinite(y)}:
                if holds(mu, hedges, level, x):
                    assert possible.has(x), (hedges, level, x)
                else:
                    assert not sure.has(x), (hedges, level, x)


def test_what_the_cut_leaves_open_is_small():
    # Of `very cheap [0.25]`, everything but a neighbourhood of 700.
    mu = LeftShoulder(500, 900)
    blurred = cut(mu, Reach((VERY,), 0.25, False)) & ~cut(mu, Reach((VERY,), 0.25, True))
    assert blurred
    assert blurred.within(ValueLine.between((699.99999, 0), (700.00001, 1)))


def test_higher_levels_are_within_lower_ones():
    rng = random.Random(8)
    for mu, hedges, surely in itertools.product(SHAPES, HEDGES, (True, False)):
        levels = sorted([*LEVELS, *(rng.random() for _ in range(5))])
        cuts = [cut(mu, Reach(hedges, level, surely)) for level in levels]
        assert all(higher.within(lower) for lower, higher in itertools.pairwise(cuts))


@pytest.mark.parametrize(
    ("mu", "hedges", "level", "line"),
    [
        (Interval(1, 5), (), 0.5, ValueLine.between((1, 0), (5, 1))),
        (Interval(1, 5), (NOT,), 0.5, ~ValueLine.between((1, 0), (5, 1))),
        (Interval(3, 3), (VERY,), 1.0, ValueLine.points([3])),
        (Table(((1, 0.3), (2, 0.5))), (), 0.5, ValueLine.points([2])),
        (Table(((1, 0.3), (2, 0.5))), (NOT,), 0.6, ~ValueLine.points([2])),
        (Piecewise(((0, 0.5),)), (), 0.4, FULL),
        (Piecewise(((0, 0.5),)), (), 0.6, EMPTY),
    ],
)
def test_a_cut_without_slopes_is_exact(mu, hedges, level, line):
    assert cut(mu, Reach(hedges, level, True)) == cut(mu, Reach(hedges, level, False)) == line


@pytest.mark.parametrize(
    ("hedges", "level", "inside"), [((), 0.3, "new used"), ((), 0.5, "new"), ((NOT,), 0.5, "used old")]
)
def test_a_table_of_strings_is_exact(hedges, level, inside):
    mu = Table((("new", 1.0), ("used", 0.4)))
    for surely in (True, False):
        texts = cut(mu, Reach(hedges, level, surely))
        assert " ".join(text for text in ("new", "used", "old") if texts.has(text)) == inside

"""Possibility, necessity and degree by hand; `test_measures_exact.py` has the random comparisons."""

import math
from datetime import UTC, datetime

import pytest

from rankcast.fuzzy import degree, possibility_necessity, set_possibility_necessity
from rankcast.fuzzy.sets import CrispTest
from rankcast.model import (
    Between,
    Compare,
    Gaussian,
    Hedge,
    Interval,
    LeftShoulder,
    Membership,
    OneOf,
    Op,
    Scalar,
    Table,
    Triangle,
)

NOT = (Hedge.NOT,)


@pytest.mark.parametrize(
    ("test", "pi", "possibility", "necessity"),
    [
        (Compare(Op.LE, 1500), Interval(1400, 1600), 1, 0),
        (Compare(Op.LE, 1500), Interval(1400, 1500), 1, 1),
        (Compare(Op.LT, 1500), Interval(1400, 1500), 1, 0),
        (Compare(Op.LT, 1500), Interval(1500, 1600), 0, 0),
        (Compare(Op.LT, 1500), Triangle(1400, 1500, 1600), 1, 0),
        (Compare(Op.GT, 1500), LeftShoulder(1400, 1600), 0.5, 0),
        (Compare(Op.EQ, 5), Interval(5, 5), 1, 1),
        (Compare(Op.NE, 5), Interval(5, 5), 0, 0),
        (Compare(Op.NE, 5), Interval(4, 6), 1, 0),
        (Between(0, 10), Gaussian(0, 5), 1, 0),
        (Compare(Op.GE, 10), Gaussian(0, 5), math.exp(-2), 0),
        (Compare(Op.LT, 10), Gaussian(0, 5), 1, 1 - math.exp(-2)),
        (OneOf((1, 2)), Table(((1, 0.7), (2, 1.0), (3, 0.4))), 1, 0.6),
        (Compare(Op.EQ, True), Interval(0, 2), 0, 0),
        (Compare(Op.NE, "x"), Interval(0, 2), 0, 0),
        (Compare(Op.LT, datetime(2026, 1, 1, tzinfo=UTC)), Interval(0, 2), 0, 0),
    ],
    ids=str,
)
def test_sets_by_hand(test: CrispTest, pi: Membership, possibility: float, necessity: float) -> None:
    assert set_possibility_necessity(test, pi) == pytest.approx((possibility, necessity), abs=1e-12)


def test_a_boolean_is_not_the_number_that_equals_it() -> None:
    assert set_possibility_necessity(Compare(Op.EQ, 1), Interval(1, 1)) == (1, 1)
    assert set_possibility_necessity(Compare(Op.EQ, True), Interval(1, 1)) == (0, 0)


STATE = Table((("good as new", 1.0), ("used", 0.6), ("old", 0.2)))


@pytest.mark.parametrize(
    ("test", "hedges", "possibility", "necessity"),
    [
        (Compare(Op.EQ, "used"), (), 0.6, 0),
        (Compare(Op.NE, "used"), (), 1, 0.4),
        (Compare(Op.EQ, "broken"), (), 0, 0),
        (Compare(Op.CONTAINS, "e"), (), 1, 0.8),
        (Compare(Op.STARTSWITH, ""), (), 1, 1),
        (Compare(Op.GE, "o"), (), 0.6, 0),
        (Between("a", "p"), (), 1, 0.4),
        (OneOf(("old", "used", 3)), (), 0.6, 0),
        (Compare(Op.EQ, 3), (), 0, 0),
        (Compare(Op.NE, True), (), 0, 0),
        (Compare(Op.EQ, "broken"), NOT, 1, 0),
        (Compare(Op.EQ, "old"), NOT, 0.8, 0),
        (Compare(Op.CONTAINS, "x"), NOT, 1, 0),
    ],
    ids=str,
)
def test_string_predicates(test: CrispTest, hedges: tuple[Hedge, ...], possibility: float, necessity: float) -> None:
    assert set_possibility_necessity(test, STATE, hedges) == pytest.approx((possibility, necessity), abs=1e-12)


# concepts by hand


@pytest.mark.parametrize(
    ("mu", "hedges", "pi", "possibility", "necessity"),
    [
        (LeftShoulder(500, 900), (), Interval(700, 700), 0.5, 0.5),
        (LeftShoulder(500, 900), NOT, Interval(600, 700), 0.5, 0.25),
        (LeftShoulder(500, 900), (), Triangle(500, 700, 900), 2 / 3, 1 / 3),
        (LeftShoulder(500, 900), (), LeftShoulder(500, 900), 1, 0.5),
        (STATE, (), Table((("used", 1.0),)), 0.6, 0.6),
        (STATE, NOT, Table((("used", 1.0), ("broken", 0.5))), 0.5, 0.4),
        (STATE, (), Table((("broken", 1.0),)), 0, 0),
        (STATE, (Hedge.VERY,), Table((("used", 1.0), ("old", 0.1))), 0.36, 0.36),
        (Table(((1, 1.0), (2, 0.5))), (), Interval(0, 1.5), 1, 0),
        (Table(((1, 1.0), (2, 0.5))), (), Interval(2, 2), 0.5, 0.5),
        (Table(((1, 1.0), (2, 0.5))), NOT, Interval(1, 1), 0, 0),
        (Table(((1, 1.0), (2, 0.5))), NOT, Interval(1, 1.5), 1, 0),
        (Triangle(0, 2, 4), (), Table(((1, 1.0), (2, 0.25))), 0.5, 0.5),
        (STATE, (), Interval(0, 1), 0, 0),
        (STATE, NOT, Interval(0, 1), 0, 0),
        (Interval(0, 1), (), STATE, 0, 0),
        (Interval(0, 1), NOT, STATE, 0, 0),
        (Table(((1, 1.0),)), (), STATE, 0, 0),
    ],
    ids=str,
)
def test_concepts_by_hand(
    mu: Membership, hedges: tuple[Hedge, ...], pi: Membership, possibility: float, necessity: float
) -> None:
    assert possibility_necessity(mu, hedges, pi) == pytest.approx((possibility, necessity), abs=1e-12)


def test_an_event_may_be_hedged_too() -> None:
    cheap = LeftShoulder(0, 1)
    assert possibility_necessity(cheap, (), cheap, (Hedge.VERY,)) == pytest.approx(
        (1, (math.sqrt(5) - 1) / 2), abs=1e-9
    )


@pytest.mark.parametrize(
    ("mu", "value", "expected"),
    [
        (LeftShoulder(500, 900), 600, 0.75),
        (LeftShoulder(500, 900), True, 0.0),
        (LeftShoulder(500, 900), "600", 0.0),
        (LeftShoulder(500, 900), datetime(2026, 1, 1, tzinfo=UTC), 0.0),
        (STATE, "used", 0.6),
        (STATE, "broken", 0.0),
        (STATE, 1, 0.0),
        (Table(((1, 0.7),)), 1.0, 0.7),
        (Table(((1, 0.7),)), True, 0.0),
        (Gaussian(0, 1e-200), 1, 0.0),
    ],
    ids=str,
)
def test_degree_of_crisp_values(mu: Membership, value: Scalar, expected: float) -> None:
    assert degree(mu, (), value) == pytest.approx(expected, abs=1e-15)


@pytest.mark.parametrize("hedges", [NOT, (Hedge.NOT, Hedge.VERY), (Hedge.SOMEWHAT,)])
def test_hedges_do_not_bridge_types(hedges: tuple[Hedge, ...]) -> None:
    assert degree(STATE, hedges, 1) == 0.0
    assert degree(LeftShoulder(500, 900), hedges, "cheap") == 0.0
    assert degree(LeftShoulder(500, 900), hedges, False) == 0.0

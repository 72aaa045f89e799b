"""Possibility, necessity and degree by hand; `test_measures_exact.py` has the random comparisons."""

import math
from datetime import UTC, datetime

import pytest

from rankcast import model
from rankcast.fuzzy import degree, possibility_necessity, set_possibility_necessity
from rankcast.fuzzy.sets import CrispTest

NOT = (model.Hedge.NOT,)


@pytest.mark.parametrize(
    ("test", "pi", "possibility", "necessity"),
    [
        (model.Compare(model.Op.LE, 1500), model.Interval(1400, 1600), 1, 0),
        (model.Compare(model.Op.LE, 1500), model.Interval(1400, 1500), 1, 1),
        (model.Compare(model.Op.LT, 1500), model.Interval(1400, 1500), 1, 0),
        (model.Compare(model.Op.LT, 1500), model.Interval(1500, 1600), 0, 0),
        (model.Compare(model.Op.LT, 1500), model.Triangle(1400, 1500, 1600), 1, 0),
        (model.Compare(model.Op.GT, 1500), model.LeftShoulder(1400, 1600), 0.5, 0),
        (model.Compare(model.Op.EQ, 5), model.Interval(5, 5), 1, 1),
        (model.Compare(model.Op.NE, 5), model.Interval(5, 5), 0, 0),
        (model.Compare(model.Op.NE, 5), model.Interval(4, 6), 1, 0),
        (model.Between(0, 10), model.Gaussian(0, 5), 1, 0),
        (model.Compare(model.Op.GE, 10), model.Gaussian(0, 5), math.exp(-2), 0),
        (model.Compare(model.Op.LT, 10), model.Gaussian(0, 5), 1, 1 - math.exp(-2)),
        (model.OneOf((1, 2)), model.Table(((1, 0.7), (2, 1.0), (3, 0.4))), 1, 0.6),
        (model.Compare(model.Op.EQ, True), model.Interval(0, 2), 0, 0),
        (model.Compare(model.Op.NE, "x"), model.Interval(0, 2), 0, 0),
        (model.Compare(model.Op.LT, datetime(2026, 1, 1, tzinfo=UTC)), model.Interval(0, 2), 0, 0),
    ],
    ids=str,
)
def test_sets_by_hand(test: CrispTest, pi: model.Membership, possibility: float, necessity: float) -> None:
    assert set_possibility_necessity(test, pi) == pytest.approx((possibility, necessity), abs=1e-12)


def test_a_boolean_is_not_the_number_that_equals_it() -> None:
    assert set_possibility_necessity(model.Compare(model.Op.EQ, 1), model.Interval(1, 1)) == (1, 1)
    assert set_possibility_necessity(model.Compare(model.Op.EQ, True), model.Interval(1, 1)) == (0, 0)


STATE = model.Table((("good as new", 1.0), ("used", 0.6), ("old", 0.2)))


@pytest.mark.parametrize(
    ("test", "hedges", "possibility", "necessity"),
    [
        (model.Compare(model.Op.EQ, "used"), (), 0.6, 0),
        (model.Compare(model.Op.NE, "used"), (), 1, 0.4),
        (model.Compare(model.Op.EQ, "broken"), (), 0, 0),
        (model.Compare(model.Op.CONTAINS, "e"), (), 1, 0.8),
        (model.Compare(model.Op.STARTSWITH, ""), (), 1, 1),
        (model.Compare(model.Op.GE, "o"), (), 0.6, 0),
        (model.Between("a", "p"), (), 1, 0.4),
        (model.OneOf(("old", "used", 3)), (), 0.6, 0),
        (model.Compare(model.Op.EQ, 3), (), 0, 0),
        (model.Compare(model.Op.NE, True), (), 0, 0),
        (model.Compare(model.Op.EQ, "broken"), NOT, 1, 0),
        (model.Compare(model.Op.EQ, "old"), NOT, 0.8, 0),
        (model.Compare(model.Op.CONTAINS, "x"), NOT, 1, 0),
    ],
    ids=str,
)
def test_string_predicates(
    test: CrispTest, hedges: tuple[model.Hedge, ...], possibility: float, necessity: float
) -> None:
    assert set_possibility_necessity(test, STATE, hedges) == pytest.approx((possibility, necessity), abs=1e-12)


# concepts by hand


@pytest.mark.parametrize(
    ("mu", "hedges", "pi", "possibility", "necessity"),
    [
        (model.LeftShoulder(500, 900), (), model.Interval(700, 700), 0.5, 0.5),
        (model.LeftShoulder(500, 900), NOT, model.Interval(600, 700), 0.5, 0.25),
        (model.LeftShoulder(500, 900), (), model.Triangle(500, 700, 900), 2 / 3, 1 / 3),
        (model.LeftShoulder(500, 900), (), model.LeftShoulder(500, 900), 1, 0.5),
        (STATE, (), model.Table((("used", 1.0),)), 0.6, 0.6),
        (STATE, NOT, model.Table((("used", 1.0), ("broken", 0.5))), 0.5, 0.4),
        (STATE, (), model.Table((("broken", 1.0),)), 0, 0),
        (STATE, (model.Hedge.VERY,), model.Table((("used", 1.0), ("old", 0.1))), 0.36, 0.36),
        (model.Table(((1, 1.0), (2, 0.5))), (), model.Interval(0, 1.5), 1, 0),
        (model.Table(((1, 1.0), (2, 0.5))), (), model.Interval(2, 2), 0.5, 0.5),
        (model.Table(((1, 1.0), (2, 0.5))), NOT, model.Interval(1, 1), 0, 0),
        (model.Table(((1, 1.0), (2, 0.5))), NOT, model.Interval(1, 1.5), 1, 0),
        (model.Triangle(0, 2, 4), (), model.Table(((1, 1.0), (2, 0.25))), 0.5, 0.5),
        (STATE, (), model.Interval(0, 1), 0, 0),
        (STATE, NOT, model.Interval(0, 1), 0, 0),
        (model.Interval(0, 1), (), STATE, 0, 0),
        (model.Interval(0, 1), NOT, STATE, 0, 0),
        (model.Table(((1, 1.0),)), (), STATE, 0, 0),
    ],
    ids=str,
)
def test_concepts_by_hand(
    mu: model.Membership, hedges: tuple[model.Hedge, ...], pi: model.Membership, possibility: float, necessity: float
) -> None:
    assert possibility_necessity(mu, hedges, pi) == pytest.approx((possibility, necessity), abs=1e-12)


def test_an_event_may_be_hedged_too() -> None:
    cheap = model.LeftShoulder(0, 1)
    assert possibility_necessity(cheap, (), cheap, (model.Hedge.VERY,)) == pytest.approx(
        (1, (math.sqrt(5) - 1) / 2), abs=1e-9
    )


@pytest.mark.parametrize(
    ("mu", "value", "expected"),
    [
        (model.LeftShoulder(500, 900), 600, 0.75),
        (model.LeftShoulder(500, 900), True, 0.0),
        (model.LeftShoulder(500, 900), "600", 0.0),
        (model.LeftShoulder(500, 900), datetime(2026, 1, 1, tzinfo=UTC), 0.0),
        (STATE, "used", 0.6),
        (STATE, "broken", 0.0),
        (STATE, 1, 0.0),
        (model.Table(((1, 0.7),)), 1.0, 0.7),
        (model.Table(((1, 0.7),)), True, 0.0),
        (model.Gaussian(0, 1e-200), 1, 0.0),
    ],
    ids=str,
)
def test_degree_of_crisp_values(mu: model.Membership, value: model.Scalar, expected: float) -> None:
    assert degree(mu, (), value) == pytest.approx(expected, abs=1e-15)


@pytest.mark.parametrize("hedges", [NOT, (model.Hedge.NOT, model.Hedge.VERY), (model.Hedge.SOMEWHAT,)])
def test_hedges_do_not_bridge_types(hedges: tuple[model.Hedge, ...]) -> None:
    assert degree(STATE, hedges, 1) == 0.0
    assert degree(model.LeftShoulder(500, 900), hedges, "cheap") == 0.0
    assert degree(model.LeftShoulder(500, 900), hedges, False) == 0.0

from datetime import UTC, datetime
from typing import Any

import pytest

from rankcast import model
from rankcast.errors import CatalogError
from rankcast.language import parse
from rankcast.matching import NO_CONCEPTS, Outcome, evaluate, matches

CONCEPTS: dict[tuple[str, str], model.Membership] = {
    ("price", "cheap"): model.LeftShoulder(500, 900),
    ("price", "dear"): model.RightShoulder(900, 1700),
    ("size", "medium"): model.Trapezoid(50, 70, 100, 120),
    ("condition", "old"): model.Table((("old", 1.0), ("worn", 0.7), ("used", 0.4))),
    ("age", "old"): model.RightShoulder(10, 50),
}


def meaning(attribute: str, term: model.Term) -> model.Membership:
    try:
        return CONCEPTS[attribute, term.concept]
    except KeyError:
        raise CatalogError(f"no concept {term.concept!r} on {attribute!r}") from None


def event(**attributes: Any) -> model.Event:
    """Crisp values without their tuples."""
    return model.Event(
        "e1",
        datetime(2004, 2, 13, tzinfo=UTC),
        {
            name: value if isinstance(value, tuple | model.Membership | model.Term) else (value,)
            for name, value in attributes.items()
        },
    )


def outcome(where: str, published: model.Event, norm: model.Norm = model.Norm.MIN) -> Outcome:
    found = evaluate(parse(where), published, meaning, norm)
    assert matches(parse(where), published, meaning) is found.holds
    return found


BIG_FISH = event(title="Big Fish", genre=("drama", "comedy"), oscars=0, rating=8.0, seen=True)


# crisp subscriptions, crisp events


@pytest.mark.parametrize(
    ("where", "expected"),
    [
        ("genre = 'drama' and oscars < 1", True),
        ("genre = 'drama' and oscars > 1", False),
        ("genre = 'drama' and genre = 'comedy'", True),
        ("genre = 'short' or rating between 7 and 10", True),
        ("genre = 'short' or rating between 9 and 10", False),
        ("genre != 'drama'", True),
        ("genre in ('short', 'comedy')", True),
        ("not (genre in ('short', 'news'))", True),
        ("not (genre = 'drama')", False),
        ("not (genre != 'drama')", False),
        ("title startswith 'Big' and title endswith 'Fish' and title contains 'g F'", True),
        ("seen = true", True),
        ("seen = 1", False),
        ("oscars = 0.0", True),
        ("oscars = false", False),
        ("oscars = '0'", False),
        ("oscars != '0'", False),
        ("title exists", True),
        ("true", True),
        ("not true", False),
    ],
)
def test_crisp_on_crisp(where: str, expected: bool) -> None:
    degree = 1.0 if expected else 0.0
    assert outcome(where, BIG_FISH) == Outcome(expected, degree, degree)


@pytest.mark.parametrize(
    "test",
    ["= 1", "!= 1", "< 1", ">= 1", "exists", "in (1, 2)", "between 1 and 2", "contains 'a'", "is cheap", "is not old"],
)
def test_a_missing_attribute_satisfies_nothing(test: str) -> None:
    assert not outcome(f"budget {test}", BIG_FISH).holds
    assert outcome(f"not (budget {test})", BIG_FISH) == Outcome(True, 1.0, 1.0)


@pytest.mark.parametrize("thresholds", ["[0, 0]", "[0.5, 0]", "[1, 0]", "[1, 1]"])
def test_thresholds_do_not_change_crisp_on_crisp(thresholds: str) -> None:
    assert outcome(f"oscars = 0 {thresholds}", BIG_FISH).holds
    assert not outcome(f"oscars = 1 {thresholds}", BIG_FISH).holds


# approximate subscriptions, crisp events


@pytest.mark.parametrize(
    ("where", "price", "expected", "degree"),
    [
        ("price is cheap", 400, True, 1.0),
        ("price is cheap", 600, True, 0.75),
        ("price is cheap", 700, True, 0.5),
        ("price is cheap", 701, False, 0.0),
        ("price is cheap [0.2, 0]", 800, True, 0.25),
        ("price is cheap [0.2, 0.3]", 800, False, 0.0),
        ("price is cheap [0, 0]", 899, True, 0.0025),
        ("price is cheap [0, 0]", 900, False, 0.0),
        ("price is not cheap", 800, True, 0.75),
        ("price is very cheap [0, 0]", 700, True, 0.25),
        ("price is somewhat cheap", 800, True, 0.5),
        ("price is not very cheap", 700, True, 0.75),
        ("price is cheap", "400", False, 0.0),
        ("price is not cheap", "400", False, 0.0),
        ("price is not cheap", True, False, 0.0),
    ],
)
def test_approximate_on_crisp(where: str, price: Any, expected: bool, degree: float) -> None:
    found = outcome(where, event(price=price))
    assert (found.holds, found.possibility, found.necessity) == (expected, *[pytest.approx(degree)] * 2)


def test_the_best_of_several_strings_counts() -> None:
    assert outcome("condition is old", event(condition=("used", "worn"))) == Outcome(True, 0.7, 0.7)
    assert outcome("condition is not old", event(condition=("old", "worn", "used"))).possibility == pytest.approx(0.6)
    assert not outcome("condition is old", event(condition=("used", "new"))).holds


def test_a_degree_within_1e_9_of_its_threshold_reaches_it() -> None:
    assert outcome("price is cheap [0.5, 0.5]", event(price=700 + 1e-7)).holds
    assert not outcome("price is cheap [0.5, 0.5]", event(price=700 + 1e-5)).holds


# crisp subscriptions, approximate events


@pytest.mark.parametrize(
    ("where", "price", "expected"),
    [
        ("price <= 1500", model.Interval(1400, 1600), Outcome(True, 1.0, 0.0)),
        ("price <= 1500 [1, 0.1]", model.Interval(1400, 1600), Outcome(False, 0.0, 0.0)),
        ("price <= 1500 [1, 1]", model.Interval(1400, 1500), Outcome(True, 1.0, 1.0)),
        ("price < 1500", model.Interval(1500, 1600), Outcome(False, 0.0, 0.0)),
        ("price > 800 [0.1, 0]", model.Term("cheap"), Outcome(True, 0.25, 0.0)),
        ("price > 800", model.Term("cheap"), Outcome(False, 0.0, 0.0)),
        ("price between 600 and 800 [0, 0]", model.Term("cheap", (model.Hedge.VERY,)), Outcome(True, 0.5625, 0.0)),
        ("price = 600", model.Term("cheap"), Outcome(True, 0.75, 0.0)),
        ("price != 600", model.Term("cheap"), Outcome(True, 1.0, 0.25)),
        ("price in (800, 600, '600')", model.Term("cheap"), Outcome(True, 0.75, 0.0)),
        ("price = '600'", model.Term("cheap"), Outcome(False, 0.0, 0.0)),
        ("price != true", model.Term("cheap"), Outcome(False, 0.0, 0.0)),
        ("price exists", model.Term("cheap"), Outcome(True, 1.0, 1.0)),
        ("price exists [1, 1]", model.Interval(1, 2), Outcome(True, 1.0, 1.0)),
        ("not (price <= 1500)", model.Interval(1400, 1600), Outcome(False, 0.0, 0.0)),
    ],
)
def test_crisp_on_approximate(where: str, price: Any, expected: Outcome) -> None:
    assert outcome(where, event(price=price)) == expected


def test_string_predicates_on_a_table() -> None:
    vague = event(condition=model.Table((("good as new", 1.0), ("used", 0.6))))
    assert outcome("condition = 'used'", vague) == Outcome(True, 0.6, 0.0)
    assert outcome("condition contains 'e'", vague) == Outcome(True, 1.0, 1.0)
    assert outcome("condition startswith 'good'", vague) == Outcome(True, 1.0, 0.4)
    assert not outcome("condition = 'broken'", vague).holds


# approximate subscriptions, approximate events


@pytest.mark.parametrize(
    ("where", "price", "possibility", "necessity"),
    [
        ("price is cheap", model.Interval(600, 700), 0.75, 0.5),
        ("price is cheap", model.Term("cheap"), 1.0, 0.5),
        ("price is not cheap", model.Term("cheap"), 0.5, 0.0),
        ("price is cheap", model.Triangle(500, 700, 900), 2 / 3, 1 / 3),
        ("price is dear [0, 0]", model.Interval(1000, 1100), 0.25, 0.125),
        ("price is cheap", model.Gaussian(400, 10), 1.0, 1.0),
    ],
)
def test_approximate_on_approximate(where: str, price: Any, possibility: float, necessity: float) -> None:
    found = outcome(where, event(price=price))
    assert found.holds
    assert (found.possibility, found.necessity) == pytest.approx((possibility, necessity), abs=1e-6)


def test_types_differ() -> None:
    assert not outcome("condition is not old [0, 0]", event(condition=model.Interval(1, 2))).holds
    assert not outcome("price is not cheap [0, 0]", event(price=model.Table((("free", 1.0),)))).holds


def test_concepts_in_events_are_everybodys() -> None:
    published, where = event(price=model.Term("cheap")), parse("price is cheap [0, 0]")
    mine = {("price", "cheap"): model.LeftShoulder(100, 200)}
    found = evaluate(where, published, lambda attribute, term: mine[attribute, term.concept], shared=meaning)
    # mine is 0 from 200 on, where everybody's is still 1
    assert found == Outcome(True, 1.0, 0.0)
    assert not matches(parse("price is cheap [0, 0.1]"), published, lambda a, t: mine[a, t.concept], meaning)
    assert matches(parse("price is cheap [0, 0.1]"), published, lambda a, t: mine[a, t.concept])


def test_unknown_concepts_are_errors() -> None:
    with pytest.raises(CatalogError, match="no concept 'cheap'"):
        evaluate(parse("price is cheap"), event(price=1), NO_CONCEPTS)
    with pytest.raises(CatalogError, match="no concept 'cheap'"):
        matches(parse("price < 1"), event(price=model.Term("cheap")), NO_CONCEPTS)


# mixed: the condo of semantics: Events and subscriptions and the A-ToPSS paper

CONDO = "size is medium [0.8, 0] and price <= 1500 [1, 0] and condition is not old [1, 0.3]"


@pytest.mark.parametrize(
    ("size", "price", "condition", "expected"),
    [
        (80, 1400, "new", Outcome(True, 1.0, 1.0)),
        (66, 1500, "new", Outcome(True, 0.8, 0.8)),
        (65, 1400, "new", Outcome(False, 0.0, 0.0)),
        (80, 1501, "new", Outcome(False, 0.0, 0.0)),
        (80, 1400, "used", Outcome(False, 0.0, 0.0)),
        (80, model.Interval(1400, 1600), "new", Outcome(True, 1.0, 0.0)),
        (80, model.Interval(1501, 1600), "new", Outcome(False, 0.0, 0.0)),
        (80, model.Triangle(1400, 1600, 1700), "new", Outcome(False, 0.0, 0.0)),
        (model.Interval(60, 66), 1400, "new", Outcome(True, 0.8, 0.5)),
        (model.Triangle(40, 60, 80), 1400, "new", Outcome(False, 0.0, 0.0)),
        (80, 1400, model.Table((("new", 1.0), ("used", 0.5))), Outcome(True, 1.0, 0.6)),
        (80, 1400, model.Table((("new", 1.0), ("worn", 0.7))), Outcome(True, 1.0, 0.3)),
        (80, 1400, model.Table((("new", 1.0), ("worn", 0.8), ("old", 0.8))), Outcome(False, 0.0, 0.0)),
        (80, 1400, model.Table((("new", 0.9), ("used", 1.0))), Outcome(False, 0.0, 0.0)),
        (model.Term("medium"), model.Term("cheap"), model.Term("old", (model.Hedge.NOT,)), Outcome(True, 1.0, 0.5)),
        (model.Term("medium"), model.Term("dear"), "new", Outcome(False, 0.0, 0.0)),
    ],
)
def test_the_condo(size: Any, price: Any, condition: Any, expected: Outcome) -> None:
    found = outcome(CONDO, event(size=size, price=price, condition=condition))
    assert found.holds is expected.holds
    assert (found.possibility, found.necessity) == pytest.approx((expected.possibility, expected.necessity), abs=1e-9)


# aggregation

HALF = event(price=700, size=65, age=40, seen=True)  # cheap 0.5, medium 0.75, old 0.75


@pytest.mark.parametrize(
    ("where", "norm", "degree"),
    [
        ("price is cheap and size is medium", model.Norm.MIN, 0.5),
        ("price is cheap and size is medium", model.Norm.PRODUCT, 0.375),
        ("price is cheap and size is medium", model.Norm.LUKASIEWICZ, 0.25),
        ("price is cheap or size is medium", model.Norm.MIN, 0.75),
        ("price is cheap or size is medium", model.Norm.PRODUCT, 0.875),
        ("price is cheap or size is medium", model.Norm.LUKASIEWICZ, 1.0),
        ("price is cheap and seen = true", model.Norm.PRODUCT, 0.5),
        ("price is cheap or seen = true", model.Norm.PRODUCT, 1.0),
        ("price is cheap or seen = false", model.Norm.PRODUCT, 0.5),
        ("price is cheap or size is medium [0.8, 0]", model.Norm.PRODUCT, 0.5),
        ("(price is cheap or age is old) and size is medium", model.Norm.PRODUCT, 0.65625),
        ("price is cheap and not (size is medium [0.8, 0])", model.Norm.PRODUCT, 0.5),
        ("price is cheap and size is medium and age is old", model.Norm.LUKASIEWICZ, 0.0),
    ],
)
def test_degrees_aggregate(where: str, norm: model.Norm, degree: float) -> None:
    found = outcome(where, HALF, norm)
    assert found.holds
    assert (found.possibility, found.necessity) == pytest.approx((degree, degree), abs=1e-12)


def test_one_failure_fails_a_conjunction_in_every_norm() -> None:
    for norm in model.Norm:
        assert outcome("price is cheap and size is medium [0.8, 0]", HALF, norm) == Outcome(False, 0.0, 0.0)


def test_depth_of_a_hundred() -> None:
    where: model.Expression = parse("oscars = 0")
    for _ in range(100):
        where = model.Not(where)
    assert matches(where, BIG_FISH, NO_CONCEPTS)
    assert evaluate(where, BIG_FISH, NO_CONCEPTS).holds

"""semantics: Several predicates on one value."""

from datetime import UTC, datetime
from itertools import combinations
from random import Random

import pytest

from rankcast import model
from rankcast.cover import Relation, relate
from rankcast.language import parse, show
from rankcast.matching import NO_CONCEPTS, OracleMatcher, Outcome, evaluate, explain_match, matches

WIDE = model.Interval(900, 1600)
NEAR_THE_ENDS = model.Piecewise(((850, 0), (900, 1), (950, 0), (1550, 0), (1600, 1), (1650, 0)))
"""Possible only near 900 or near 1600."""

MEANINGS = {"cheap": model.LeftShoulder(1000, 1400), "dear": model.RightShoulder(1200, 1600)}


def meaning(attribute: str, term: model.Term):
    return MEANINGS[term.concept]


def outcome(where: str, value, norm: model.Norm = model.Norm.MIN) -> Outcome:
    event = model.Event("e1", datetime(2026, 5, 1, tzinfo=UTC), {"price": value})
    expression = parse(where)
    found = evaluate(expression, event, meaning, norm)
    assert matches(expression, event, meaning) is found.holds
    assert explain_match(expression, event, meaning).holds is found.holds
    return found


# the inputs of issue 17


def test_no_value_is_below_and_above():
    assert not outcome("price < 1000 and price > 1500", WIDE).holds


def test_two_ends_are_one_interval():
    assert relate(parse("price >= 1000 and price <= 1500"), parse("price between 1000 and 1500")) is Relation.EQUAL
    assert not outcome("price between 1000 and 1500", NEAR_THE_ENDS).holds
    assert not outcome("price >= 1000 and price <= 1500", NEAR_THE_ENDS).holds
    assert outcome("price >= 1000 and price <= 1500", WIDE) == outcome("price between 1000 and 1500", WIDE)


# the rules, one by one


def test_joint_possibility_is_one_contribution_to_the_degree():
    # cheap and dear cross at 1300, at 0.25
    assert outcome("price is cheap [0.2, 0] and price is dear [0.2, 0]", WIDE).possibility == pytest.approx(0.25)
    for norm in model.Norm:
        found = outcome("price is cheap [0.2, 0] and price < 1350 and price > 1250", WIDE, norm)
        assert not found.holds  # the default threshold of the crisp predicates is 0.5
        found = outcome("price is cheap [0.2, 0] and price < 1350 [0.2, 0] and price > 1250 [0.2, 0]", WIDE, norm)
        assert found.possibility == pytest.approx(0.375)


@pytest.mark.parametrize(
    ("where", "holds"),
    [
        ("price is cheap [0.25, 0] and price is dear [0.2, 0]", True),
        ("price is cheap [0.26, 0] and price is dear [0.2, 0]", False),  # the largest tp counts
        ("price is cheap [0.2, 0] and price is dear [0.26, 0]", False),
        ("price is cheap [0, 0] and price > 1400 [0, 0]", False),  # above 0 in any case
        ("price >= 900 [1, 1] and price < 1500 [1, 0]", True),  # each necessity reaches its own tn
        ("price >= 900 [1, 1] and price < 1500 [1, 0.1]", False),
    ],
)
def test_thresholds(where, holds):
    assert outcome(where, WIDE).holds is holds


@pytest.mark.parametrize(
    ("where", "holds"),
    [
        ("price <= 1500 and not (price < 1000)", True),  # as `between 1000 and 1500`
        ("price <= 1500 and not (price <= 1500)", False),
        ("price <= 1500 and not (price < 1000 or price > 800)", False),
        ("price is cheap and not (price is cheap)", True),  # half true at 1200, as `price is not cheap` is
        ("price is cheap [0.6, 0] and not (price is cheap [0.6, 0])", False),
        ("price <= 1500 and not (price = 'x')", True),  # no number is 'x'
        ("price <= 1500 and not (price exists)", False),
        ("not (price < 1000)", False),  # alone, `not` is plain negation: below 1000 is possible
        ("not (price < 1000) and not (price > 1500)", False),
        ("not (price < 1000 or price > 1500)", False),
        ("not (price < 800) and not (price > 1700)", True),
        ("not (not (price < 1000)) and price > 1500", False),
        ("price < 1000 and (price > 1500 and price exists)", False),
    ],
)
def test_negation_and_nesting(where, holds):
    assert outcome(where, WIDE).holds is holds


def test_necessity_over_or_is_joint():
    assert outcome("price <= 1200 [0.5, 0.9] or price > 1200 [0.5, 0.9]", WIDE) == Outcome(True, 1.0, 1.0)
    assert not outcome("price <= 1200 [0.5, 0.9] or price > 1300 [0.5, 0.9]", WIDE).holds
    assert not outcome("price <= 1200 [0.5, 0.9] or size > 1200 [0.5, 0.9]", WIDE).holds
    assert outcome("price = 1 [1, 0.6] or price = 2 [1, 0.6]", model.Table(((1, 1.0), (2, 1.0), (3, 0.4)))).holds
    assert not outcome("not (price <= 1200 [0.5, 0.9]) and not (price > 1200 [0.5, 0.9])", WIDE).holds


def test_alternatives_on_one_value_count_as_the_larger_one():
    value = model.Table(((1, 1.0), (2, 0.6)))
    for norm in model.Norm:
        assert outcome("price = 1 or price = 2", value, norm) == outcome("price in (1, 2)", value, norm)


def test_crisp_values_are_decided_predicate_by_predicate():
    assert outcome("price is cheap [0.2, 0] and price is dear [0.6, 0]", (1300,)).holds is False
    assert outcome("price is cheap [0.2, 0] and price < 1500", (1300,)) == Outcome(True, 0.25, 0.25)
    strings = model.Event("e1", datetime(2026, 5, 1, tzinfo=UTC), {"p": ("a", "b")})
    assert matches(parse("p = 'a' and p = 'b'"), strings, NO_CONCEPTS)


def test_explanation_names_the_joint_question():
    event = model.Event("e1", datetime(2026, 5, 1, tzinfo=UTC), {"price": WIDE, "size": (5,)})
    assert explain_match(parse("price < 1000 and size > 3 and price > 1500"), event, meaning).lines() == [
        "all of these: no, 1 of 2 holds",
        "  size > 3: yes, size is 5",
        "  price < 1000 and price > 1500: no, price is between 900 and 1600, together possible to 0 and certain to 0; "
        "possible to 0.5 is needed",
        "    price < 1000: yes, price is between 900 and 1600, possible to 1 and certain to 0",
        "    price > 1500: yes, price is between 900 and 1600, possible to 1 and certain to 0",
    ]


# EQUAL subscriptions agree on every value


NUMBERS = ["< 1", "<= 1", "> 3", ">= 3", "= 2", "!= 2", "between 1 and 3", "in (1, 2)", "exists", "> 1", "< 3"]
STRINGS = ["= 'x'", "!= 'x'", "in ('x', 'y')", "contains 'x'", "startswith 'x'", "< 'y'", "exists", "= 'y'"]


def conjunction(random: Random, tests: list[str], thresholds: str) -> model.Expression:
    literals = []
    for test in random.choices(tests, k=random.randint(1, 4)):
        predicate = f"a {test}" + ("" if test == "exists" else thresholds)
        literals.append(f"not ({predicate})" if random.random() < 0.25 else predicate)
    return parse(" and ".join(literals))


def some_value(random: Random, tests: list[str]) -> model.Membership | model.Term:
    if tests is STRINGS:
        table = model.Table(tuple((text, random.randint(0, 4) / 4) for text in ("x", "y", "xy", "z")))
        return random.choice([table, model.Term("known"), model.Term("known", (model.Hedge.NOT,))])
    a, b, c, d = sorted(random.randint(0, 8) / 2 for _ in range(4))
    corners = tuple((x, random.randint(0, 4) / 4) for x in (a, b, c, d))
    return random.choice(
        [model.Interval(a, b), model.Triangle(a, b, c), model.Trapezoid(a, b, c, d), model.Piecewise(corners)]
    )


def known(attribute: str, term: model.Term) -> model.Membership:
    return model.Table((("x", 1.0), ("y", 0.4), ("yx", 0.7)))


@pytest.mark.parametrize("thresholds", ["", " [0.2, 0]", " [0.7, 0.3]", " [1, 1]"])
@pytest.mark.parametrize("tests", [NUMBERS, STRINGS], ids=["numbers", "strings"])
def test_equal_conjunctions_agree_on_imprecise_values(tests, thresholds):
    random = Random(17)
    asked = [conjunction(random, tests, thresholds) for _ in range(80)]
    values = [some_value(random, tests) for _ in range(30)]
    events = [model.Event("e1", datetime(2026, 5, 1, tzinfo=UTC), {"a": value}) for value in values]
    outcomes = [[evaluate(where, event, known, model.Norm.PRODUCT) for event in events] for where in asked]
    equal = 0
    for (one, left), (other, right) in combinations(zip(asked, outcomes, strict=True), 2):
        if one == other or relate(one, other) is not Relation.EQUAL:
            continue
        equal += 1
        for event, mine, its in zip(events, left, right, strict=True):
            assert mine.holds is its.holds, (show(one), show(other), event)
            assert mine.possibility == pytest.approx(its.possibility, abs=1e-9), (show(one), show(other), event)
    assert equal > 20


def test_a_disjunction_of_conjunctions_agrees_with_the_interval():
    where = parse("(price >= 1000 and price <= 1200) or (price > 1200 and price <= 1500)")
    assert relate(where, parse("price between 1000 and 1500")) is Relation.EQUAL
    for value in (WIDE, NEAR_THE_ENDS, model.Interval(1190, 1210), model.Interval(0, 1000), model.Interval(0, 999)):
        either, whole = outcome(show(where), value), outcome("price between 1000 and 1500", value)
        assert (either.holds, either.possibility) == (whole.holds, whole.possibility)


def test_the_reference_matcher_uses_it():
    subscription = model.Subscription("s1", "u", parse("price < 1000 and price > 1500"))
    event = model.Event("e1", datetime(2026, 5, 1, tzinfo=UTC), {"price": WIDE})
    assert list(OracleMatcher([subscription]).match(event)) == []

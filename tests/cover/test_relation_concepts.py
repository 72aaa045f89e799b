"""semantics: Covering, of concepts with a meaning: sets of values, sound, a preorder."""

import random
from datetime import UTC, datetime

import pytest

from rankcast.cover import Relation, relate
from rankcast.errors import CatalogError
from rankcast.language import parse, show
from rankcast.matching import NO_CONCEPTS, matches
from rankcast.model import And, Event, Expression, Gaussian, Interval, LeftShoulder, Not, Or, Table, Trapezoid

EQUAL, COVERS, COVERED, OVERLAPS, DISJOINT = Relation
WHEN = datetime(2004, 2, 13, tzinfo=UTC)

MEANINGS = {
    "cheap": LeftShoulder(500, 900),
    "medium": Trapezoid(400, 600, 800, 1200),
    "about": Gaussian(700, 100),
    "listed": Table(((500, 1.0), (700, 0.5))),
    "fixed": Interval(500, 700),
    "fresh": Table((("new", 1.0), ("used", 0.4))),
}
TERMS = ["cheap", "medium", "about", "listed", "fixed", "not cheap", "very medium", "not about", "somewhat cheap"]


def meaning(attribute, term):
    return MEANINGS[term.concept]


@pytest.mark.parametrize(
    ("a", "relation", "b"),
    [
        ("x <= 800", COVERS, "x is cheap"),
        ("x <= 699", COVERED, "x is cheap"),
        ("x is cheap [1, 0]", COVERS, "x <= 500"),
        ("x is cheap", COVERS, "x is very cheap"),
        ("x is somewhat cheap", COVERS, "x is cheap [0.3, 0]"),
        ("x is not cheap [0.6, 0]", DISJOINT, "x is cheap [0.6, 0]"),
        ("x is not cheap", OVERLAPS, "x is cheap"),  # both are half true at 700
        ("x is fixed", EQUAL, "x between 500 and 700"),
        ("x is fixed", COVERS, "x is listed"),
        ("x is listed", EQUAL, "x in (500, 700)"),
        ("x is listed [0.6, 0]", EQUAL, "x = 500"),
        ("x between 500 and 900", COVERS, "x is about"),
        ("x is about", COVERS, "x between 600 and 800"),
        ("x is medium", OVERLAPS, "x is cheap"),
        ("x is medium [1, 0]", COVERED, "x between 599 and 801"),
        ("p is fresh", EQUAL, "p = 'new'"),
        ("p is fresh [0.4, 0]", EQUAL, "p in ('new', 'used')"),
        ("p is not fresh", EQUAL, "p != 'new'"),
        ("x is cheap or x > 600", EQUAL, "x < 600 or x >= 600"),
        ("not (x is cheap)", COVERS, "x > 701"),
        ("not (x is cheap)", DISJOINT, "x < 699"),
        ("x is cheap and x < 600", EQUAL, "x < 600"),
        ("x is cheap and y = 1", COVERED, "x is cheap"),
    ],
)
def test_concepts_with_a_meaning_are_sets_of_values(a, relation, b):
    assert relate(parse(a), parse(b), meaning) is relation
    assert relate(parse(b), parse(a), meaning) is relation.inverse


def random_fuzzy(rng: random.Random) -> Expression:
    def predicate() -> Expression:
        if rng.random() < 0.3:
            return parse(f"x {rng.choice(['<', '>', '<=', '>='])} {rng.choice([500, 600, 700, 800])}")
        return parse(f"x is {rng.choice(TERMS)} [{rng.choice([0, 0.25, 0.5, 0.75, 1])}, 0]")

    first, second = predicate(), predicate()
    return rng.choice([first, Not(first), And((first, second)), Or((first, Not(second)))])


def test_concepts_sound_by_matching():
    rng = random.Random(4)
    values = [*range(350, 1300, 25), 600.0000001, 699.9999999, 700.0000001, 500.00000005, 817.741, 582.2589]
    events = [Event("e", WHEN, {"x": (value,)}) for value in values] + [Event("e", WHEN, {})]
    claims = 0
    for _ in range(300):
        a, b = random_fuzzy(rng), random_fuzzy(rng)
        claimed = relate(a, b, meaning)
        claims += claimed is not OVERLAPS
        for event in events:
            in_a, in_b = matches(a, event, meaning), matches(b, event, meaning)
            assert claimed not in (EQUAL, COVERS) or in_a or not in_b, f"{show(a)}  |  {show(b)}  {event}"
            assert claimed not in (EQUAL, COVERED) or in_b or not in_a, f"{show(a)}  |  {show(b)}  {event}"
            assert claimed is not DISJOINT or not (in_a and in_b), f"{show(a)}  |  {show(b)}  {event}"
    assert claims > 100


@pytest.mark.parametrize("given", [meaning, None])
def test_concepts_keep_the_preorder(given, assert_preorder):
    rng = random.Random(6)
    assert_preorder([random_fuzzy(rng) for _ in range(60)], given)


def test_a_change_of_meaning_is_seen():
    expression, crisp = parse("x is cheap"), parse("x <= 10")
    changing = {"cheap": Interval(0, 5)}
    assert relate(expression, crisp, lambda _, term: changing[term.concept]) is COVERED
    changing["cheap"] = Interval(0, 20)
    assert relate(expression, crisp, lambda _, term: changing[term.concept]) is OVERLAPS


def test_an_unknown_concept_is_an_error():
    with pytest.raises(CatalogError, match="no concept 'cheap' on attribute 'x'"):
        relate(parse("x is cheap"), parse("x = 1"), NO_CONCEPTS)

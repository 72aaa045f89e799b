"""SPEC 1, covering: sound always, complete within the normal form's size, a preorder."""

import itertools
import random
from datetime import UTC, datetime

import pytest

from rankcast.cover import Relation, covers, relate
from rankcast.errors import CatalogError
from rankcast.language import parse, show
from rankcast.match import NO_CONCEPTS, matches
from rankcast.model import (
    Always,
    And,
    Between,
    Compare,
    Event,
    Exists,
    Expression,
    Gaussian,
    Interval,
    LeftShoulder,
    Not,
    OneOf,
    Op,
    Or,
    Predicate,
    Table,
    Trapezoid,
)

EQUAL, COVERS, COVERED, OVERLAPS, DISJOINT = Relation
WHEN = datetime(2004, 2, 13, tzinfo=UTC)

NUMBERS = [half / 2 for half in range(-2, 13)]
# "!" comes before the letters that the expressions have, "~" after them.
STRINGS = ["".join(letters) for size in range(4) for letters in itertools.product("ab~!", repeat=size)]
BOOLEANS = [(True,), (False,), (True, False)]

# The states of an attribute: missing, a number, booleans, up to four strings. Two attributes make an event.
STATES = [
    None,
    *((x,) for x in NUMBERS),
    *BOOLEANS,
    *((s,) for s in STRINGS),
    *itertools.combinations(STRINGS, 2),
    *itertools.combinations(STRINGS[:21], 3),
    *itertools.combinations(["", "a", "b", "ab", "ba", "~", "a~", "b~", "~a"], 4),
]
FEW_STATES = [None, (0,), (1,), (2,), ("a",), ("b",), ("c",), ("a", "b"), ("a", "c"), ("b", "c"), *BOOLEANS]
VALUES = [*NUMBERS, True, False, *STRINGS, "c"]
FEW_PREDICATES = ["exists", "= 1", "< 1", ">= 1", "!= 1", "= 'a'", "!= 'a'", "in ('a', 'b')", "in (1, 'a')", "= true"]


def passes(test, values):
    """SPEC 1 once more, by other means than the library."""
    match test:
        case Exists():
            return True
        case OneOf(wanted):
            return any(type_of(v) == type_of(w) and v == w for v in values for w in wanted)
        case Between(low, high):
            return any(type_of(v) == type_of(low) and low <= v <= high for v in values)
        case Compare(op, wanted):
            check = {
                Op.EQ: lambda v: v == wanted,
                Op.NE: lambda v: v != wanted,
                Op.LT: lambda v: v < wanted,
                Op.LE: lambda v: v <= wanted,
                Op.GT: lambda v: v > wanted,
                Op.GE: lambda v: v >= wanted,
                Op.CONTAINS: lambda v: wanted in v,
                Op.STARTSWITH: lambda v: v.startswith(wanted),
                Op.ENDSWITH: lambda v: v.endswith(wanted),
            }[op]
            return any(type_of(v) == type_of(wanted) and check(v) for v in values)


def type_of(value):
    return float if type(value) is int else type(value)


_masks: dict[str, int] = {}
EVERY = (1 << (len(STATES) * len(FEW_STATES))) - 1


def mask(expression: Expression) -> int:
    """The events (x one of STATES, y one of FEW_STATES) that match, as bits."""
    match expression:
        case Always():
            return EVERY
        case Not(part):
            return EVERY & ~mask(part)
        case And(parts):
            result = EVERY
            for part in parts:
                result &= mask(part)
            return result
        case Or(parts):
            result = 0
            for part in parts:
                result |= mask(part)
            return result
    key = show(expression)
    if key not in _masks:
        # A predicate holds if one value passes, so each value is tried once and not in all its company.
        passing = {(type_of(value), value) for value in VALUES if passes(expression.test, (value,))}
        states = STATES if expression.attribute == "x" else FEW_STATES
        held = "".join("01"[any((type_of(value), value) in passing for value in values or ())] for values in states)
        width = len(FEW_STATES)
        spread = "".join(digit * width for digit in held) if expression.attribute == "x" else held * len(STATES)
        _masks[key] = int(spread, 2)
    return _masks[key]


def random_predicate(rng: random.Random) -> Predicate:
    attribute = rng.choice("xxy")
    if attribute == "y":
        return parse(f"y {rng.choice(FEW_PREDICATES)}")
    kind = rng.choice(["number", "number", "string", "string", "boolean", "exists", "mixed"])
    if kind == "exists":
        return Predicate(attribute, Exists())
    if kind == "mixed":
        return Predicate(attribute, OneOf(tuple(rng.sample([0, 1, 2, "a", "b", "ab", True, False], 3))))
    if kind == "boolean":
        return Predicate(attribute, Compare(rng.choice([Op.EQ, Op.NE]), rng.random() < 0.5))
    values = list(range(6)) if kind == "number" else ["", "a", "b", "a", "b"]
    form = rng.random()
    if form < 0.15:
        return Predicate(attribute, Between(*sorted(rng.sample(values, 2))))
    if form < 0.3:
        return Predicate(attribute, OneOf(tuple(rng.sample(values, 2))))
    ops = [op for op in Op if kind == "string" or not op.is_pattern]
    return Predicate(attribute, Compare(rng.choice(ops), rng.choice(values)))


def random_conjunction(rng: random.Random, most: int = 3) -> Expression:
    parts = tuple(random_predicate(rng) for _ in range(rng.randint(1, most)))
    return And(parts) if len(parts) > 1 else parts[0]


def random_dnf(rng: random.Random) -> Expression:
    parts = tuple(random_conjunction(rng, 2) for _ in range(rng.randint(1, 3)))
    return Or(parts) if len(parts) > 1 else parts[0]


def random_nested(rng: random.Random, depth: int = 3) -> Expression:
    form = rng.random()
    if depth == 0 or form < 0.2:
        return random_predicate(rng)
    if form < 0.4:
        return Not(random_nested(rng, depth - 1))
    parts = tuple(random_nested(rng, depth - 1) for _ in range(2))
    return And(parts) if form < 0.7 else Or(parts)


def truth(a: Expression, b: Expression) -> Relation:
    """The relation on the enumerated events."""
    first, second = mask(a), mask(b)
    if first == second:
        return EQUAL
    if second & ~first == 0:
        return COVERS
    if first & ~second == 0:
        return COVERED
    return OVERLAPS if first & second else DISJOINT


@pytest.mark.parametrize("make", [random_conjunction, random_dnf, random_nested])
def test_sound_and_complete_by_enumeration(make):
    rng = random.Random(1)
    for _ in range(800):
        a, b = make(rng), make(rng)
        assert relate(a, b) is truth(a, b), f"{show(a)}  |  {show(b)}"


def test_related_by_construction():
    """Random pairs seldom cover: here one is the other, weakened, strengthened or negated."""
    rng = random.Random(2)
    for _ in range(200):
        a, b, c = (random_nested(rng, 2) for _ in range(3))
        for more, less in [(a, And((a, b))), (Or((a, b)), a), (Or((a, b)), And((a, c))), (Not(And((a, b))), Not(a))]:
            assert covers(more, less), f"{show(more)}  |  {show(less)}"
            assert relate(more, less) is truth(more, less)
        assert relate(Not(Or((a, b))), And((Not(b), Not(a)))) is EQUAL
        assert relate(And((a, Or((b, c)))), Or((And((a, b)), And((a, c))))) is EQUAL
        assert relate(a, Not(a)) in (DISJOINT, COVERS, COVERED)


def test_the_enumeration_reads_expressions_as_the_matcher_does():
    rng = random.Random(3)
    for _ in range(300):
        expression = random_nested(rng)
        i, j = rng.randrange(len(STATES)), rng.randrange(len(FEW_STATES))
        attributes = {name: values for name, values in (("x", STATES[i]), ("y", FEW_STATES[j])) if values}
        bit = len(STATES) * len(FEW_STATES) - 1 - (i * len(FEW_STATES) + j)
        seen = bool(mask(expression) >> bit & 1)
        assert matches(expression, Event("e", WHEN, attributes), NO_CONCEPTS) is seen, show(expression)


@pytest.mark.parametrize(
    ("a", "relation", "b"),
    [
        # SPEC 1, Covering
        ("p contains 'b'", COVERS, "p endswith 'ab'"),
        ("x >= 1 and x <= 5", EQUAL, "x between 1 and 5"),
        ("p = 'a'", OVERLAPS, "p = 'b'"),
        ("x = 1 or x = 2", EQUAL, "x in (1, 2)"),
        ("(x > 1 and y = 1) or p = 'a'", COVERS, "(x > 2 and y = 1 and p exists) or (p = 'a' and z exists)"),
        # SPEC 1, Predicate
        ("not (x = 1)", COVERS, "x != 1"),
        ("not (genre in ('short', 'news'))", DISJOINT, "genre = 'news'"),
        # SPEC 2
        ("genre = 'drama'", COVERS, "genre = 'drama' and director = 'T. Burton'"),
        # numbers: one value, on a dense line
        ("x > 1 and x < 2", OVERLAPS, "x > 1.5"),
        ("x > 1 and x < 2", COVERS, "x = 1.5"),
        ("x < 5 or x >= 5", COVERED, "x exists"),
        ("x < 5 or x > 5", EQUAL, "x != 5"),
        ("x != 5 and x between 4 and 6", EQUAL, "x between 4 and 6 and not (x = 5)"),
        ("x >= 1 and x <= 1", EQUAL, "x = 1"),
        ("x = 1", EQUAL, "x = 1.0"),
        ("x < 1", DISJOINT, "x >= 1"),
        ("x in (1, 2, 3) and x in (2, 3, 4)", EQUAL, "x in (2, 3)"),
        ("x = 9007199254740993", DISJOINT, "x = 9007199254740992"),
        # times
        ("t >= date '2003-01-01'", COVERS, "t > time '2003-01-01T00:00:00Z' and t <= date '2004-01-01'"),
        ("t < date '2003-01-01'", DISJOINT, "t > 5"),
        # strings: several values, which do not combine
        ("p >= 'a' and p <= 'b'", COVERS, "p between 'a' and 'b'"),
        ("p = 'a' or p = 'b'", EQUAL, "p in ('a', 'b')"),
        ("p != 'a'", OVERLAPS, "p = 'a'"),
        ("p != 'b'", COVERS, "p startswith 'a'"),
        ("p != 'abc'", COVERS, "p contains 'x'"),
        ("p startswith 'ab'", COVERED, "p startswith 'a' and p contains 'b'"),
        ("p >= 'ab' and p < 'ac'", COVERS, "p startswith 'ab'"),
        ("p between 'ab' and 'abz'", COVERED, "p startswith 'ab'"),
        ("p startswith ''", EQUAL, "p contains '' and p >= ''"),
        ("p < '' and y = 1", EQUAL, "x = 1 and x = 2"),
        ("p contains 'a' or p contains 'b'", COVERS, "p startswith 'xa' or p endswith 'by'"),
        ("p = 'a' and not (p != 'a')", COVERED, "p = 'a'"),
        ("not (p != 'a')", COVERED, "not (p contains 'b')"),
        # booleans: both at once are possible
        ("f = true", OVERLAPS, "f = false"),
        ("f != true", EQUAL, "f = false"),
        ("f in (true, false)", EQUAL, "f = true or f = false"),
        ("f = true and f = false", COVERED, "f = true"),
        # kinds: one to an attribute
        ("p = 'a'", DISJOINT, "p = 1"),
        ("x = 1", DISJOINT, "x = true"),
        ("x in (1, 'a')", EQUAL, "x = 1 or x = 'a'"),
        ("x in (1, 'a') and x < 5", EQUAL, "x = 1"),
        ("x = 1 and x = 'a'", EQUAL, "y < '' or y != 1 and not (y exists)"),
        ("x exists", COVERS, "x in (1, 'a', true)"),
        ("not (x = 1)", COVERS, "x = 'a'"),
        # what nothing matches, and what everything does
        ("x = 1 and x = 2", COVERED, "y = 1"),
        ("y = 1", COVERS, "x = 1 and x = 2"),
        ("x exists or not (x exists)", EQUAL, "true"),
        ("not true", EQUAL, "x < 1 and x > 1"),
        # no conjunction of the first covers alone
        ("x < 3 or y = 1 or x > 5 or y != 1", COVERS, "y > 0 and x between 3 and 5"),
        ("(x < 3 and y < 3) or (x >= 3 and y < 3) or (x exists and y >= 3)", COVERS, "x > 1 and y between 2 and 4"),
        # two concepts without a meaning: the same term compares by its thresholds
        ("x is cheap", COVERS, "x is cheap [0.8, 0]"),
        ("x is cheap [0.5, 0.3]", EQUAL, "x is cheap"),
        ("x is cheap [0, 0.6]", COVERED, "x is cheap"),
        ("x is cheap", OVERLAPS, "x is very cheap"),
        ("x is cheap", OVERLAPS, "y is cheap"),
        ("x is cheap", DISJOINT, "not (x is cheap [0.3, 0])"),
        ("not (x is cheap [0.8, 0])", COVERS, "not (x is cheap)"),
        ("x exists", COVERS, "x is cheap"),
        ("x is cheap", DISJOINT, "x = true"),
        ("x is cheap", OVERLAPS, "x <= 100"),
        # thresholds on crisp predicates change nothing for crisp events
        ("x <= 5 [1, 1]", EQUAL, "x <= 5"),
    ],
)
def test_examples(a, relation, b):
    assert relate(parse(a), parse(b)) is relation
    assert relate(parse(b), parse(a)) is relation.inverse


def test_inverse():
    assert [relation.inverse for relation in Relation] == [EQUAL, COVERED, COVERS, OVERLAPS, DISJOINT]
    assert all(relation.inverse.inverse is relation for relation in Relation)


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
def test_concepts_keep_the_preorder(given):
    rng = random.Random(6)
    _assert_preorder([random_fuzzy(rng) for _ in range(60)], given)


def test_a_change_of_meaning_is_seen():
    expression, crisp = parse("x is cheap"), parse("x <= 10")
    changing = {"cheap": Interval(0, 5)}
    assert relate(expression, crisp, lambda _, term: changing[term.concept]) is COVERED
    changing["cheap"] = Interval(0, 20)
    assert relate(expression, crisp, lambda _, term: changing[term.concept]) is OVERLAPS


def test_an_unknown_concept_is_an_error():
    with pytest.raises(CatalogError, match="no concept 'cheap' on attribute 'x'"):
        relate(parse("x is cheap"), parse("x = 1"), NO_CONCEPTS)


def test_covers_is_a_preorder_and_equal_its_equivalence():
    rng = random.Random(5)
    expressions = [make(rng) for make in (random_conjunction, random_dnf, random_nested) for _ in range(25)]
    expressions += [Or((a, b)) for a, b in itertools.pairwise(expressions[::4])]
    expressions += [And((a, Not(b))) for a, b in itertools.pairwise(expressions[::5])]
    clauses = tuple(parse(f"a{i} = 1 or b{i} = 1") for i in range(9))
    expressions += [And(clauses), And(clauses[:8]), And(clauses[::-1]), Or((And(clauses), parse("x = 1")))]
    expressions += [parse(text) for text in ("true", "not true", "x is cheap", "x is cheap [0.8, 0]")]
    expressions.append(And(tuple(parse(f"a{i} = 1 or b{i} = 1") for i in range(9))))
    _assert_preorder(expressions)


def _assert_preorder(expressions, given=None):
    above = [[covers(a, b, given) for b in expressions] for a in expressions]
    for i, a in enumerate(expressions):
        assert above[i][i]
        for j, b in enumerate(expressions):
            relation = relate(a, b, given)
            assert (relation is EQUAL) is (above[i][j] and above[j][i])
            assert relation is relate(b, a, given).inverse
            if above[i][j]:
                assert all(above[i][k] for k in range(len(expressions)) if above[j][k]), (show(a), show(b))


def test_an_imprecise_event_may_break_a_claim_about_crisp_ones():
    """The limit that `relate` states: SPEC 1 wants this equality, and SPEC 6 this event."""
    two, one = parse("x >= 1 and x <= 5"), parse("x between 1 and 5")
    event = Event("e", WHEN, {"x": Table(((0, 1.0), (6, 1.0)))})
    assert relate(two, one) is EQUAL
    assert matches(two, event, NO_CONCEPTS)
    assert not matches(one, event, NO_CONCEPTS)

"""semantics: Covering: sound always, complete within the normal form's size, a preorder; by all events of a small world."""

import itertools
import random
from datetime import UTC, datetime

import pytest

from rankcast.cover import Relation, covers, relate
from rankcast.cover.literals import PATTERNS
from rankcast.language import parse, show
from rankcast.matching import NO_CONCEPTS, matches
from rankcast.model import Always, And, Between, Compare, Event, Exists, Expression, Not, OneOf, Op, Or, Predicate

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
    """semantics: Events and subscriptions once more, by other means than the library."""
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
    ops = [op for op in Op if op.sides or (kind == "string" and op in PATTERNS)]
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


def test_covers_is_a_preorder_and_equal_its_equivalence(assert_preorder):
    rng = random.Random(5)
    expressions = [make(rng) for make in (random_conjunction, random_dnf, random_nested) for _ in range(25)]
    expressions += [Or((a, b)) for a, b in itertools.pairwise(expressions[::4])]
    expressions += [And((a, Not(b))) for a, b in itertools.pairwise(expressions[::5])]
    clauses = tuple(parse(f"a{i} = 1 or b{i} = 1") for i in range(9))
    expressions += [And(clauses), And(clauses[:8]), And(clauses[::-1]), Or((And(clauses), parse("x = 1")))]
    expressions += [parse(text) for text in ("true", "not true", "x is cheap", "x is cheap [0.8, 0]")]
    expressions.append(And(tuple(parse(f"a{i} = 1 or b{i} = 1") for i in range(9))))
    assert_preorder(expressions)

"""Every engine takes every operator, one that only its declaration knows included (semantics: Events and subscriptions)."""

import sys
from datetime import UTC, datetime
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from rankcast.cover import Relation, covers, normal_form, relate
from rankcast.cover.sketches import Sketches, sketch_of
from rankcast.cover.strict_covers import StrictCovers, part_outlines
from rankcast.engine.index import IndexMatcher
from rankcast.engine.index.patterns import AttributePatterns, number_of, operator_at
from rankcast.errors import ExpressionError, RecordError
from rankcast.fuzzy.sets import string_set
from rankcast.language import expression_json, expression_of_json, expression_to_json, label, parse, parsing, show
from rankcast.matching import NO_CONCEPTS, OracleMatcher, matches
from rankcast.model import (
    And,
    Compare,
    Event,
    Kind,
    Not,
    Op,
    Operator,
    Or,
    Predicate,
    SpecialOp,
    Subscription,
    is_operand,
    operators,
    regexes,
    string_test,
)

DOCS = Path(__file__).parents[1] / "docs"
WHEN = datetime(2026, 1, 1, tzinfo=UTC)
VALUES = ["", "a", "A", "ab", "aB", "Ab", "ba", "a b", "B a", "ß", "SS", "a.b", "ab ab"]
OPERANDS = [*VALUES, "^a", "b$", "a|b", "[ab]{2}", "(?i)ab"]
STRING_OPS = [op for op in Op if Kind.STRING in op.declared.kinds]
values = st.lists(st.sampled_from(VALUES), min_size=1, max_size=3, unique=True).map(tuple)
events = st.one_of(st.none(), values, st.just((1,))).map(
    lambda value: Event("e", WHEN, {} if value is None else {"p": value})
)


EXAMPLES = [
    ("contains", "oo", "Moon", True),
    ("startswith", "moo", "Moon", False),
    ("endswith", "on", "Moon", True),
    ("iequals", "STRASSE", "Straße", True),
    ("iequals", "moon", "MOON", True),
    ("iequals", "moon", "moons", False),
    ("iequals", "é", "é", False),
    ("icontains", "OO", "moon", True),
    ("icontains", "ß", "GROSSE", True),
    ("icontains", "oe", "Moon", False),
    ("istartswith", "MO", "moon", True),
    ("istartswith", "oo", "Moon", False),
    ("iendswith", "ON", "moon", True),
    ("iendswith", "oo", "Moon", False),
    ("has", "moon", "Blue MOON rising", True),
    ("has", "moon", "Moonlight", False),
    ("has", "blue moon", "the Blue, MOON!", True),
    ("has", "moon blue", "Blue moon", False),
    ("has", "straße", "GROSSE STRASSE 5", True),
    ("has", "луна", "Голубая ЛУНА", True),
    ("has", "e", "été", False),
    ("has", "moon", "moon's", True),
    ("has", "x_y", "X_Y", True),
    ("has", "x", "x_y", False),
    ("matches", "o+n$", "Moon", True),
    ("matches", "^oo", "Moon", False),
    ("matches", "(?i)MOON", "moon", True),
    ("matches", "", "", True),
    ("matches", "\\pL{2}", "é", False),
    ("matches", ".", "\n", False),
]
"""Operator, operand, value, whether the value passes."""


@pytest.mark.parametrize(("symbol", "operand", "value", "passes"), EXAMPLES)
def test_examples(symbol, operand, value, passes):
    where = Predicate("p", Compare(Op.of(symbol), operand))
    event = Event("e", WHEN, {"p": (value,)})
    assert matches(where, event, NO_CONCEPTS) is passes
    assert bool(list(IndexMatcher([Subscription("s", "u", where)]).match(event))) is passes


def test_has_needs_a_word():
    with pytest.raises(ExpressionError, match="has needs at least one word, and '!' has none") as caught:
        parse("p has '!'")
    assert caught.value.position == 6


@pytest.mark.parametrize(
    ("pattern", "reason"),
    [
        ("(abc", r"missing \): \(abc"),
        ("a**", r"bad repetition operator: \*\*"),
        ("(?=x)", r"invalid perl operator: \(\?="),
        (r"(.)\1", r"invalid escape sequence: \\1"),
        (r"\pL{90}", "it needs more than 256 KiB of memory"),
        ("a" * 1001, "a regular expression of 1,001 characters; it must have at most 1,000"),
    ],
)
def test_a_pattern_that_cannot_be_is_refused_at_its_place(pattern, reason):
    with pytest.raises(ExpressionError, match=reason) as caught:
        parse(f"year > 1999 and p matches '{pattern}'")
    assert caught.value.position == 26
    with pytest.raises(RecordError, match=reason):
        expression_of_json({"attribute": "p", "matches": pattern})


def test_without_the_package_only_matches_is_refused(monkeypatch):
    monkeypatch.setitem(sys.modules, "re2", None)
    regexes._compiled.cache_clear()
    with pytest.raises(ExpressionError, match="pip install google-re2"):
        parse("p matches 'x'")
    assert parse("p contains 'x' and p has 'x'")


def test_a_pattern_takes_linear_time():
    where = parse("p matches '(a*)*b'")
    assert not matches(where, Event("e", WHEN, {"p": ("a" * 50_000,)}), NO_CONCEPTS)


def predicates(ops):
    return (
        st.tuples(st.sampled_from(ops), st.sampled_from(OPERANDS))
        .filter(lambda pair: is_operand(*pair))
        .map(lambda pair: Predicate("p", Compare(*pair)))
    )


def expressions(ops):
    one = predicates(ops)
    part = st.one_of(one, one.map(Not))
    several = st.lists(part, min_size=2, max_size=3).map(tuple)
    return st.one_of(one, part, several.map(And), several.map(Or))


@pytest.fixture
def reads(monkeypatch):
    """An operator that nothing but its declaration knows: ``reads 'ab'`` holds for 'ba'."""
    op = Op._new_member_(
        Op,
        Operator(
            symbol="reads",
            words="reads backwards",
            kinds=(Kind.STRING,),
            passes="strings that are this one backwards",
            example="title reads 'level'",
            test=lambda operand: lambda value: value[::-1] == operand,
        ),
    )
    op._name_ = "READS"
    monkeypatch.setitem(Op._member_map_, "READS", op)
    monkeypatch.setattr(Op, "_member_names_", [*Op._member_names_, "READS"])
    for known in (operators._OPS, parsing._OPS, expression_json._OPS):
        monkeypatch.setitem(known, "reads", op)
    monkeypatch.setattr(expression_json, "_TESTS", (*expression_json._TESTS, "reads"))
    return op


def test_an_operator_that_only_its_declaration_knows(reads):
    where = parse("p READS 'ab' and not p reads 'x'")
    assert show(where) == "p reads 'ab' and not p reads 'x'"
    assert expression_of_json(expression_to_json(where)) == where
    assert label(where) == "p reads backwards ab and not (p reads backwards x)"
    with pytest.raises(ExpressionError, match="reads needs a string, not the number 5"):
        parse("p reads 5")
    assert string_set(Compare(reads, "ab")).has("ba")
    assert relate(parse("p reads 'ab'"), parse("p reads 'ab'")) is Relation.EQUAL
    assert relate(parse("p reads 'ab'"), parse("p reads 'abc'")) is Relation.OVERLAPS
    assert relate(parse("p reads 'ab'"), parse("p = 'ba'")) is Relation.COVERS
    assert relate(parse("p exists"), parse("p reads 'ab'")) is Relation.COVERS
    subscriptions = [Subscription(text, "u", parse(f"p reads '{text}'")) for text in ("ab", "b", "ba")]
    found = IndexMatcher(subscriptions).match(Event("e", WHEN, {"p": ("ba", "b")}))
    assert [one.id for one, _ in found] == ["ab", "b"]


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=60)
@given(data=st.data())
def test_index_and_reference_agree(reads, data):
    wheres = data.draw(st.lists(expressions([*STRING_OPS, reads]), min_size=1, max_size=6))
    subscriptions = [Subscription(f"s{number}", "u", where) for number, where in enumerate(wheres)]
    reference, index = OracleMatcher(subscriptions), IndexMatcher(subscriptions)
    for event in data.draw(st.lists(events, min_size=1, max_size=4)):
        assert list(index.match(event)) == list(reference.match(event))


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=200)
@given(data=st.data())
def test_covering_claims_nothing_that_an_event_breaks(reads, data):
    a, b = (data.draw(expressions([*STRING_OPS, reads])) for _ in "ab")
    event = data.draw(events)
    relation = relate(a, b)
    first, second = (matches(where, event, NO_CONCEPTS) for where in (a, b))
    if relation in (Relation.COVERS, Relation.EQUAL):
        assert first >= second
    if relation in (Relation.COVERED, Relation.EQUAL):
        assert first <= second
    if relation is Relation.DISJOINT:
        assert not (first and second)
    assert relate(a, a) is Relation.EQUAL


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(data=st.data())
def test_searches_for_covers_miss_none(reads, data):
    a, b = (data.draw(expressions([*STRING_OPS, reads])) for _ in "ab")
    if covers(a, b):
        sketches = Sketches()
        sketches.append(sketch_of(normal_form(a)))
        assert sketches.covering(sketch_of(normal_form(b))).all()
    outlines = {"a": part_outlines(normal_form(a)), "b": part_outlines(normal_form(b))}
    together = StrictCovers()
    together.add({key: parts for key, parts in outlines.items() if parts is not None})
    if len(together) == 2:
        assert not together.strictly_covers("a", "b") or covers(a, b)


@given(predicates(STRING_OPS), st.sampled_from(VALUES))
def test_all_ways_to_decide_agree(predicate, value):
    test = predicate.test
    passes = matches(predicate, Event("e", WHEN, {"p": (value,)}), NO_CONCEPTS)
    assert string_test(test.op, test.value)(value) is passes
    assert string_set(test).has(value) is passes
    if test.op.sides is None:
        assert AttributePatterns(test.op, [test.value]).fitting(value) == [0] * passes


@given(expressions(STRING_OPS))
def test_text_and_json_mean_the_same_expression(where):
    assert parse(show(where)) == where
    assert expression_of_json(expression_to_json(where)) == where


@pytest.mark.parametrize("op", [*Op, *SpecialOp])
def test_examples_are_expressions_with_words(op):
    where = parse(op.declared.example)
    assert op.value in show(where)
    assert label(where)


@pytest.mark.parametrize("op", Op)
def test_words_of_operators_may_be_names(op):
    if op.value.isalpha() and not op.declared.is_reserved:
        assert show(parse(f"{op.value} {op.value} 'x'")) == f"{op.value} {op.value} 'x'"


@pytest.mark.parametrize("op", Op)
def test_an_operator_declares_how_it_holds_in_one_way(op):
    declared = op.declared
    assert sum((declared.sides is not None, declared.test is not None, declared.like is not None)) == 1
    assert (declared.like is None) == (declared.fold is None)
    members = (Kind.NUMBER, Kind.TIME) if op is Op.CONTAINS else ()
    assert declared.sides is not None or declared.kinds == (Kind.STRING, *members)


@given(st.text(max_size=20))
def test_folding_twice_is_folding_once(text):
    for op in Op:
        assert op.fold(op.fold(text)) == op.fold(text)


def test_compiled_indexes_count_operators_as_before():
    # more numbers
    # A number that changes would make indexes that were compiled before mean something else.
    numbers = (
        "contains",
        "startswith",
        "endswith",
        "iequals",
        "icontains",
        "istartswith",
        "iendswith",
        "has",
        "matches",
    )
    assert [operator_at(number).value for number in range(len(numbers))] == list(numbers)
    assert [number_of(Op.of(symbol)) for symbol in numbers] == list(range(len(numbers)))


def table():
    rows = ["| operator | example | takes | passes |", "| --- | --- | --- | --- |"]
    for op in (*Op, *SpecialOp):
        takes = (
            "any type"
            if len(op.declared.kinds) == len(Kind)
            else ", ".join(f"{kind.value}s" for kind in op.declared.kinds)
        )
        rows.append(f"| `{op.value}` | `{op.declared.example}` | {takes} | {op.declared.passes} |")
    return "\n".join(rows)


def test_the_documentation_lists_the_declared_operators():
    assert table() in (DOCS / "semantics.md").read_text(), f"docs/semantics.md should have this table:\n{table()}"

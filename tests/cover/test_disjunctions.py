"""Expressions as conjunctions of which one must match."""

from time import process_time

import pytest

from rankcast.cover.disjunctions import MOST_CONJUNCTIONS, TooLarge, disjuncts
from rankcast.language import parse
from rankcast.model import And, Compare, Not, Op, Or, Predicate


def count(text: str) -> int:
    return len(disjuncts(parse(text), None))


@pytest.mark.parametrize(
    ("text", "conjunctions"),
    [
        ("true", 1),
        ("not true", 0),
        ("x = 1 and x = 2", 0),
        ("x = 1 and y = 2", 1),
        ("x = 1 or y = 2", 2),
        ("x = 1 or x = 2 or x = 'a' or x = 'b'", 1),
        ("(x = 1 and y = 1) or (x = 2 and y = 1)", 1),
        ("(x = 1 and y = 1) or (x = 2 and y = 2)", 2),
        ("(x = 1 and y = 1) or (x = 1 and y = 2) or (x = 2 and y in (1, 2))", 1),
        ("x = 1 or (x = 1 and y = 2)", 1),
        ("x exists or not (x exists)", 1),
        ("(x = 1 or y = 1) and (x = 2 or y = 2)", 2),
        ("not (x = 1 and y = 1)", 2),
        ("not (x = 1 or y = 1)", 1),
        ("p = 'a' and p = 'b' or p = 'c'", 2),
    ],
)
def test_few_conjunctions(text, conjunctions):
    assert count(text) == conjunctions


def test_what_merges_does_not_count():
    many = Or(tuple(Predicate("x", Compare(Op.EQ, i)) for i in range(2000)))
    assert len(disjuncts(many, None)) == 1


def test_too_many_and_too_deep():
    clauses = [parse(f"a{i} = 1 or b{i} = 1") for i in range(9)]
    assert len(disjuncts(And(tuple(clauses[:8])), None)) == MOST_CONJUNCTIONS
    with pytest.raises(TooLarge):
        disjuncts(And(tuple(clauses)), None)
    deep = parse("x = 1")
    for _ in range(5000):
        deep = Not(deep)
    with pytest.raises(TooLarge):
        disjuncts(deep, None)


def test_the_work_is_bounded_whatever_the_expression():
    choices = [f"(a{n} = 1 or b{n} = 1)" for n in range(8)]
    start = process_time()
    with pytest.raises(TooLarge):
        disjuncts(parse(" and ".join(choices + [f"c{n} = 1" for n in range(1_900)])), None)
    assert process_time() - start < 5

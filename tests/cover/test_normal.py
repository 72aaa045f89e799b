"""Normal forms: made once, and honest beyond their bounds."""

import random
import time

import pytest

from rankcast.cover import NormalForm, normal_form
from rankcast.language import parse
from rankcast.model import And, Interval, Not, Or, Predicate


def form(text: str) -> NormalForm:
    return normal_form(parse(text))


def clauses(count: int) -> And:
    return And(tuple(parse(f"a{i} = 1 or b{i} = 1") for i in range(count)))


def test_an_expression_is_normalised_once():
    expression = parse("x = 1 or y = 2")
    assert normal_form(expression) is normal_form(expression)
    fuzzy = parse("x is cheap")
    assert normal_form(fuzzy) is not normal_form(fuzzy, lambda attribute, term: Interval(0, 1))
    assert normal_form(fuzzy, lambda attribute, term: Interval(0, 1)) is normal_form(
        fuzzy, lambda attribute, term: Interval(0.0, 1.0)
    )


def test_too_many_conjunctions_claim_only_what_is_certain():
    large, same, other = normal_form(clauses(9)), normal_form(clauses(9)), normal_form(clauses(10))
    assert large.conjunctions is None
    assert large.covers(large)
    assert large.covers(same)
    assert same.covers(large)
    assert not large.covers(other)
    assert not large.covers(form("x = 1"))
    assert not form("x = 1").covers(large)
    assert not large.disjoint(form("x = 1"))
    for everything in ("true", "x exists or not (x exists)"):
        assert form(everything).covers(large)
    assert large.covers(form("x = 1 and x = 2"))
    assert large.disjoint(form("x = 1 and x = 2"))


def test_large_expressions_that_differ_only_in_one_and_true_differ():
    one, same, true = (And((*clauses(9).parts, parse(f"z = {value}"))) for value in ("1", "1.0", "true"))
    assert normal_form(one).covers(normal_form(same))
    assert not normal_form(one).covers(normal_form(true))


def test_deep_expressions_do_not_break_it():
    deep, same = parse("x = 1"), parse("x = 1")
    for _ in range(5000):
        deep, same = Not(deep), Not(same)
    assert normal_form(deep).covers(normal_form(same))
    assert not normal_form(Not(deep)).covers(normal_form(same))


def test_meanings_are_part_of_what_a_large_expression_says():
    fuzzy = And((*clauses(9).parts, parse("z is cheap")))
    narrow = NormalForm(fuzzy, lambda attribute, term: Interval(0, 1))
    wide = NormalForm(fuzzy, lambda attribute, term: Interval(0, 2))
    assert not wide.covers(narrow)


@pytest.mark.parametrize("seed", range(3))
def test_a_hard_question_ends_soon(seed):
    """Random disjunctions near the point where they become tautologies: the search gives up, and says no."""
    rng = random.Random(seed)
    names = [f"a{i}" for i in range(30)]

    def term() -> And:
        return And(
            tuple(
                exists if rng.random() < 0.5 else Not(exists)
                for exists in (parse(f"{name} exists") for name in rng.sample(names, 3))
            )
        )

    hard = normal_form(Or(tuple(term() for _ in range(140))))
    start = time.process_time()
    hard.covers(form("true"))
    assert time.process_time() - start < 5
    assert hard.covers(normal_form(And((term(), *_first(hard)))))


def _first(hard: NormalForm) -> tuple[Predicate | Not, ...]:
    """An expression of the form's first conjunction."""
    assert hard.conjunctions is not None
    return tuple(
        Not(parse(f"{name} exists")) if cell.missing else parse(f"{name} exists")
        for name, cell in hard.conjunctions[0].items()
    )


def test_a_pair_of_conjunctions_takes_microseconds():
    rng = random.Random(1)
    forms = [
        form(f"genre = '{rng.choice('abcd')}' and year between {(low := rng.randint(1950, 2000))} and {low + 9}")
        for _ in range(100)
    ]
    start = time.process_time()
    for a in forms:
        for b in forms:
            a.covers(b)
    assert (time.process_time() - start) / 10_000 < 200e-6  # measured: 4 microseconds

"""Predicates and their negations as cells."""

import pytest

from rankcast.cover.cells import ANY, ANY_TEXT, BOTH, FALSE, TRUE, Cell, StringRequirement
from rankcast.cover.conjunctions import meet
from rankcast.cover.line import FULL, ValueLine
from rankcast.cover.literals import asserted, denied
from rankcast.cover.strings import StringLine
from rankcast.cover.vague import ConceptDegree
from rankcast.language import parse, parse_time
from rankcast.model import Interval, LeftShoulder

DAY = parse_time("2004-02-13")


@pytest.mark.parametrize(
    ("text", "cell"),
    [
        ("x = 1", Cell(numbers=ValueLine.points([1]))),
        ("x != 1", Cell(numbers=~ValueLine.points([1]))),
        ("x < 1", Cell(numbers=~ValueLine.above((1, 0)))),
        ("x <= 1", Cell(numbers=~ValueLine.above((1, 1)))),
        ("x > 1", Cell(numbers=ValueLine.above((1, 1)))),
        ("x >= 1", Cell(numbers=ValueLine.above((1, 0)))),
        ("x between 1 and 2", Cell(numbers=ValueLine.between((1, 0), (2, 1)))),
        ("x > date '2004-02-13'", Cell(times=ValueLine.above((DAY, 1)))),
        ("x = true", Cell(booleans=TRUE | BOTH)),
        ("x != true", Cell(booleans=FALSE | BOTH)),
        ("x = false", Cell(booleans=FALSE | BOTH)),
        ("x = 'a'", Cell(texts=StringRequirement((StringLine.these(["a"]),)))),
        ("x != 'a'", Cell(texts=StringRequirement((~StringLine.these(["a"]),)))),
        ("x < 'a'", Cell(texts=StringRequirement((StringLine.interval("", "a"),)))),
        ("x <= 'a'", Cell(texts=StringRequirement((StringLine.interval("", "a\0"),)))),
        ("x > 'a'", Cell(texts=StringRequirement((StringLine.interval("a\0", None),)))),
        ("x >= 'a'", Cell(texts=StringRequirement((StringLine.interval("a", None),)))),
        ("x between 'a' and 'b'", Cell(texts=StringRequirement((StringLine.interval("a", "b\0"),)))),
        ("x contains 'a'", Cell(texts=StringRequirement((StringLine.containing("a"),)))),
        ("x startswith 'a'", Cell(texts=StringRequirement((StringLine.starting("a"),)))),
        ("x endswith 'a'", Cell(texts=StringRequirement((StringLine.ending("a"),)))),
        ("x >= ''", Cell(texts=ANY_TEXT)),
        (
            "x in (1, 'a', true, 'b')",
            Cell(False, ValueLine.points([1]), booleans=5, texts=StringRequirement((StringLine.these("ab"),))),
        ),
        ("x exists", ANY._replace(missing=False)),
    ],
)
def test_a_predicate_is_a_cell_and_its_negation_the_rest(text, cell):
    assert asserted(parse(text), None) == [{"x": cell}]
    rest = denied(parse(text), None)
    assert all(not meet(outside, {"x": cell}) for outside in rest)
    assert any(outside["x"].missing for outside in rest)


def test_what_nothing_passes():
    assert asserted(parse("x < ''"), None) == []
    assert denied(parse("x < ''"), None) == [{}]


def test_a_concept_is_a_degree_beside_its_values():
    mu = LeftShoulder(500, 900)
    [conjunction] = asserted(parse("x is cheap [0.2, 0.7]"), lambda attribute, term: mu)
    assert conjunction[ConceptDegree("x", (), mu)] == Cell(numbers=ValueLine.above((0.7, 0)))
    assert conjunction["x"].numbers.has(620)
    assert not conjunction["x"].numbers.has(621)
    [conjunction] = denied(parse("x is cheap"), lambda attribute, term: mu)
    assert conjunction[ConceptDegree("x", (), mu)] == Cell(numbers=~ValueLine.above((0.5, 0)))
    assert conjunction["x"].missing
    assert not conjunction["x"].numbers.has(699)


def test_a_threshold_of_0_still_needs_a_degree_above_0():
    [conjunction] = asserted(parse("x is cheap [0, 0]"), None)
    assert conjunction[ConceptDegree("x", (), "cheap")] == Cell(numbers=ValueLine.above((0.0, 1)))
    assert conjunction["x"] == Cell(numbers=FULL, texts=ANY_TEXT)


def test_a_concept_without_slopes_is_a_plain_set():
    assert asserted(parse("x is fixed"), lambda attribute, term: Interval(1, 2)) == asserted(
        parse("x between 1 and 2"), None
    )
    assert asserted(parse("x is fixed [1, 0]"), lambda attribute, term: LeftShoulder(1, 1))[0]["x"] == Cell(
        numbers=~ValueLine.above((1, 1))
    )

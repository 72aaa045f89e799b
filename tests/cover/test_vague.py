"""What `is` asks of an attribute's values, as cells."""

from rankcast.cover.cells import ANY, ANY_TEXT, Cell, StringRequirement
from rankcast.cover.line import FULL, ValueLine
from rankcast.cover.strings import StringLine
from rankcast.cover.vague import ConceptDegree, exact_cut, holding, implied, not_holding
from rankcast.model import Hedge, Interval, LeftShoulder, RightShoulder, Table


def test_a_slope_is_blurred_at_its_edge():
    key = ConceptDegree("x", (), LeftShoulder(500, 900))
    assert exact_cut(key, 0.5) is None
    outer, missed = holding(key, 0.5), not_holding(key, 0.5)
    assert [outer.numbers.has(x) for x in (699, 700, 701)] == [True, True, False]
    assert [missed.numbers.has(x) for x in (699, 700, 701)] == [False, True, True]
    assert outer == Cell(numbers=outer.numbers)
    assert missed == ANY._replace(numbers=missed.numbers)


def test_a_cut_without_slopes_is_exact():
    assert exact_cut(ConceptDegree("x", (), Interval(1, 2)), 0.5) == Cell(numbers=ValueLine.between((1, 0), (2, 1)))
    strings = Table((("new", 1.0), ("used", 0.4)))
    assert exact_cut(ConceptDegree("x", (), strings), 0.5) == Cell(
        texts=StringRequirement((StringLine.these(["new"]),))
    )
    assert exact_cut(ConceptDegree("x", (Hedge.NOT,), strings), 0.5) == Cell(
        texts=StringRequirement((~StringLine.these(["new"]),))
    )
    assert exact_cut(ConceptDegree("x", (), Table((("used", 0.4),))), 0.5) == Cell()


def test_strings_near_the_level_are_blurred_too():
    key = ConceptDegree("x", (), Table((("new", 1.0), ("used", 0.5 - 1e-9))))
    assert exact_cut(key, 0.5) is None
    assert holding(key, 0.5) == Cell(texts=StringRequirement((StringLine.these(["new", "used"]),)))
    assert not_holding(key, 0.5) == ANY._replace(texts=StringRequirement(none=StringLine.these(["new"])))


def test_an_unknown_concept_holds_for_some_number_or_string():
    key = ConceptDegree("x", (), "cheap")
    assert exact_cut(key, 0.5) is None
    assert not_holding(key, 0.5) == ANY
    assert holding(key, 0.5) == Cell(numbers=FULL, texts=ANY_TEXT)


def test_levels_imply_values():
    key = ConceptDegree("x", (), RightShoulder(0, 10))
    assert implied(key, FULL) == ANY
    middle = implied(key, ValueLine.between((0.2, 0), (0.8, 0))).numbers
    assert [middle.has(x) for x in (1, 3, 7, 9)] == [False, True, True, False]
    ends = implied(key, ~ValueLine.between((0.2, 0), (0.8, 0)))
    assert ends == ANY  # two pieces: nothing is said, which is sound

import pytest

from rankcast.fuzzy.sets import listing_of, string_set
from rankcast.model import Compare, Hedge, OneOf, Op, Table

CONDITION = Table((("new", 1.0), ("used", 0.36), ("broken", 0.0)))
NOT = (Hedge.NOT,)


def test_values_and_hedges() -> None:
    plain, very_not = listing_of(CONDITION), listing_of(CONDITION, (Hedge.VERY, Hedge.NOT))
    assert [plain.value(text) for text in ("new", "used", "broken", "old")] == [1.0, 0.36, 0.0, 0.0]
    assert [very_not.value(text) for text in ("new", "used", "broken", "old")] == [0.0, 0.4096, 1.0, 1.0]


def test_negated_is_one_minus() -> None:
    negated = listing_of(CONDITION).negated()
    assert [negated.value(text) for text in ("new", "used", "broken", "old")] == [0.0, 0.64, 1.0, 1.0]


def test_overlap_looks_at_what_either_lists() -> None:
    other = listing_of(Table((("used", 0.9), ("old", 1.0))))
    assert listing_of(CONDITION).overlap(other) == 0.36
    assert listing_of(CONDITION, NOT).overlap(other) == 1.0
    assert listing_of(CONDITION).overlap(listing_of(CONDITION, NOT)) == pytest.approx(0.36)


def test_two_complements_overlap_in_what_neither_lists() -> None:
    one, other = Table((("a", 1.0),)), Table((("b", 1.0),))
    assert listing_of(one, NOT).overlap(listing_of(other, NOT)) == 1.0


def test_highest_in_a_set_and_outside() -> None:
    strings = string_set(Compare(Op.CONTAINS, "e"))
    assert strings is not None
    assert listing_of(CONDITION).highest_in(strings) == 1.0
    assert listing_of(Table((("new", 0.7), ("old", 0.4)))).highest_outside(strings) == 0.4


def test_a_small_set_may_be_listed_altogether() -> None:
    both, three = string_set(OneOf(("new", "used"))), string_set(OneOf(("new", "used", "old")))
    assert both is not None
    assert three is not None
    assert listing_of(CONDITION, NOT).highest_in(both) == pytest.approx(0.64)
    assert listing_of(CONDITION, NOT).highest_in(three) == 1.0

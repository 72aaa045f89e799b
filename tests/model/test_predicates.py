import pytest

from rankcast.errors import ModelError
from rankcast.model import And, Between, Compare, Not, OneOf, Op, Or, Predicate, Thresholds, predicates_of


@pytest.mark.parametrize(
    ("make", "says"),
    [
        (lambda: Compare(Op.CONTAINS, True), "contains needs a string, number or time"),
        (lambda: Compare(Op.STARTSWITH, 5), "startswith needs a string"),
        (lambda: Compare(Op.LT, True), "not the boolean True"),
        (lambda: Between(5, 1), "lower value first"),
        (lambda: Between(1, "a"), "two values of one type"),
        (lambda: OneOf(()), "at least one value"),
        (lambda: Thresholds(1.5, 0), "possibility is 1.5"),
        (lambda: Predicate("", Compare(Op.EQ, 1)), "name of an attribute is empty"),
        (lambda: Predicate("a\ud800", Compare(Op.EQ, 1)), "not valid Unicode"),
        (lambda: And((Predicate("a", Compare(Op.EQ, 1)),)), "at least two"),
    ],
)
def test_predicates_that_cannot_be_are_refused(make, says):
    with pytest.raises(ModelError, match=says):
        make()


def test_in_keeps_each_value_once():
    assert OneOf((1, 1.0, True, "a", "a")).values == (1.0, True, "a")


def test_predicates_from_left_to_right():
    a, b, c = (Predicate(name, Compare(Op.EQ, 1)) for name in "abc")
    assert list(predicates_of(Or((And((a, Not(b))), c)))) == [a, b, c]


def test_one_and_true_are_not_the_same():
    assert Compare(Op.EQ, 1) != Compare(Op.EQ, True)
    assert Compare(Op.EQ, 1) == Compare(Op.EQ, 1.0)
    assert OneOf((1, 2)) != OneOf((True, 2))
    assert len({Compare(Op.EQ, 1), Compare(Op.EQ, True), Compare(Op.EQ, 1.0)}) == 2

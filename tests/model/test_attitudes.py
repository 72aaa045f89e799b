"""Thresholds by the attitude of a subscriber (semantics: Attitudes)."""

from typing import Any

import pytest

from rankcast.errors import ExpressionError
from rankcast.language import expression_of_json, parse, show
from rankcast.matching import matches
from rankcast.model import EPOCH, Attitude, Event, Interval, Term, Trapezoid, with_attitude


def meaning(attribute: str, term: Term) -> Trapezoid:
    return Trapezoid(0, 0, 1000, 2000)


def found(attitude: str, price: Any) -> bool:
    return matches(parse(f"price is cheap [{attitude}]"), Event("e", EPOCH, {"price": price}), meaning)


def test_the_optimist_misses_nothing_and_the_pessimist_wants_to_be_sure() -> None:
    for word, crisp, wide in (("optimistic", True, True), ("indifferent", False, False), ("pessimistic", True, False)):
        assert (found(word, (1500,)), found(word, Interval(500, 2500))) == (crisp, wide), word


def test_the_word_is_the_numbers() -> None:
    assert parse("price is cheap [pessimistic]") == parse("price is cheap [0.5, 0.5]")
    assert show(parse("price is cheap [indifferent]")) == "price is cheap [0.75, 0.25]"
    written = {"attribute": "price", "is": "cheap", "thresholds": "optimistic"}
    assert expression_of_json(written) == parse("price is cheap [optimistic]")


def test_an_unknown_word_is_told() -> None:
    with pytest.raises(ExpressionError, match="or one of optimistic, indifferent, pessimistic"):
        parse("price is cheap [hopeful]")


def test_only_vague_predicates_without_thresholds_take_an_attitude() -> None:
    where = parse("not (price is cheap or size is small [1, 0]) and year > 1999")
    sure = Attitude.PESSIMISTIC.thresholds
    told = "not (price is cheap [0.5, 0.5] or size is small [1, 0]) and year > 1999"
    assert show(with_attitude(where, sure)) == told
    assert show(with_attitude(where, sure, everywhere=True)).count("[0.5, 0.5]") == 3

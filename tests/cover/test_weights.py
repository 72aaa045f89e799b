"""Weights bound normal forms."""

from hypothesis import given

from rankcast.cover import normal_form, weight_of
from rankcast.language import parse
from rankcast.testing.strategies import CONCEPTS, expressions


def meaning(attribute, term):
    return CONCEPTS[attribute, term.concept]


@given(expressions(depth=3))
def test_a_normal_form_has_no_more_conjunctions_than_its_weight_says(where):
    found = normal_form(where, meaning).conjunctions
    assert found is None or len(found) <= 2 * weight_of(where, meaning).conjunctions


def test_lists_and_strings_weigh_by_their_size():
    assert weight_of(parse("x in (1, 2, 3) and y > 1")).constants == 4
    assert weight_of(parse(f"p = '{'a' * 80}'")).constants == 11
    assert weight_of(parse("not (x = 1 or y = 1)")).conjunctions == 1
    assert weight_of(parse("not (x = 1 and y = 1)")).conjunctions == 2
    assert weight_of(parse("a is low"), meaning).constants > 1


def test_weights_do_not_overflow():
    assert weight_of(parse(" and ".join(f"(a{n} = 1 or b{n} = 1)" for n in range(200)))).conjunctions == 10**9

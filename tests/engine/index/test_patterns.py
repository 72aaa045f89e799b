import pytest
from hypothesis import given
from hypothesis import strategies as st

from rankcast.engine.index.patterns import AttributePatterns
from rankcast.model import Op, is_operand, string_test

texts = st.text("abAé ", max_size=4)
OPERATORS = [op for op in Op if op.sides is None]


@given(st.sampled_from(OPERATORS), st.lists(texts, unique=True, max_size=6), st.text("abAé ", max_size=8))
def test_all_operands_that_fit_are_found(op, operands, value):
    operands = [operand for operand in operands if is_operand(op, operand)]
    assert AttributePatterns(op, operands).fitting(value) == [
        number for number, operand in enumerate(operands) if string_test(op, operand)(value)
    ]


@pytest.mark.parametrize("op", OPERATORS)
def test_no_operands_fit_nothing(op):
    assert AttributePatterns(op, []).fitting("x") == []

from hypothesis import given
from hypothesis import strategies as st

from rankcast.engine.index.patterns import OPERATORS, AttributePatterns
from rankcast.model import Op

texts = st.text("abé", max_size=4)
TESTS = {
    Op.CONTAINS: lambda value, text: text in value,
    Op.STARTSWITH: str.startswith,
    Op.ENDSWITH: str.endswith,
}


@given(st.sampled_from(OPERATORS), st.lists(texts, unique=True, max_size=6), st.text("abé", max_size=8))
def test_all_patterns_that_fit_are_found(op, patterns, value):
    assert AttributePatterns(op, patterns).fitting(value) == [
        number for number, text in enumerate(patterns) if TESTS[op](value, text)
    ]

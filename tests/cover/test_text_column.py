"""A column of what strings must be says what every pair says."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from rankcast.cover.cells import ANY_TEXT, StringRequirement
from rankcast.cover.strings import StringLine
from rankcast.cover.text_column import TextColumn, text_outline

words = st.text("ab\0", max_size=3)
lines = st.one_of(
    st.lists(words, min_size=1, max_size=3).map(StringLine.these),
    st.lists(words, max_size=2).map(lambda values: ~StringLine.these(values)),
    words.map(StringLine.starting),
    words.map(StringLine.containing),
    words.map(StringLine.ending),
    st.tuples(words, st.one_of(st.none(), words)).map(lambda ends: StringLine.interval(*ends)),
)
requirements = st.one_of(
    st.sampled_from([None, ANY_TEXT]), lines.filter(bool).map(lambda line: StringRequirement((line,)))
)


def is_within(a, b):
    return a is None or (b is not None and a.within(b))


@given(st.lists(requirements, min_size=1, max_size=12))
def test_each_pair_is_as_it_is_alone(listed):
    outlines = [text_outline(one) for one in listed]
    assert None not in outlines
    column = TextColumn()
    column.put(range(len(listed)), outlines)
    column.remove(0)
    column.put([0], outlines[:1])
    expected = np.array([[is_within(a, b) for b in listed] for a in listed])
    found = column.compare(np.arange(len(listed)))
    if found is None:
        assert expected.all()
        return
    assert (found[0] == found[1].T).all()
    assert not (found[0] & ~expected).any()
    for i, j in zip(*np.nonzero(expected & ~found[0]), strict=True):
        # Only an interval that lies within a pattern because of how characters are ordered may be missed.
        assert outlines[i].line, (listed[i], listed[j])
        assert outlines[j].literal, (listed[i], listed[j])


def test_what_asks_for_more_than_one_thing_has_no_outline():
    a, b = StringLine.containing("a"), StringLine.containing("b")
    assert text_outline(StringRequirement((a, b))) is None
    assert text_outline(StringRequirement((a,), b)) is None
    assert text_outline(StringRequirement((a | b,))) is None
    assert text_outline(StringRequirement((StringLine.these(["x"]) | a,))) is None

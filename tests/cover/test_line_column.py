"""A column of lines says what every pair of lines says."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from rankcast.cover.line import EMPTY, FULL, ValueLine
from rankcast.cover.line_column import LineColumn

cuts = st.lists(st.tuples(st.integers(0, 5), st.sampled_from([0, 1])), max_size=6, unique=True).map(sorted).map(tuple)
lines = st.one_of(
    st.builds(ValueLine, st.booleans(), cuts),
    st.lists(st.integers(0, 5), max_size=4).map(ValueLine.points),
    st.lists(st.integers(0, 5), max_size=3).map(lambda values: ~ValueLine.points(values)),
    st.sampled_from([EMPTY, FULL]),
)


@given(st.lists(lines, min_size=1, max_size=12), st.lists(lines, max_size=8), st.data())
def test_each_pair_is_as_it_is_alone(first, second, data):
    column = LineColumn()
    column.put(range(len(first)), first)
    kept = list(first)
    gone = data.draw(st.integers(0, len(first) - 1))
    column.remove(gone)
    if second:
        column.put([gone], second[:1])
        kept[gone] = second[0]
        column.put(range(len(first), len(first) + len(second) - 1), second[1:])
        kept += second[1:]
    else:
        column.put([gone], [EMPTY])
        kept[gone] = EMPTY
    found = column.compare(np.arange(len(kept)))
    expected = np.array([[a.within(b) for b in kept] for a in kept])
    if found is None:
        assert expected.all()
    else:
        assert (found[0] == expected).all()
        assert (found[1] == expected.T).all()

"""Pairs in the order of matches: each once, and where it was found."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rankcast.engine.index import sorting
from rankcast.engine.index.sorting import in_order


@pytest.mark.parametrize("bits", [63, 0], ids=["as one number", "as two"])
@given(pairs=st.lists(st.tuples(st.integers(0, 3), st.integers(0, 2**30 - 1) | st.integers(0, 3)), max_size=20))
def test_pairs_are_sorted_and_each_is_there_once(bits, pairs):
    event, place = (np.array([pair[i] for pair in pairs], np.int32) for i in (0, 1))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(sorting, "_BITS", bits)
        found = in_order(event, place)
    assert list(zip(*(column.tolist() for column in found), strict=True)) == [
        (*pair, pairs.index(pair)) for pair in sorted(set(pairs))
    ]

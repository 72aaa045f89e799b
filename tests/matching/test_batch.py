"""Matches of two parts, in one order."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from rankcast.matching.batch import Matches, merged


def matches(pairs):
    event, subscription = np.array(sorted(pairs), np.int64).reshape(-1, 2).T
    return Matches(event, subscription, event + subscription / 16)


@given(st.lists(st.tuples(st.integers(0, 4), st.integers(0, 9)), unique=True), st.data())
def test_both_parts_in_order(pairs, data):
    chosen = data.draw(st.lists(st.booleans(), min_size=len(pairs), max_size=len(pairs)))
    parts = [
        [pair for pair, is_first in zip(pairs, chosen, strict=True) if is_first is which] for which in (True, False)
    ]
    found = merged(*map(matches, parts))
    assert [column.tolist() for column in found] == [column.tolist() for column in matches(pairs)]

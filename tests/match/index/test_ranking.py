from collections import defaultdict

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from rankcast.match.index.ranking import best_by_user

USER = np.array([0, 1, 0, 2, 1], np.int32)
SCORES = np.array([0.5, 0.25, 0.75, 0.0, 1.0])


@given(st.lists(st.tuples(st.integers(0, 3), st.integers(0, 4)), unique=True))
def test_the_best_of_each_user_per_event(pairs):
    expected = defaultdict(list)
    for event, place in sorted(pairs, key=lambda pair: pair[0]):
        expected[event, int(USER[place])].append(float(SCORES[place]))
    event, item = (np.array([pair[i] for pair in pairs], np.int32) for i in (0, 1))
    found = best_by_user(4, event, item, USER, 3, SCORES)
    rows = zip(*(column.tolist() for column in found), strict=True)
    assert list(rows) == [(*key, max(scores), len(scores)) for key, scores in expected.items()]

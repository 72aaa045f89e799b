from collections import defaultdict

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from rankcast.engine.index import ranking as ranking_module
from rankcast.engine.index.ranking import MatchRanking

SCORED = np.array([(0.5, 0), (0.25, 1), (0.75, 0), (0.0, 2), (1.0, 1)])
PAIRS = st.lists(st.tuples(st.integers(0, 3), st.integers(0, 4)), unique=True)


def best(ranking, pairs, first, events):
    for column, values in zip(ranking.found, zip(*pairs, strict=True), strict=False):
        column[: len(pairs)] = values
    return ranking.best(len(pairs), first, events)


@given(st.lists(PAIRS, max_size=4))
def test_the_best_of_each_user_per_event(blocks):
    ranking = MatchRanking(SCORED, 3, room=20)
    for number, pairs in enumerate(blocks):
        expected = defaultdict(list)
        for event, turn in sorted(pairs, key=lambda pair: pair[0]):
            score, user = SCORED[turn].tolist()
            expected[4 * number + event, int(user)].append(score)
        rows = zip(*(column.tolist() for column in best(ranking, pairs, 4 * number, 4)), strict=True)
        assert list(rows) == [(*key, max(scores), len(scores)) for key, scores in expected.items()]


def test_rows_are_counted_from_the_beginning_when_they_are_too_many(monkeypatch):
    monkeypatch.setattr(ranking_module, "_MOST_ROWS", 5)
    ranking = MatchRanking(SCORED, 3, room=3)
    for _ in range(4):
        found = best(ranking, [(0, 0), (0, 2), (1, 4)], 0, 2)
        assert [column.tolist() for column in found] == [[0, 1], [0, 1], [0.75, 1.0], [2, 1]]


def test_there_is_more_room():
    ranking = MatchRanking(SCORED, 3, room=1)
    ranking.widen()
    assert [len(column) for column in ranking.found] == [2, 2]
    assert best(ranking, [(0, 0), (0, 1)], 0, 1).user.tolist() == [0, 1]

"""A compiled index that answers: candidates, the best, the best of each user."""

from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rankcast.engine.index import IndexMatcher, index
from rankcast.engine.index.kernels import BLOCK
from rankcast.language import parse
from rankcast.model import Event, LeftShoulder, Subscription

NOON = datetime(2026, 1, 1, 12, tzinfo=UTC)
CHANCE = st.lists(st.tuples(st.integers(0, 3), st.integers(0, 6), st.floats(0, 1)), min_size=1, max_size=30)


def event(a):
    return Event("e", NOON, {"a": (a,)})


def built(wishes):
    given = [
        Subscription(f"s{i}", f"u{user}", parse(f"a >= {low}"), score) for i, (user, low, score) in enumerate(wishes)
    ]
    return IndexMatcher(given).index


@given(CHANCE, st.lists(st.integers(-1, 7), max_size=4))
def test_the_best_of_each_user_is_that_of_the_candidates(wishes, values):
    made = built(wishes)
    codes = made.encoder.encode([event(value) for value in values])
    rows = {
        (at, made.compiled.users[user]): (score, count)
        for found in made.ranked(codes)
        for at, user, score, count in zip(*(column.tolist() for column in found), strict=True)
    }
    expected = {}
    for at, value in enumerate(values):
        for user, low, score in wishes:
            if value >= low:
                best, count = expected.get((at, f"u{user}"), (0.0, 0))
                expected[at, f"u{user}"] = max(best, score), count + 1
    assert rows == expected


def test_blocks_of_events_are_counted_on():
    made = built([(0, 3, 0.5)])
    codes = made.encoder.encode([event(place % 7) for place in range(2 * BLOCK + 5)])
    found = [place for block in made.ranked(codes) for place in block.event.tolist()]
    assert found == [place for place in range(2 * BLOCK + 5) if place % 7 >= 3]
    assert list(made.ranked(made.encoder.encode([]))) == []


@given(CHANCE, st.integers(1, 8))
def test_the_best_are_among_those_asked_for(wishes, n):
    made = built(wishes)
    places, unsure, is_all = made.best(made.encoder.encode([event(6)]), n)
    scores = sorted((score for _, _, score in wishes), reverse=True)
    assert sorted((wishes[place][2] for place in places.tolist()), reverse=True)[:n] == scores[:n]
    assert not unsure.any()
    assert is_all or len(places) >= n


def test_more_matches_than_room(monkeypatch):
    monkeypatch.setattr(index, "_FIRST_ROOM", 1)
    made = built([(i % 4, 0, 0.5) for i in range(50)])
    found = made.candidates(made.encoder.encode([event(1)] * 3))
    assert found.subscription.tolist() == list(range(50)) * 3
    assert found.unsure is None
    made = built([(i % 4, 0, 0.5) for i in range(50)])
    assert [block.matches.tolist() for block in made.ranked(made.encoder.encode([event(1)] * 3))] == [
        [13, 13, 12, 12] * 3
    ]


@pytest.mark.parametrize(("text", "is_unsure"), [("a is low", True), ("a = 1", False)])
def test_what_is_vague_is_unsure(text, is_unsure):
    made = IndexMatcher([Subscription("s", "u", parse(text))], lambda user: lambda *_: LeftShoulder(1, 5)).index
    found = made.candidates(made.encoder.encode([event(1)]))
    assert (found.unsure is not None) is is_unsure

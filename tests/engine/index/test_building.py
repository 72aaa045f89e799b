"""What a compiled index holds: turns in the order of the postings, groups, keys by statistics."""

from datetime import UTC, datetime

import numpy as np
import pytest

from rankcast.engine.index.building import build, plain_scores
from rankcast.engine.index.index import Index
from rankcast.engine.index.matcher import draft_of
from rankcast.engine.index.sampling import RecentEvents
from rankcast.language import parse
from rankcast.matching.outcomes import NO_CONCEPTS
from rankcast.model import Event, Subscription

NOON = datetime(2026, 1, 1, 12, tzinfo=UTC)


def built(*texts, sampler=None, scores=None):
    given = [
        Subscription(f"s{i}", f"u{i % 2}", parse(text), None if scores is None else scores[i])
        for i, text in enumerate(texts)
    ]
    return build(*draft_of(given, lambda user: NO_CONCEPTS), sampler)


def test_every_place_has_one_turn_and_turns_repeat_users_and_scores():
    compiled = built("a = 2", "a = 1", "b = 1", "a = 1", "not true", scores=[0.1, 0.2, 0.3, 0.4, None])
    assert sorted(compiled.place_at.tolist()) == [0, 1, 2, 3, 4]
    score, user = compiled.scored.T.tolist()
    assert user == compiled.user[compiled.place_at].tolist()
    assert score == plain_scores(compiled.scores)[compiled.place_at].tolist()
    assert score[compiled.place_at.tolist().index(4)] == 1.0


def test_identical_subscriptions_have_turns_in_a_row():
    compiled = built("a = 2", "a = 1", "b = 1", "a = 1", "a = 1 and true")
    ((first, last),) = compiled.group_ends.tolist()
    assert sorted(compiled.place_at[first:last].tolist()) == [1, 3]
    assert last - first == 2


def test_turns_follow_the_postings():
    texts = [f"a = {9 - number}" for number in range(10)]
    compiled = built(*texts)
    assert compiled.place_at.tolist() == list(range(9, -1, -1))


def test_the_best_come_first_in_a_list():
    compiled = built("a = 1", "a >= 0 and a = 1", "a = 1 and a <= 5", scores=[0.2, 0.9, 0.5])
    assert compiled.place_at.tolist() == [1, 2, 0]


def test_past_events_decide_under_what_is_filed():
    texts = [f"a = 1 and b = {i}" for i in range(3)]
    seen = RecentEvents()
    seen.add([Event(f"e{i}", NOON, {"a": (i,), "b": (i % 3,)}) for i in range(100)])
    by_wishes, by_events = built(*texts), built(*texts, sampler=seen.sampler())
    assert np.count_nonzero(np.diff(by_wishes.list_start)) == 3  # all ask for the same a, so b tells them apart
    assert np.count_nonzero(np.diff(by_events.list_start)) == 1  # but few events have that a
    for index in (Index(by_wishes), Index(by_events)):
        codes = index.encoder.encode([Event("e", NOON, {"a": (1,), "b": (2,)})])
        assert index.candidates(codes).subscription.tolist() == [2]


def test_progress_comes_to_its_end():
    seen = []
    build(*draft_of([Subscription("s", "u", parse("a = 1"))], lambda user: NO_CONCEPTS), progress=seen.append)
    assert seen == sorted(seen)
    assert seen[-1] == 1.0


@pytest.mark.parametrize("texts", [(), ("true",), ("not true",)])
def test_next_to_nothing(texts):
    index = Index(built(*texts))
    found = index.candidates(index.encoder.encode([Event("e", NOON, {"a": (1,)})]))
    assert found.subscription.tolist() == ([0] if texts == ("true",) else [])

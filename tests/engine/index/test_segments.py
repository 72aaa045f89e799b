"""A segment: what has been removed is not found, names come with matches, records are read when needed."""

from datetime import UTC, datetime

import numpy as np
import pytest

from rankcast.engine.index import SegmentMatches, Senses
from rankcast.engine.index.building import build
from rankcast.engine.index.matcher import draft_of
from rankcast.engine.index.segments import IndexSegment
from rankcast.errors import StoreError
from rankcast.language import parse
from rankcast.matching.outcomes import NO_CONCEPTS
from rankcast.model import Event, Interval, Subscription

NOON = datetime(2026, 1, 1, 12, tzinfo=UTC)
WISHES = [Subscription(f"s{i}", f"u{i % 2}", parse(f"a >= {i}"), i / 4) for i in range(4)]


def segment(keep_records=False, is_given=True):
    compiled = build(*draft_of(WISHES, lambda user: NO_CONCEPTS, keep_records))
    return IndexSegment(compiled, WISHES if is_given else None)


def event(a):
    return Event("e", NOON, {"a": a if isinstance(a, Interval) else (a,)})


def places(of, *events, users=None):
    found = of.match_batch(events, Senses(), users)
    return list(zip(found.event.tolist(), found.subscription.tolist(), strict=True))


def test_what_is_removed_is_not_found():
    one = segment()
    one.remove("s1")
    one.remove("s1")
    one.remove("nobody")
    assert one.count == 3
    assert one.place_of("s1") is None
    assert places(one, event(2), event(1)) == [(0, 0), (0, 2), (1, 0)]
    assert [each.id for each in one.subscriptions()] == ["s0", "s2", "s3"]
    assert one.top(event(3), 2, Senses()) == [("s3", 0.75), ("s2", 0.5)]


def test_only_some_users():
    assert places(segment(), event(3), users=["u1"]) == [(0, 1), (0, 3)]
    one = segment()
    one.remove("s3")
    assert places(one, event(Interval(2, 9)), users=["u1", "nobody"]) == [(0, 1)]


def test_records_are_read_when_they_are_needed():
    one = segment(keep_records=True, is_given=False)
    assert one.subscription(2) == WISHES[2]
    assert places(one, event(Interval(2, 3))) == [(0, 0), (0, 1), (0, 2), (0, 3)]
    bare = segment(is_given=False)
    assert places(bare, event(1)) == [(0, 0), (0, 1)]
    with pytest.raises(StoreError, match=r"'s\d': this index was built without its subscriptions"):
        places(bare, event(Interval(2, 3)))


def test_matches_have_names():
    one = segment()
    found = one.named(one.match_batch([event(1)], Senses()))
    assert (found.subscription, found.user) == (["s0", "s1"], ["u0", "u1"])


def test_numbers_in_place_of_places():
    one = segment()
    one.number = np.array([3, 5, 8, 9])
    assert one.match_numbers([event(1)], Senses()).subscription.tolist() == [3, 5]


def test_parts_are_joined_by_event_the_older_first():
    def part(event, names):
        return SegmentMatches(
            np.array(event), np.arange(len(event)), names, [f"of {name}" for name in names], np.ones(len(event))
        )

    both = SegmentMatches.joined([part([0, 2], ["a", "b"]), part([0, 1], ["c", "d"])])
    assert (both.event.tolist(), both.subscription) == ([0, 0, 1, 2], ["a", "c", "d", "b"])
    assert both.user == ["of a", "of c", "of d", "of b"]
    assert SegmentMatches.joined([]).subscription == []

from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest

from rankcast.store import DigestLog
from rankcast.store.push.digest_log import KeptSchedule, LeftOut, PipelineMoment

NOW = datetime(2026, 5, 4, 12, tzinfo=UTC)
DAY = timedelta(days=1)
MORNINGS = {"days": "daily", "at": "08:00", "zone": "UTC"}
START = KeptSchedule("ann", MORNINGS, NOW, 3, PipelineMoment(5, 0, 3), b"\0\xff")
COUNTS = {"published": 4, "reasons": {"below": 2}}
LEFT = [LeftOut("e7", 7, 0.5, "below", "rank 0.5"), LeftOut("e6", 6, None, "publisher", "ünïcode")]


@pytest.fixture
def log(store) -> DigestLog:
    return DigestLog(store.database)


def add(log, start=START, through=None):
    through = through or PipelineMoment(9, 0, 8)
    return log.add(start, through, 2, COUNTS, LEFT, b"state", start.next + DAY, NOW)


def test_a_schedule_is_kept_changed_and_removed(log):
    assert log.schedule("ann") is None
    log.put_schedule(START)
    assert log.schedule("ann") == START
    # Changing when it comes leaves what was gathered.
    log.put_schedule(
        replace(START, schedule={"days": "sunday"}, next=NOW + DAY, since=99, reached=PipelineMoment(99, 0, 99))
    )
    assert log.schedule("ann") == replace(START, schedule={"days": "sunday"}, next=NOW + DAY)
    assert log.count() == 1
    assert log.remove_schedule("ann")
    assert not log.remove_schedule("ann")


def test_a_schedule_begins_where_the_pipeline_is_or_not_at_all(log):
    assert not log.put_schedule(START, expected=PipelineMoment(5, 0, 3))
    assert log.schedule("ann") is None
    assert log.put_schedule(START, expected=PipelineMoment(0, 0, 0))
    assert log.put_schedule(
        replace(START, next=NOW + DAY), expected=PipelineMoment(5, 0, 3)
    )  # it is there; nothing begins
    assert log.schedule("ann").next == NOW + DAY


def test_what_is_due_the_longest_due_first(log):
    for user, late in (("ann", 1), ("bob", 3), ("cid", -1), ("dan", 3)):
        log.put_schedule(replace(START, user=user, next=NOW - late * DAY))
    assert [kept.user for kept in log.due(NOW)] == ["bob", "dan", "ann"]


def test_a_digest_is_kept_with_what_it_left_out_and_the_schedule_moves_on(log):
    log.put_schedule(START)
    assert add(log) == 1
    kept = log.digest(1)
    assert (kept.user, kept.schedule, kept.due, kept.made) == ("ann", MORNINGS, NOW, NOW)
    assert (kept.deliveries, kept.offsets, kept.delivered, kept.counts) == ((3, 8), (5, 9), 2, COUNTS)
    assert log.left_out(1, None, 0, 10) == list(enumerate(LEFT, 1))
    assert log.left_out(1, "publisher", 0, 10) == [(2, LEFT[1])]
    assert log.left_out(1, None, 1, 1) == [(2, LEFT[1])]
    assert log.schedule("ann") == replace(START, next=NOW + DAY, reached=PipelineMoment(9, 0, 8), state=b"state")


def test_what_was_made_meanwhile_by_another_is_not_made_again(log):
    log.put_schedule(START)
    assert add(log) == 1
    assert add(log) is None
    assert log.last() == 1
    log.remove_schedule("ann")
    assert add(log, replace(START, user="nobody")) is None


def test_digests_newest_first_by_page(log):
    log.put_schedule(START)
    log.put_schedule(replace(START, user="bob"))
    assert [
        add(log),
        add(log, replace(START, user="bob")),
        add(log, log.schedule("ann"), PipelineMoment(12, 0, 9)),
    ] == [1, 2, 3]
    assert [kept.number for kept in log.digests("ann", None, 10)] == [3, 1]
    assert [kept.number for kept in log.digests("ann", 3, 10)] == [1]
    assert [kept.number for kept in log.digests("ann", None, 1)] == [3]
    assert log.digest(9) is None


def test_the_cut_is_where_the_pipeline_is(log, store):
    assert log.cut() == PipelineMoment(0, 0, 0)
    assert log.cut_with_page(lambda marks: None) == (PipelineMoment(0, 0, 0), None)

"""A digest is made when it is due, once, of what was delivered since the last one."""

from dataclasses import replace

import msgspec
import pytest
from digest_samples import COMEDY, DRAMA, MORNINGS, comedy, drama

from rankcast.service.push.digests import Schedule
from rankcast.service.push.digests.making import make
from rankcast.store import DigestLog


def test_what_was_delivered_since_the_last_one(digests, put, publish, next_digest):
    put(DRAMA, COMEDY)
    publish(drama())
    digests.set_schedule("ann", MORNINGS)
    publish(comedy(), {"genre": "horror"}, drama())
    first = next_digest()
    assert [item.delivery.event for item in first.items] == ["e2", "e4"]
    assert [item.because for item in first.items] == [("genre is comedy",), ("genre is drama",)]
    assert first.summary() == "2 events for you, of 3 published."
    publish(drama())
    assert [item.delivery.event for item in next_digest().items] == ["e5"]
    empty = next_digest()
    assert empty.items == ()
    assert empty.summary() == "Nothing for you among 0 published."


def test_a_digest_that_was_not_made_in_time_is_made_later_and_holds_more(digests, put, publish, clock, next_digest):
    put(DRAMA)
    digests.set_schedule("ann", MORNINGS)
    publish(drama())
    clock.advance(days=3)
    publish(drama())
    (number,) = digests.round()
    assert digests.digest("ann", number).kept.delivered == 2
    assert digests.round() == []
    assert digests.schedule("ann").next == MORNINGS.after(clock.now)


def test_of_too_many_events_only_the_last_are_examined_and_this_is_said(digests, put, publish, store, clock):
    put(DRAMA, COMEDY, {"kind": "policy", "mode": "periodic", "k": 1, "length": 2})
    digests.set_schedule("ann", MORNINGS)
    publish(*[drama(), comedy()] * 10)
    make(store, digests.schedule("ann"), clock(), examined=6, listed=2)
    digest = digests.digest("ann", 1)
    counts = digest.kept.counts
    assert (counts["published"], counts["not_examined"], counts["delivered"]) == (20, 14, 10)
    assert (counts["left_out"], counts["listed"], counts["exact"]) == (3, 2, False)
    assert "Of the 14 oldest it is not known why they were left out." in digest.summary()
    publish(drama(), comedy())
    make(store, digests.schedule("ann"), clock())
    assert digests.digest("ann", 2).kept.counts["exact"]


@pytest.mark.parametrize("state", [b"\xc1", b"\x80", b"\x90", None])
def test_a_state_that_cannot_be_used_costs_exactness_for_a_while_and_no_digest(
    digests, put, publish, store, clock, next_digest, state
):
    put(DRAMA, COMEDY, {"kind": "policy", "mode": "periodic", "k": 1, "length": 3})
    publish(drama(), comedy())
    kept = digests.set_schedule("ann", MORNINGS)
    digests.remove_schedule("ann")
    foreign = msgspec.msgpack.encode({"waiting": [], "subscriber": {"mode": {"of": "another release"}, "score": {}}})
    DigestLog(store.database).put_schedule(replace(kept, state=foreign if state is None else state))
    publish(comedy())
    digest = next_digest()
    assert [item.delivery.event for item in digest.items] == ["e1"]
    assert not digest.kept.counts["exact"]
    publish(drama(), drama(), drama())
    assert next_digest().kept.counts["exact"]


def test_two_processes_make_one_digest(digests, put, publish, store, clock, monkeypatch):
    put(DRAMA)
    digests.set_schedule("ann", MORNINGS)
    publish(drama())
    start = digests.schedule("ann")
    assert make(store, start, clock()) == 1
    assert make(store, start, clock()) is None
    assert DigestLog(store.database).last() == 1


def test_a_removed_schedule_is_not_brought_back_by_a_digest_under_way(digests, put, publish, store, clock):
    put(DRAMA)
    digests.set_schedule("ann", MORNINGS)
    start = digests.schedule("ann")
    digests.remove_schedule("ann")
    assert make(store, start, clock()) is None
    assert digests.schedule("ann") is None


def test_changing_the_time_keeps_what_was_gathered(digests, put, publish, clock):
    put(DRAMA)
    digests.set_schedule("ann", MORNINGS)
    publish(drama())
    kept = digests.set_schedule("ann", Schedule.of_json({"days": "daily", "at": "20:00", "zone": "Europe/Berlin"}))
    assert kept.next.isoformat() == "2026-05-04T18:00:00+00:00"
    clock.now = kept.next
    (number,) = digests.round()
    assert digests.digest("ann", number).kept.delivered == 1


def test_what_is_delivered_while_a_schedule_is_made_is_before_it(digests, put, publish, store, monkeypatch):
    """So that webhooks do not send it on its own and in a digest too."""
    put(DRAMA)
    publish(drama())
    looking = DigestLog.cut_with_page
    looks = []

    def meanwhile(log, find):
        seen = looking(log, find)
        looks.append(seen)
        if len(looks) == 1:
            publish(drama())
        return seen

    monkeypatch.setattr(DigestLog, "cut_with_page", meanwhile)
    kept = digests.set_schedule("ann", MORNINGS)
    assert len(looks) == 2
    assert (kept.since, kept.reached.offset) == (2, 2)

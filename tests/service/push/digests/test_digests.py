"""The clockwork: what is held, what is due, several users."""

import threading
from datetime import time, timedelta

import pytest

from rankcast.errors import CatalogError
from rankcast.service.push.digests import Digests, QuietHours, Schedule
from rankcast.service.push.digests import digests as clockwork

MORNINGS = Schedule.of_json({"days": "daily", "at": "08:00", "zone": "UTC"})
LUNCH = QuietHours(time(12), time(13), "UTC")
ALL = {"kind": "subscription", "id": "s1", "where": "true"}
EVENT = {"genre": "drama"}


def test_what_is_held_in_quiet_hours(digests, put, publish, clock):
    put(ALL)
    clock.advance(minutes=-30)
    publish(EVENT)
    digests.set_quiet_hours("ann", LUNCH)
    assert digests.held("ann") is None
    clock.advance(minutes=31)
    digests.round()
    publish(EVENT, EVENT)
    held = digests.held("ann")
    assert (held.because, held.after, held.until.isoformat()) == ("quiet hours", 1, "2026-05-04T13:00:00+00:00")
    clock.advance(hours=1)
    assert digests.held("ann") is None


def test_what_is_held_is_the_same_after_a_restart(digests, served, put, publish, clock):
    put(ALL)
    digests.set_quiet_hours("ann", LUNCH)
    publish(EVENT)
    before = digests.held("ann")
    again = Digests(served)
    again.round()
    assert again.held("ann") == before
    assert before.after == 0


def test_quiet_hours_set_within_them_begin_at_once(digests, put, publish):
    put(ALL)
    publish(EVENT)
    digests.set_quiet_hours("ann", LUNCH)
    publish(EVENT)
    assert digests.held("ann").after == 1
    assert digests.remove_quiet_hours("ann")
    assert not digests.remove_quiet_hours("ann")
    assert digests.held("ann") is None


def test_until_the_next_digest_all_is_held(digests, put, publish, clock):
    put(ALL)
    publish(EVENT)
    digests.set_schedule("ann", MORNINGS)
    publish(EVENT)
    assert digests.held("ann").to_json() == {"because": "digest", "after": 1, "until": "2026-05-05T08:00:00Z"}
    clock.advance(days=1)
    digests.round()
    assert digests.held("ann").after == 2


def test_digests_of_several_users_at_several_times(digests, put, publish, clock):
    put(ALL, {**ALL, "id": "b1", "user": "bob"})
    digests.set_schedule("ann", MORNINGS)
    digests.set_schedule("bob", Schedule.of_json({"days": "daily", "at": "08:00", "zone": "America/New_York"}))
    publish(EVENT)
    clock.now = digests.schedule("ann").next
    assert digests.health()["overdue"] == 1
    digests.round()
    assert (len(digests.digests("ann")), len(digests.digests("bob"))) == (1, 0)
    clock.now = digests.schedule("bob").next
    digests.round()
    assert (len(digests.digests("ann")), len(digests.digests("bob"))) == (1, 1)
    with pytest.raises(CatalogError, match="'ann' has no digest 2"):
        digests.digest("ann", 2)
    with pytest.raises(CatalogError, match="'ann' has no digest 2"):
        digests.left_out("ann", 2)


def test_pages_of_digests_and_of_what_was_left_out(digests, put, publish, clock):
    put(ALL, {"kind": "policy", "mode": "periodic", "k": 1, "length": 5})
    digests.set_schedule("ann", MORNINGS)
    for _ in range(3):
        publish(*[EVENT] * 5)
        clock.advance(days=1)
        digests.round()
    newest = digests.digests("ann", limit=2)
    older = digests.digests("ann", before=newest[-1].number, limit=2)
    assert [digest.number for digest in newest + older] == [3, 2, 1]
    first = digests.left_out("ann", 3, limit=3)
    rest = digests.left_out("ann", 3, after=first[-1][0])
    assert [left.event for _, left in first + rest] == ["e14", "e13", "e12", "e11"]
    assert digests.left_out("ann", 3, reason="similar") == []
    assert len(digests.left_out("ann", 3, reason="below")) == 4


def test_what_goes_wrong_with_one_digest_does_not_keep_others_from_theirs(digests, put, publish, clock, monkeypatch):
    put(ALL, {**ALL, "id": "b1", "user": "bob"})
    digests.set_schedule("ann", MORNINGS)
    digests.set_schedule("bob", MORNINGS)
    publish(EVENT)
    clock.advance(days=1)
    making = clockwork.make

    def failing(store, schedule, now, **more):
        if schedule.user == "ann":
            raise RuntimeError("no luck")
        return making(store, schedule, now, **more)

    with monkeypatch.context() as patched:
        patched.setattr(clockwork, "make", failing)
        assert len(digests.round()) == 1
        assert digests.error == "no digest for 'ann': no luck"
        assert digests.health()["overdue"] == 1
        assert digests.health()["lag"] > 0
    assert len(digests.round()) == 1
    assert digests.error is None
    assert digests.health() == {"running": False, "error": None, "schedules": 2, "overdue": 0, "lag": 0.0}


def test_a_thread_makes_what_is_due(digests, put, publish, clock):
    put(ALL)
    digests.set_schedule("ann", MORNINGS)
    publish(EVENT)
    clock.advance(days=1)
    digests.start()
    digests.start()
    waiting = threading.Event()
    for _ in range(500):
        if digests.made:
            break
        waiting.wait(0.01)
    assert digests.health()["running"]
    digests.stop()
    digests.stop()
    assert [digest.delivered for digest in digests.digests("ann")] == [1]


def test_old_digests_are_forgotten_by_and_by(served, put, publish, clock):
    digests = Digests(served, kept=timedelta(days=30))
    put(ALL)
    digests.set_schedule("ann", MORNINGS)
    for day in (1, 20, 19):
        publish(EVENT)
        clock.advance(days=day)
        digests.round()
    assert [one.number for one in digests.digests("ann")] == [3, 2]

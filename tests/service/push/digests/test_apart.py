"""Whatever a user's policy costs, the replay for the user's digests stops nobody: it runs apart, and has a time limit."""

from datetime import timedelta

import pytest
from digest_samples import MORNINGS

from rankcast.pipeline.local import serve_pending
from rankcast.service.problems import Problem
from rankcast.service.push.digests import Digests
from rankcast.service.push.digests import digests as module
from rankcast.service.trial_pool import TrialPool

ALL = {"kind": "subscription", "id": "s1", "where": "x >= 0"}


class Pool:
    """Runs here, and counts how often; or says that it took too long."""

    def __init__(self):
        self.asked = []
        self.is_over = False

    def run(self, user, function, *arguments):
        self.asked.append((user, function.__name__))
        if self.is_over:
            raise Problem(504, "trial-time", "the trial was ended after 10 s")
        return function(*arguments)


@pytest.fixture
def pool(monkeypatch):
    monkeypatch.setattr(module, "_FEW", 2)
    return Pool()


@pytest.fixture
def apart(served, pool):
    """Digests whose replays run in the pool."""
    return Digests(served, timedelta(days=90), pool, served.store.database.place)


def told(digest):
    """What a digest counts, without the names of subscriptions."""
    return {name: count for name, count in digest.kept.counts.items() if name != "labels"}


def events(count):
    return [{"x": number} for number in range(count)]


def test_a_long_replay_runs_apart_with_the_same_result(apart, pool, digests, put, publish, clock, store):
    put(ALL, {**ALL, "id": "b1", "user": "bob"})
    apart.set_schedule("ann", MORNINGS)
    digests.set_schedule("bob", MORNINGS)
    publish(*events(2))
    few = apart.make("ann")
    assert pool.asked == []
    assert told(few) == told(digests.make("bob"))
    publish(*events(5))
    many = apart.make("ann")
    assert pool.asked == [("ann", "_retrace_apart")]
    assert many.kept.counts["matched"] == 5
    assert told(many) == told(digests.make("bob"))


def test_in_a_process_too(served, pool, put, publish, store):
    trials = TrialPool()
    made = Digests(served, timedelta(days=90), trials, store.database.place)
    try:
        put(ALL)
        made.set_schedule("ann", MORNINGS)
        publish(*events(5))
        found = made.make("ann").kept.counts
    finally:
        trials.stop()
    assert (found["matched"], found["delivered"], found["exact"]) == (5, 5, True)


def test_the_state_of_a_new_schedule_is_found_apart(apart, pool, put, publish, store, monkeypatch):
    put(ALL)
    publish(*events(1))
    monkeypatch.setattr(module, "_FEW", -1)
    apart.set_schedule("ann", MORNINGS)
    assert pool.asked == [("ann", "_state_apart")]


def test_a_replay_that_takes_too_long_three_times_is_left_out(apart, pool, put, publish, clock):
    put(ALL)
    apart.set_schedule("ann", MORNINGS)
    publish(*events(5))
    clock.now = MORNINGS.after(clock.now)
    pool.is_over = True
    for _ in range(3):
        assert apart.round() == []
        assert "the trial was ended" in apart.error
    (number,) = apart.round()
    found = apart.digest("ann", number).kept
    assert len(pool.asked) == 3
    assert (found.counts["not_examined"], found.counts["delivered"], found.counts["exact"]) == (5, 5, False)
    publish(*events(5))
    pool.is_over = False
    assert apart.make("ann").kept.counts["matched"] == 5


def test_a_pipeline_that_never_rests_does_not_keep_a_schedule_from_being_set(apart, put, publish, store, monkeypatch):
    put(ALL)
    publish(*events(1))
    tried = []

    def busy(store_, user, through, page, advances):
        tried.append(through.offset)
        publish({"x": 1})
        return state(store_, user, through, page, advances)

    state = module.state_of
    monkeypatch.setattr(module, "state_of", busy)
    monkeypatch.setattr(module, "_FEW", 10_000)
    kept = apart.set_schedule("ann", MORNINGS)
    assert len(tried) == 3
    assert kept.reached.offset == store.last_offset()
    assert list(serve_pending(store)) == []

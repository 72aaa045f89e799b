from datetime import timedelta

import pytest

from rankcast.choose.candidates import Moment, Step
from rankcast.choose.filters import Filtered, Verdict
from rankcast.model import EPOCH


class Recorder:
    """A mode that sends what it sees, and remembers it."""

    def __init__(self):
        self.seen = []

    def publish(self, moment, candidate):
        self.seen.append((moment.seq, candidate and candidate.event.id))
        return [Step(moment.seq, moment.time, (candidate,), (candidate,), (candidate,))] if candidate else []

    def close(self):
        return ["what the mode owed"]

    def state(self):
        return {"seen": list(self.seen)}

    def restore(self, state):
        self.seen = list(state["seen"])


class Even:
    """A filter that passes events at even positions."""

    def __init__(self):
        self.judged = 0
        self.kept = None

    def admit(self, candidate):
        self.judged += 1
        return Verdict(candidate.seq % 2 == 0, f"position {candidate.seq}")

    def keep(self, ids):
        self.kept = ids

    def state(self):
        return {"judged": self.judged}

    def restore(self, state):
        self.judged = state["judged"]


def moment(seq):
    return Moment(seq, EPOCH + timedelta(seconds=seq))


@pytest.fixture
def parts():
    event_filter, mode = Even(), Recorder()
    return event_filter, mode, Filtered(event_filter, mode)


def test_mode_sees_only_what_passes_but_every_moment(parts, candidate):
    event_filter, mode, filtered = parts
    for seq in (1, 2, 4):
        filtered.publish(moment(seq), candidate(seq, "a"))
    filtered.publish(moment(6), None)
    assert mode.seen == [(1, None), (2, "e2"), (4, "e4"), (6, None)]
    assert event_filter.judged == 3, "an event that does not match is not the filter's matter"


def test_stopped_candidate_leaves_a_step_that_says_why(parts, candidate):
    one = candidate(1, "a")
    steps = parts[2].publish(moment(1), one)
    assert steps == [Step(1, moment(1).time, candidates=(one,), chosen=(), sent=(), note="position 1")]


def test_passing_candidate_leaves_a_step_before_those_of_the_mode(parts, candidate):
    two = candidate(2, "a")
    reason, sending = parts[2].publish(moment(2), two)
    assert reason == Step(2, moment(2).time, candidates=(two,), chosen=(two,), sent=(), note="position 2")
    assert sending.sent == (two,)
    assert sending.note == ""


def test_close_is_the_modes(parts):
    assert parts[2].close() == ["what the mode owed"]


def test_keep_reaches_the_filter(parts):
    parts[2].keep({"a"})
    assert parts[0].kept == {"a"}


def test_state_is_that_of_both(parts, candidate):
    _, _, filtered = parts
    filtered.publish(moment(1), candidate(1, "a"))
    event_filter, mode = Even(), Recorder()
    Filtered(event_filter, mode).restore(filtered.state())
    assert event_filter.judged == 1
    assert mode.seen == [(1, None)]


def test_filters_nest(candidate):
    mode = Recorder()
    nested = Filtered(Even(), Filtered(Even(), mode))
    notes = [step.note for step in nested.publish(moment(2), candidate(2, "a"))]
    assert notes == ["position 2", "position 2", ""]
    assert mode.seen == [(2, "e2")]

"""What the tests of choosing share: candidates in one line, and running a stream through a delivery mode."""

from datetime import timedelta

import pytest

from rankcast.choose import Candidate, Moment
from rankcast.model import EPOCH, Event


def _candidate(seq, rank=1.0, *, minute=None, **attributes):
    values = {name: value if isinstance(value, tuple) else (value,) for name, value in attributes.items()}
    time = EPOCH + timedelta(minutes=seq if minute is None else minute)
    return Candidate(Event(f"e{seq}", time, values, seq=seq), rank, ("s",), ("s",))


def _publish(mode, candidates, *, close=True):
    steps = [
        step
        for candidate in candidates
        for step in mode.publish(Moment(candidate.seq, candidate.event.time), candidate)
    ]
    return steps + mode.close() if close else steps


def _sent(steps):
    return " | ".join(" ".join(each.event.id for each in step.sent) or "-" for step in steps)


@pytest.fixture(scope="session")
def candidate():
    """`candidate(3, 0.8, genre="drama")`: event e3, published 3 minutes after the epoch, with rank 0.8."""
    return _candidate


@pytest.fixture(scope="session")
def publish():
    """The steps of a mode fed with candidates, the end of the stream included."""
    return _publish


@pytest.fixture(scope="session")
def sent():
    """What steps sent, as semantics: Delivery modes writes it: `e1 | e2 | - | e4`."""
    return _sent


@pytest.fixture(scope="session")
def genres():
    """The first example of semantics: Delivery modes: e1..e8 for a user who likes comedy .9, romance .9, drama .8."""
    ranks = {"comedy": 0.9, "romance": 0.9, "drama": 0.8}
    stream = ["comedy", "romance", "drama", "comedy", "comedy", "comedy", "comedy", "romance"]
    return [_candidate(seq, ranks[genre], genre=genre) for seq, genre in enumerate(stream, 1)]


@pytest.fixture(scope="session")
def directors():
    """The second example of semantics: Delivery modes."""
    return [
        _candidate(1, 0.9, genre="comedy", director="Allen"),
        _candidate(2, 0.9, genre="thriller", director="Burton"),
        _candidate(3, 0.8, genre="thriller", director="Hitchcock"),
        _candidate(4, 0.85, genre="drama", director="Spielberg"),
        _candidate(5, 0.9, genre="drama", director="Tarantino"),
    ]

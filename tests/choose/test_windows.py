"""semantics: Delivery modes: a window over the last events, the last matching events, or the last stretch of time."""

from datetime import timedelta

import pytest

from rankcast.choose import Moment
from rankcast.choose.positions import Window
from rankcast.model import EPOCH, Length, Unit


def seqs(candidates):
    return [candidate.seq for candidate in candidates]


def moment_of(candidate):
    return Moment(candidate.seq, candidate.event.time)


@pytest.mark.parametrize(
    ("length", "expected"),
    [
        (Length(3), [3, 4, 5]),
        (Length(3, Unit.MATCHED), [3, 4, 5]),
        (Length(timedelta(minutes=3), Unit.TIME), [3, 4, 5]),
        (Length(100), [1, 2, 3, 4, 5]),
        (Length(1), [5]),
    ],
)
def test_it_holds_the_last_ones(candidate, length, expected):
    window = Window(length)
    for each in [candidate(seq) for seq in range(1, 6)]:
        window.advance(moment_of(each), True)
        window.add(each)
    assert seqs(window.candidates) == expected


@pytest.mark.parametrize(
    ("length", "left"),
    [(Length(3), [1]), (Length(3, Unit.MATCHED), []), (Length(timedelta(minutes=3), Unit.TIME), [1])],
)
def test_an_event_that_does_not_match_moves_it_unless_matches_are_counted(candidate, length, left):
    window = Window(length)
    for each in (candidate(1), candidate(2)):
        window.advance(moment_of(each), True)
        window.add(each)
    assert window.advance(moment_of(candidate(3)), False) == []
    assert seqs(window.advance(moment_of(candidate(4)), False)) == left


def test_time_is_open_at_its_beginning_to_the_microsecond(candidate):
    window = Window(Length(timedelta(minutes=1), Unit.TIME))
    window.advance(moment_of(candidate(1, minute=0)), True)
    window.add(candidate(1, minute=0))
    almost = EPOCH + timedelta(minutes=1) - timedelta(microseconds=1)
    assert window.advance(Moment(2, almost), False) == []
    assert seqs(window.advance(Moment(3, EPOCH + timedelta(minutes=1)), False)) == [1]


def test_skipped_positions_expire_all_at_once(candidate):
    window = Window(Length(3))
    for each in (candidate(10), candidate(11), candidate(12)):
        window.advance(moment_of(each), True)
        window.add(each)
    assert seqs(window.advance(moment_of(candidate(14)), False)) == [10, 11]


def test_remove_takes_one_out(candidate):
    window = Window(Length(3))
    for each in (candidate(1), candidate(2)):
        window.advance(moment_of(each), True)
        window.add(each)
    window.remove(candidate(1))
    assert seqs(window.candidates) == [2]

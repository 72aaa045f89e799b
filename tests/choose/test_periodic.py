"""semantics: Delivery modes: periodic delivery."""

from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rankcast.choose import DivRank, Moment, Periodic, select
from rankcast.model import EPOCH, Length, Unit

HALF_HOUR = Length(timedelta(minutes=30), Unit.TIME)


def minute(n):
    return EPOCH + timedelta(minutes=n)


@pytest.mark.parametrize("unit", [Unit.EVENTS, Unit.MATCHED])
@pytest.mark.parametrize("sigma", [0.5, 1])
def test_the_example_of_spec_4(genres, publish, sent, unit, sigma):
    steps = publish(Periodic(2, Length(4, unit), DivRank(sigma)), genres)
    assert sent(steps) == "e2 e4 | e7 e8"
    assert [step.window for step in steps] == [1, 2]
    assert [step.forwarded for step in steps] == [minute(4), minute(8)]
    assert steps[0].candidates == tuple(genres[:4])


def test_figure_6_in_half_hours(candidate, publish, sent):
    ranks = {"comedy": 0.9, "romance": 0.9, "drama": 0.8}
    stream = ["comedy", "romance", "drama", "comedy", "comedy", "comedy", "comedy", "romance"]
    begin = 20 * 60
    events = [
        candidate(seq, ranks[genre], minute=begin + (seq - 1) * 7.5, genre=genre) for seq, genre in enumerate(stream, 1)
    ]
    steps = publish(Periodic(2, HALF_HOUR, DivRank(0.5)), events)
    assert sent(steps) == "e2 e4 | e7 e8"
    assert [step.window for step in steps] == [41, 42]
    assert [step.forwarded for step in steps] == [minute(begin + 30), minute(begin + 60)]


def test_a_period_of_events_ends_with_its_last_event_matching_or_not(candidate):
    mode = Periodic(2, Length(3), DivRank(1))
    assert mode.publish(Moment(1, minute(1)), candidate(1)) == []
    assert mode.publish(Moment(2, minute(2)), None) == []
    (step,) = mode.publish(Moment(3, minute(3)), None)
    assert (step.window, step.forwarded, step.sent) == (1, minute(3), (candidate(1),))


def test_a_period_of_matches_ends_with_the_last_match(candidate):
    mode = Periodic(1, Length(2, Unit.MATCHED), DivRank(1))
    assert mode.publish(Moment(1, minute(1)), None) == []
    assert mode.publish(Moment(2, minute(2)), candidate(2)) == []
    assert mode.publish(Moment(3, minute(3)), None) == []
    (step,) = mode.publish(Moment(4, minute(4)), candidate(4))
    assert (step.window, step.forwarded, step.sent) == (1, minute(4), (candidate(4),))
    assert mode.publish(Moment(5, minute(5)), None) == []
    assert mode.close() == []


def test_a_period_of_time_ends_when_a_later_event_comes_matching_or_not(candidate):
    mode = Periodic(1, HALF_HOUR, DivRank(1))
    assert mode.publish(Moment(1, minute(0)), candidate(1, minute=0)) == []
    last = minute(30) - timedelta(microseconds=1)
    assert mode.publish(Moment(2, last), None) == []
    (step,) = mode.publish(Moment(3, minute(30)), None)
    assert (step.window, step.forwarded) == (1, minute(30))
    assert mode.close() == []


def test_an_event_at_the_border_belongs_to_the_period_that_begins(candidate, publish):
    steps = publish(Periodic(9, HALF_HOUR, DivRank(1)), [candidate(1, minute=29), candidate(2, minute=30)])
    assert [(step.window, len(step.sent)) for step in steps] == [(1, 1), (2, 1)]


def test_periods_of_time_begin_at_the_origin(candidate, publish):
    origin = minute(10)
    events = [candidate(1, minute=9), candidate(2, minute=10), candidate(3, minute=45)]
    steps = publish(Periodic(9, HALF_HOUR, DivRank(1), origin=origin), events)
    assert [step.window for step in steps] == [0, 1, 2]
    assert [step.forwarded for step in steps] == [minute(10), minute(40), minute(70)]


def test_the_origin_means_nothing_to_periods_of_events(genres, publish, sent):
    steps = publish(Periodic(2, Length(4), DivRank(0.5), origin=datetime(2020, 1, 1, tzinfo=UTC)), genres)
    assert sent(steps) == "e2 e4 | e7 e8"


@pytest.mark.parametrize(
    ("length", "forwarded"),
    [(Length(10), minute(5)), (Length(10, Unit.MATCHED), minute(5)), (HALF_HOUR, minute(30))],
)
def test_the_end_of_the_stream_closes_the_unfinished_period(candidate, length, forwarded):
    mode = Periodic(1, length, DivRank(1))
    mode.publish(Moment(3, minute(3)), candidate(3))
    mode.publish(Moment(5, minute(5)), None)
    (step,) = mode.close()
    assert (step.window, step.forwarded, step.sent) == (1, forwarded, (candidate(3),))
    assert mode.close() == []


@pytest.mark.parametrize("length", [Length(4), Length(4, Unit.MATCHED), HALF_HOUR])
def test_a_period_without_candidates_makes_no_step(length):
    mode = Periodic(1, length, DivRank(1))
    assert [mode.publish(Moment(seq, minute(10 * seq)), None) for seq in range(1, 20)] == [[]] * 19
    assert mode.close() == []


def test_a_stream_may_begin_anywhere_and_skip_periods(candidate, publish):
    events = [candidate(seq) for seq in (6, 7, 9, 30, 41)]
    steps = publish(Periodic(9, Length(4), DivRank(1)), events)
    assert [(step.window, [each.seq for each in step.sent]) for step in steps] == [
        (2, [6, 7]),
        (3, [9]),
        (8, [30]),
        (11, [41]),
    ]
    assert [step.forwarded for step in steps] == [minute(7), minute(9), minute(30), minute(41)]


def test_one_event_can_end_two_periods(candidate):
    mode = Periodic(9, Length(4), DivRank(1))
    mode.publish(Moment(1, minute(1)), candidate(1))
    steps = mode.publish(Moment(8, minute(8)), candidate(8))
    assert [(step.window, step.sent) for step in steps] == [(1, (candidate(1),)), (2, (candidate(8),))]


def test_an_event_dated_before_the_present_period_counts_in_it(candidate, publish):
    steps = publish(Periodic(9, HALF_HOUR, DivRank(1)), [candidate(1, minute=31), candidate(2, minute=29)])
    assert [(step.window, len(step.sent)) for step in steps] == [(2, 2)]


def test_an_end_beyond_all_times_is_the_last_instant(candidate, publish):
    last = (datetime.max.replace(tzinfo=UTC) - EPOCH) // timedelta(minutes=1)
    longest = Length(timedelta(days=3660), Unit.TIME)
    (step,) = publish(Periodic(1, longest, DivRank(1)), [candidate(1, minute=last)])
    assert step.forwarded == datetime.max.replace(tzinfo=UTC)


def test_distances_of_a_closed_period_are_forgotten(candidate, publish):
    objective = DivRank(0.5)
    publish(Periodic(2, Length(5), objective), [candidate(seq, x=str(seq)) for seq in range(1, 13)])
    assert len(objective.distance) == 0


@given(
    st.lists(st.none() | st.tuples(st.sampled_from([0.2, 0.5, 0.9]), st.sampled_from("abc")), max_size=30),
    st.integers(1, 4),
    st.integers(1, 6),
    st.sampled_from(Unit),
    st.sampled_from([0, 0.5, 1]),
)
def test_each_period_sends_the_selection_of_its_matches(candidate, stream, k, length, unit, sigma):
    amount = timedelta(minutes=length) if unit is Unit.TIME else length
    mode = Periodic(k, Length(amount, unit), DivRank(sigma))
    steps, periods, matched = [], {}, 0
    for seq, movie in enumerate(stream, 1):
        here = candidate(seq, movie[0], genre=movie[1]) if movie else None
        steps += mode.publish(Moment(seq, minute(seq)), here)
        if here:
            matched += 1
            place = {Unit.EVENTS: seq - 1, Unit.MATCHED: matched - 1, Unit.TIME: seq}[unit]
            periods.setdefault(place // length + 1, []).append(here)
    steps += mode.close()
    assert [(step.window, step.sent) for step in steps] == [
        (number, select(inside, k, DivRank(sigma)).chosen) for number, inside in periods.items()
    ]
    assert all(step.sent == step.chosen and len(step.sent) <= k for step in steps)

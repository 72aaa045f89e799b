"""Recency counts at the moment of choosing (semantics: Novelty)."""

from datetime import timedelta

import pytest

from rankcast.choose import Candidate, Moment, delivery_mode
from rankcast.choose.fading import Fading, fading_of
from rankcast.model import EPOCH, Event, Length, Mode, Policy, ScorePart, Unit

HOUR = timedelta(hours=1)


def candidate(hour, rank):
    return Candidate(Event(f"e{hour}", EPOCH + hour * HOUR, {}, seq=hour), rank)


def test_a_rank_loses_what_its_recency_loses():
    old, new = Fading(0.4, HOUR).as_of([candidate(1, 0.9), candidate(2, 0.8)], EPOCH + 2 * HOUR)
    assert (old.rank, new.rank) == (0.7, 0.8)


def test_without_a_share_nothing_changes():
    candidates = [candidate(1, 0.9)]
    assert Fading().as_of(candidates, EPOCH + 9 * HOUR) == tuple(candidates)


def test_the_share_is_that_of_recency_among_all_weights():
    policy = Policy("u", score={ScorePart.PREFERENCE: 3, ScorePart.RECENCY: 1}, half_life=HOUR)
    assert fading_of(policy) == Fading(0.25, HOUR)
    assert not fading_of(Policy("u")).share


def sent(mode, k, length, ranks, half_life=HOUR):
    policy = Policy("u", mode, k, length, score={ScorePart.PREFERENCE: 1, ScorePart.RECENCY: 1}, half_life=half_life)
    made = delivery_mode(policy)
    steps = []
    for hour, rank in enumerate(ranks, 1):
        steps += made.publish(Moment(hour, EPOCH + hour * HOUR), candidate(hour, rank))
    return [each for step in [*steps, *made.close()] for each in step.sent]


def test_periodic_chooses_by_age_at_the_end_of_the_period():
    chosen = sent(Mode.PERIODIC, 1, Length(3), [0.9, 0.8, 0.7])
    assert [(each.event.id, each.rank) for each in chosen] == [("e3", 0.7)], "at hour 3 they are 0.525, 0.55, 0.7"
    assert [each.event.id for each in sent(Mode.PERIODIC, 1, Length(3), [0.9, 0.8, 0.7], 99 * HOUR)] == ["e1"]


def test_a_period_of_time_ends_after_its_last_event():
    (chosen,) = sent(Mode.PERIODIC, 1, Length(4 * HOUR, Unit.TIME), [0.9, 0.9])
    assert (chosen.event.id, chosen.rank) == ("e2", 0.525), "two hours old at hour 4"


@pytest.mark.parametrize("mode", [Mode.SLIDING, Mode.HISTORY])
def test_in_a_window_an_old_event_gives_way_to_a_lower_new_one(mode):
    assert [each.event.id for each in sent(mode, 1, Length(10), [0.9, 0.6, 0.8])] == ["e1", "e3"], (
        "e1 is 0.65 at hour 2"
    )
    assert [each.event.id for each in sent(mode, 1, Length(10), [0.9, 0.6, 0.8], 999 * HOUR)] == ["e1"]

from datetime import timedelta
from typing import NamedTuple

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rankcast.errors import ModelError
from rankcast.model import EPOCH, Decaying, Event, ScorePart, Scoring
from rankcast.rank.decaying import DecayingNovelty
from rankcast.rank.novelty import NoveltyState
from rankcast.rank.score import CombinedScore, combine, recency

HOUR = timedelta(hours=1)


class Seen(NamedTuple):
    rank: float = 0.5
    matching: tuple[str, ...] = ("s",)
    specific: tuple[str, ...] = ("s",)
    degree: float = 1.0
    event: Event = Event("e", EPOCH, {}, source="imdb")


def test_weighted_mean_of_all_parts_names_each_contribution():
    score = CombinedScore(
        {
            ScorePart.PREFERENCE: 4,
            ScorePart.NOVELTY: 3,
            ScorePart.DEGREE: 1,
            ScorePart.AUTHORITY: 1,
            ScorePart.RECENCY: 1,
        },
        authority={"imdb": 0.8},
        half_life=HOUR,
    )
    score.score(Seen(), EPOCH)
    score.delivered(Seen())
    score.score(Seen(), EPOCH)
    explained = score.score(Seen(rank=0.9, degree=0.6), EPOCH + HOUR)
    assert [(part.part, part.value, part.weight) for part in explained.parts] == [
        (ScorePart.PREFERENCE, 0.9, 0.4),
        (ScorePart.NOVELTY, 0.5, 0.3),
        (ScorePart.DEGREE, 0.6, 0.1),
        (ScorePart.AUTHORITY, 0.8, 0.1),
        (ScorePart.RECENCY, 0.5, 0.1),
    ]
    assert [round(part.amount, 12) for part in explained.parts] == [0.36, 0.15, 0.06, 0.08, 0.05]
    assert explained.score == 0.7
    assert explained.label() == (
        "0.7 = 0.4 * preference 0.9 + 0.3 * novelty 0.5 + 0.1 * degree 0.6 + 0.1 * authority 0.8 + 0.1 * recency 0.5"
    )


def test_preference_alone_is_the_rank():
    assert CombinedScore({ScorePart.PREFERENCE: 1.0}).score(Seen(rank=0.123), EPOCH).score == 0.123


def test_part_without_weight_is_left_out():
    explained = combine(
        {ScorePart.PREFERENCE: 0.3, ScorePart.DEGREE: 1}, {ScorePart.PREFERENCE: 2, ScorePart.DEGREE: 0}
    )
    assert [part.part for part in explained.parts] == [ScorePart.PREFERENCE]
    assert explained.score == 0.3


def test_value_outside_its_range_is_refused():
    with pytest.raises(ModelError, match=r"the preference of an event is 1.5; it must lie in 0\.\.1"):
        combine({ScorePart.PREFERENCE: 1.5}, {ScorePart.PREFERENCE: 1})


@given(st.dictionaries(st.sampled_from(ScorePart), st.floats(0, 100), min_size=1), st.data())
def test_score_lies_between_the_lowest_and_the_highest_part(weights, data):
    if not sum(weights.values()) > 1e-3:
        return
    values = {part: data.draw(st.floats(0, 1)) for part in ScorePart}
    explained = combine(values, weights)
    weighed = [part.value for part in explained.parts]
    assert min(weighed) - 1e-11 <= explained.score <= max(weighed) + 1e-11
    assert sum(part.weight for part in explained.parts) == pytest.approx(1)


def test_recency_halves_with_every_half_life_and_never_exceeds_one():
    assert [recency(age, HOUR) for age in (0 * HOUR, HOUR, 3 * HOUR, -HOUR)] == [1, 0.5, 0.125, 1]
    assert recency(timedelta(days=100_000), HOUR) == 0


def test_authority_is_one_for_a_source_without_a_weight():
    score = CombinedScore({ScorePart.AUTHORITY: 1}, authority={"imdb": 0.2})
    named, other, none = (Seen(event=Event("e", EPOCH, {}, source=source)) for source in ("imdb", "other", None))
    assert [score.score(candidate, EPOCH).score for candidate in (named, other, none)] == [0.2, 1, 1]


def test_interval_novelty_is_taken_as_a_share_of_t():
    score = CombinedScore({ScorePart.NOVELTY: 1}, NoveltyState(Scoring.INTERVAL))
    score.score(Seen(), EPOCH)
    score.delivered(Seen())
    score.score(Seen(), EPOCH)
    score.score(Seen(), EPOCH)
    assert score.score(Seen(), EPOCH).score == 0.75  # t = 4, last = 1


def test_decaying_novelty_serves_as_well():
    score = CombinedScore({ScorePart.NOVELTY: 1}, DecayingNovelty(Decaying(beta=2, alpha=0.5)))
    assert [score.score(Seen(), EPOCH).score for _ in range(3)] == [1, 0.75, 0.5]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"authority": {"imdb": 1.5}}, r"the authority of 'imdb' is 1.5; it must lie in 0\.\.1"),
        ({"half_life": timedelta(0)}, "it must be above 0"),
    ],
)
def test_refuses_settings_that_cannot_be(arguments, message):
    with pytest.raises(ModelError, match=message):
        CombinedScore({ScorePart.PREFERENCE: 1}, **arguments)


def test_goes_on_from_its_state_and_forgets_subscriptions():
    weights = {ScorePart.PREFERENCE: 1, ScorePart.NOVELTY: 1}
    before, after = CombinedScore(weights), CombinedScore(weights)
    before.score(Seen(), EPOCH)
    before.delivered(Seen())
    after.restore(msgspec.msgpack.decode(msgspec.msgpack.encode(before.state())))
    assert after.score(Seen(), EPOCH).score == before.score(Seen(), EPOCH).score == 0.25
    after.keep(set())
    assert after.score(Seen(), EPOCH).score == 0.75


def test_without_novelty_there_is_nothing_to_keep():
    score = CombinedScore({ScorePart.PREFERENCE: 1}, NoveltyState())
    score.delivered(Seen())
    score.keep(set())
    assert score.state() == {}
    score.restore({})

from datetime import timedelta

import pytest

from rankcast.errors import RankcastError
from rankcast.language import decode_record, encode_record
from rankcast.model import Decay, Decaying, Filter, FilterKind, Length, NoveltyPart, Scoring, Unit


def policy(**fields):
    return decode_record({"kind": "policy", "user": "u", **fields})


def test_a_filter_by_score_and_one_from_a_minimum_on():
    assert policy(filter={"novelty": "threshold", "scoring": "score", "rate": 0.2}).filter == Filter(
        FilterKind.THRESHOLD, 0.2, scoring=Scoring.SCORE
    )
    made = policy(filter={"novelty": "minimum", "scoring": "decay", "minimum": 0.7})
    assert made.filter == Filter(FilterKind.MINIMUM, 1.0, scoring=Scoring.DECAY, minimum=0.7)
    assert encode_record(made)["filter"] == {"novelty": "minimum", "scoring": "decay", "minimum": 0.7}


def test_the_novelty_of_a_score_and_its_decay():
    made = policy(
        novelty={"scoring": "decay"}, decay={"form": "exponential", "alpha": 0.5, "window": 20, "unit": "matched"}
    )
    assert made.novelty == NoveltyPart(Scoring.DECAY)
    assert made.decay == Decaying(Decay.EXPONENTIAL, alpha=0.5, window=Length(20, Unit.MATCHED))
    assert decode_record(encode_record(made)) == made
    assert policy(decay={"period": "1d"}).decay.period == Length(timedelta(days=1), Unit.TIME)


@pytest.mark.parametrize(
    ("fields", "message"),
    [
        ({"filter": {"novelty": "minimum"}}, "a filter needs the field 'minimum'"),
        ({"filter": {"novelty": "threshold"}}, "a filter needs the field 'rate'"),
        ({"novelty": {"scoring": "score"}}, "cannot be that score"),
        ({"novelty": {"aging": 2}}, r"aging is 2.0; it must lie in 0\.\.1"),
        ({"decay": {"unit": "matched"}}, "needs the field 'period' or 'window' too"),
        ({"decay": {"period": 5, "window": 5}}, "not over both"),
        ({"decay": {"form": "exponential", "alpha": 1.5}}, "must be below 1"),
        ({"decay": {"period": "soon"}}, "field 'period' of the decay of a policy"),
        ({"decay": {"period": "1h", "unit": "events"}}, "the period '1h' is a time"),
        ({"decay": {"period": 5, "unit": "time"}}, "no unit of time"),
    ],
)
def test_says_what_is_wrong(fields, message):
    with pytest.raises(RankcastError, match=message):
        policy(**fields)

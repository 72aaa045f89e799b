from datetime import UTC, datetime, timedelta

import pytest

from rankcast import model
from rankcast.errors import RecordError
from rankcast.language import decode_record, dumps, encode_record


def policy(**given):
    return decode_record({"kind": "policy", "user": "addison", **given})


def test_all_fields():
    novelty = {"novelty": "sampling", "scoring": "interval", "update": "eager", "rate": 0.2, "period": 10, "aging": 0.5}
    form = {
        "k": 2,
        "sigma": 0.5,
        "mode": "sliding",
        "length": 4,
        "unit": "matched",
        "aggregate": "mean",
        "ties": "replace",
        "weights": {"genre": 2},
        "attributes": ["genre"],
        "select": "exact",
        "score": {"preference": 0.7, "novelty": 0.3},
        "filter": {**novelty, "rates": "period", "seed": 7},
        "origin": "2004-02-13T20:05:00Z",
    }
    expected = model.Policy(
        "addison",
        mode=model.Mode.SLIDING,
        k=2,
        length=model.Length(4, model.Unit.MATCHED),
        sigma=0.5,
        aggregate=model.Aggregate.MEAN,
        ties=model.Ties.REPLACE,
        select=model.Select.EXACT,
        weights={"genre": 2.0},
        attributes=("genre",),
        score={model.ScorePart.PREFERENCE: 0.7, model.ScorePart.NOVELTY: 0.3},
        filter=model.Filter(
            model.FilterKind.SAMPLING,
            0.2,
            10,
            model.Scoring.INTERVAL,
            model.Update.EAGER,
            0.5,
            model.RateSpan.PERIOD,
            7,
        ),
        origin=datetime(2004, 2, 13, 20, 5, tzinfo=UTC),
    )
    assert policy(**form) == expected
    assert encode_record(expected) == {"kind": "policy", "user": "addison", **form}


def test_fields_have_the_order_in_which_stores_hold_them():
    text = (
        '{"kind":"policy","user":"u","mode":"sliding","aggregate":"min","levels":"inverse","norm":"product","ties":"replace",'
        '"select":"exact","k":2,"length":4,"unit":"matched","sigma":0.5,"weights":{"a":2.0},"attributes":["a"],'
        '"score":{"novelty":1.0},"authority":{"x":0.5},"half_life":"2d","filter":{"novelty":"sampling","rate":0.2,'
        '"scoring":"interval","update":"eager","rates":"period","period":10,"aging":0.5,"seed":7,"minimum":0.25},'
        '"novelty":{"scoring":"decay","aging":0.5},"decay":{"form":"exponential","beta":2.0,"alpha":0.5,"window":20,'
        '"unit":"matched"},"origin":"2004-02-13T20:05:00Z"}'
    )
    assert dumps(encode_record(decode_record(text))) == text


def test_defaults_are_left_out():
    assert encode_record(model.Policy("addison")) == {"kind": "policy", "user": "addison"}
    assert policy() == model.Policy("addison")


def test_a_length_in_words_is_a_time():
    expected = model.Length(timedelta(minutes=30), model.Unit.TIME)
    assert policy(length="30m").length == expected
    assert policy(length="30m", unit="time").length == expected
    assert policy(length=30).length == model.Length(30, model.Unit.EVENTS)
    assert encode_record(policy(length="30m"))["length"] == "30m"


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"xyz": 2}, "a policy has no field 'xyz'; it has aggregate, attributes, "),
        ({"aggregat": "max"}, "a policy has no field 'aggregat'; did you mean 'aggregate'?"),
        ({"k": "2"}, "field 'k' of a policy must be a whole number, not the string '2'"),
        ({"k": 0}, "k is 0; it must lie in 1..1,000"),
        ({"sigma": 2}, "sigma is 2.0; it must lie in 0..1"),
        (
            {"mode": "slidng"},
            "field 'mode' of a policy cannot be 'slidng'; it is one of all, periodic, sliding, history",
        ),
        ({"mode": "sliding"}, "mode 'sliding' needs both 'k' and 'length'"),
        ({"length": 4, "unit": "time"}, 'the length 4 has no unit of time; write it like "4m" or "30m"'),
        ({"length": "4x"}, "field 'length' of a policy: '4x' is not a duration; write it like '30m'"),
        ({"length": "30m", "unit": "events"}, "the length '30m' is a time; with unit 'events' write a whole number"),
        (
            {"length": 2.5},
            "field 'length' of a policy must be a whole number of events or a time like \"30m\", not the",
        ),
        ({"length": True}, "field 'length' of a policy must be a whole number of events or a time like"),
        ({"length": 0}, "length is 0; it must lie in 1..1,000,000"),
        ({"length": "0s"}, "length is 0:00:00; it must lie in 1 ms..3,660 days"),
        ({"unit": "events"}, "a policy with the field 'unit' needs the field 'length' too"),
        ({"weights": [1]}, "field 'weights' of a policy must be an object {…}, not a list"),
        ({"weights": {"genre": "2"}}, "the value of 'genre' in 'weights' must be a number, not the string '2'"),
        ({"weights": {"genre": -1}}, "'genre' in weights is -1.0; it must lie in 0..1,000,000"),
        ({"attributes": "genre"}, "field 'attributes' of a policy must be a list of strings, not the string 'genre'"),
        ({"attributes": [1]}, "each of 'attributes' of a policy must be a string, not the number 1"),
        ({"attributes": []}, "attributes has 0 names; it must have 1..1,000"),
        (
            {"score": {"novlty": 1}},
            "'score' has no part 'novlty'; it has preference, novelty, degree, authority, recen",
        ),
        ({"score": {"novelty": "1"}}, "the value of 'novelty' in 'score' must be a number, not the string '1'"),
        ({"score": {}}, "'score' needs at least one part with a weight above 0"),
        ({"filter": 5}, "field 'filter' of a policy must be an object {…}, not the number 5"),
        ({"filter": {"rate": 0.2}}, "a filter needs the field 'novelty'"),
        ({"filter": {"novelty": "threshold"}}, "a filter needs the field 'rate'"),
        ({"filter": {"novelty": "treshold", "rate": 1}}, "field 'novelty' of a filter cannot be 'treshold'; it is one"),
        ({"filter": {"novelty": "random", "rate": 2}}, "rate is 2.0; it must be above 0 and at most 1"),
        (
            {"filter": {"novelty": "random", "rate": 1, "perod": 2}},
            "a filter has no field 'perod'; did you mean 'period'?",
        ),
        ({"origin": "soon"}, "field 'origin' of a policy: 'soon' is not a time; write it like"),
        ({"origin": 5}, "field 'origin' of a policy must be a string, not the number 5"),
        ({"half_life": "soon"}, "field 'half_life' of a policy: 'soon' is not a duration"),
    ],
)
def test_errors(given, message):
    with pytest.raises(RecordError) as caught:
        policy(**given)
    assert str(caught.value).startswith(message)

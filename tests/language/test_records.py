from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rankcast import model
from rankcast.errors import ExpressionError, LimitError, RecordError
from rankcast.language import RecordTexts, decode_record, dumps, encode_record, parse
from rankcast.testing import strategies, wild

SUBSCRIPTION = {"kind": "subscription", "id": "s1", "user": "addison", "where": "genre = 'drama'"}
CONCEPT = {"kind": "concept", "name": "cheap", "attribute": "price"}
ADVERTISEMENT = {"kind": "advertisement", "id": "a1", "publisher": "shop", "where": "price <= 100", "k": 10}


@pytest.mark.parametrize(
    ("raw", "record"),
    [
        (
            """{"kind": "subscription", "id": "s1", "user": "addison", "where": "genre = 'drama'", "score": 0.8}""",
            model.Subscription("s1", "addison", parse("genre = 'drama'"), 0.8),
        ),
        (
            '{"kind": "preference", "user": "addison", "prefer": "s1", "over": "s2"}',
            model.Preference("addison", "s1", "s2"),
        ),
        (
            '{"kind": "policy", "user": "addison", "k": 2, "sigma": 0.5, "mode": "sliding", "length": 4, "unit": "events"}',
            model.Policy("addison", model.Mode.SLIDING, 2, model.Length(4), 0.5),
        ),
        (
            '{"kind": "concept", "name": "cheap", "attribute": "price", "trapezoid": [0, 0, 500, 900]}',
            model.Concept("cheap", "price", model.Trapezoid(0, 0, 500, 900)),
        ),
        (
            '{"kind": "advertisement", "id": "a1", "publisher": "shop", "where": "price <= 100", "k": 10, "rank": "fair"}',
            model.Advertisement("a1", "shop", parse("price <= 100"), 10, model.Ranking.FAIR),
        ),
    ],
)
def test_the_examples_of_the_specification(raw, record):
    assert decode_record(raw) == record
    assert decode_record(raw.encode()) == record
    assert decode_record(encode_record(record)) == record


def test_optional_fields():
    given = decode_record({**SUBSCRIPTION, "weight": 2, "score": None})
    assert given == model.Subscription("s1", "addison", parse("genre = 'drama'"), None, 2.0)
    assert decode_record({**CONCEPT, "bell": [1, 2], "user": "addison"}).user == "addison"
    assert decode_record({**ADVERTISEMENT, "score": "weight"}).score is model.ScorerName.WEIGHT
    assert decode_record(ADVERTISEMENT).rank is model.Ranking.RELEVANCE


def test_where_may_be_an_object():
    where = {"attribute": "genre", "=": "drama"}
    assert decode_record({**SUBSCRIPTION, "where": where}) == decode_record(SUBSCRIPTION)
    assert decode_record({**ADVERTISEMENT, "where": {"always": True}}).where == parse("true")


@settings(max_examples=60)
@given(wild.records())
def test_round_trip(record):
    assert decode_record(encode_record(record)) == record
    assert decode_record(dumps(encode_record(record))) == record


@pytest.mark.parametrize(
    ("obj", "message"),
    [
        ({}, "a record needs the field 'kind': subscription, preference, policy, concept, advertisement"),
        ({"kind": 5}, "field 'kind' must be one of subscription, preference, policy, concept, advertisement, not the"),
        ({"kind": []}, "field 'kind' must be one of subscription, preference, policy, concept, advertisement, not a"),
        ({"kind": "subscripton"}, "unknown kind 'subscripton'; it is one of subscription, preference, policy, conc"),
        ({**SUBSCRIPTION, "scor": 1}, "a subscription has no field 'scor'; did you mean 'score'?"),
        ({**SUBSCRIPTION, "id": 1}, "field 'id' of a subscription must be a string, not the number 1"),
        ({**SUBSCRIPTION, "id": ""}, "field 'id' of a subscription is empty"),
        ({**SUBSCRIPTION, "user": None}, "a subscription needs the field 'user'"),
        ({**SUBSCRIPTION, "score": "0.8"}, "field 'score' of a subscription must be a number, not the string '0.8'"),
        ({**SUBSCRIPTION, "score": 2}, "score is 2.0; it must lie in 0..1"),
        ({**SUBSCRIPTION, "weight": 0}, "weight is 0.0; it must be above 0"),
        ({**SUBSCRIPTION, "where": 5}, "field 'where' of a subscription must be an expression in a string, or in its"),
        (
            {**SUBSCRIPTION, "where": {"and": []}},
            "where.and must be a list of at least two expressions, not a list of 0",
        ),
        ({"kind": "preference", "user": "u", "prefer": "s1"}, "a preference needs the field 'over'"),
        (CONCEPT, "a concept needs one of the forms trapezoid, triangle, between, interval, left_shoulder, "),
        ({**CONCEPT, "bell": [1, 2], "between": [1, 2]}, "a concept needs one of the forms "),
        ({**CONCEPT, "trapezod": [1, 2, 3, 4]}, "a concept has no field 'trapezod'; did you mean 'trapezoid'?"),
        ({**CONCEPT, "triangle": [1, 2]}, "concept 'cheap': 'triangle' must be a list of 3 numbers [a, b, c], not a"),
        ({**CONCEPT, "bell": [1, 2], "user": ""}, "field 'user' of a concept is empty"),
        ({**ADVERTISEMENT, "k": None}, "an advertisement needs the field 'k'"),
        ({**ADVERTISEMENT, "k": 0}, "k is 0; it must lie in 1..1,000,000"),
        ({**ADVERTISEMENT, "rank": "fairr"}, "field 'rank' of an advertisement cannot be 'fairr'; it is one of releva"),
    ],
)
def test_errors(obj, message):
    with pytest.raises(RecordError) as caught:
        decode_record(obj)
    assert str(caught.value).startswith(message)


def test_an_expression_keeps_its_position():
    with pytest.raises(ExpressionError) as caught:
        decode_record({**SUBSCRIPTION, "where": "genre == 'drama'"})
    assert caught.value.position == 6


@given(strategies.subscriptions(), strategies.subscriptions())
def test_many_records_are_written_and_read_like_single_ones(some, others):
    texts = RecordTexts()
    for record in [*some, *others, *some]:
        form = texts.encode(record)
        assert form == encode_record(record)
        assert texts.decode(dumps(form)) == decode_record(dumps(form)) == record


def test_an_expression_that_could_not_be_read_again_is_not_written():
    deep = decode_record(SUBSCRIPTION)
    for _ in range(200):
        deep = replace(deep, where=model.Not(deep.where))
    with pytest.raises(LimitError):
        RecordTexts().encode(deep)


@given(st.lists(wild.records(), min_size=1, max_size=4), st.sets(st.sampled_from(["ann", "bo", "ä"])))
def test_records_of_many_users_are_read_like_single_ones(records, users):
    texts = RecordTexts()
    for record in records:
        for one in [record, *(replace(record, user=user) for user in users if isinstance(record, model.Policy))]:
            assert texts.decode(dumps(encode_record(one))) == one


@pytest.mark.parametrize("user", [None, "", 3, "a\0", "x" * 10_000])
def test_a_policy_of_a_bad_user_is_refused_though_its_form_is_known(user):
    texts, form = RecordTexts(), {"kind": "policy", "user": "ann", "mode": "sliding", "k": 3, "length": 10}
    texts.decode(form)
    with pytest.raises(RecordError) as known:
        texts.decode({**form, "user": user})
    with pytest.raises(RecordError) as alone:
        decode_record({**form, "user": user})
    assert str(known.value) == str(alone.value)

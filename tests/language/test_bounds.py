"""Every declared bound holds: what lies on it is taken and served, what lies beyond is refused by name."""

from datetime import UTC, datetime, timedelta

import pytest
from tests.support.edges import POLICY, cases, inside, outside

from rankcast.engine.arrays import BatchShard
from rankcast.engine.reference.shard import Shard
from rankcast.errors import ModelError
from rankcast.language import (
    MAX_EVENT_BYTES,
    check_event_size,
    decode_event,
    decode_record,
    encode_record,
    parse,
    read_catalog,
    read_events,
)
from rankcast.model import MAX_ATTRIBUTES, MAX_TEXT, MAX_VALUES, Catalog, Event, Policy, Subscription
from rankcast.model.advertisements import K
from rankcast.model.declared import Name, declared
from rankcast.model.membership import MAX_DEGREES, MAX_POINTS

START = datetime(2026, 1, 1, tzinfo=UTC)
EVENT = {"id": "e1", "time": "2026-01-01", "attributes": {"a": 1}}


def named(cases_):
    return [
        pytest.param(field, form, id=f"{record.__name__}.{field.name}-{number}")
        for number, (record, field, form) in enumerate(cases_)
    ]


def allowed(form):
    """Whether no other rule than a bound forbids the form: nothing would ever pass, a factor that is none."""
    kept, decay = form.get("filter"), form.get("decay", {})
    starves = kept is not None and kept["novelty"] != "random" and kept.get("rate", 1) * kept.get("period", 1000) < 1
    lacks = kept is not None and (kept["novelty"] == "minimum") != ("minimum" in kept)
    grows = decay.get("form") == "exponential"
    circular = form.get("novelty", {}).get("scoring") == "score"
    return not (starves or lacks or grows or circular)


@pytest.mark.parametrize(("field", "form"), named(cases(inside)))
def test_a_value_on_the_bound_is_taken_and_kept(field, form):
    if allowed(form):
        record = decode_record(form)
        assert decode_record(encode_record(record)) == record


@pytest.mark.parametrize(("field", "form"), named(cases(outside)))
def test_a_value_beyond_is_refused_by_name(field, form):
    with pytest.raises(ModelError, match=field.name):
        decode_record(form)


def test_the_next_value_is_refused_with_value_and_bound():
    for given, message in (
        ({"k": 1001}, "k is 1001; it must lie in 1..1,000"),
        ({"length": "999999999d"}, "length is 999,999,999 days; it must lie in 1 ms..3,660 days"),
        (
            {"score": {"preference": 1.7e308, "degree": 1.7e308}},
            "'preference' in score is 1.7e+308; it must lie in 0..1,000,000",
        ),
        (
            {"filter": {"novelty": "threshold", "rate": 1, "period": 10**13}},
            "period is 10000000000000; it must lie in 1..1,000,000",
        ),
    ):
        with pytest.raises(ModelError) as caught:
            decode_record({**POLICY, **given})
        assert str(caught.value) == message


STREAM = [
    Event("e1", datetime.min.replace(tzinfo=UTC), {"a": (1,)}, seq=1),
    *(Event(f"e{seq}", START + timedelta(minutes=seq), {"a": (1,)}, seq=seq) for seq in range(2, 16)),
    Event("e16", datetime.max.replace(tzinfo=UTC), {"a": (1,)}, seq=16),
]


def test_policies_on_the_bounds_are_served_alike_by_oracle_and_arrays():
    records = [Subscription("s", "other", parse("a = 1"))]
    forms = [form for record, _, form in cases(inside) if form["kind"] == "policy" and allowed(form)]
    for number, form in enumerate(forms):
        for mode in {form["mode"], ("periodic", "sliding", "history")[number % 3]}:
            user = f"{mode}{number}"
            records += [decode_record({**form, "user": user, "mode": mode})]
            records += [Subscription(f"{user}-{place}", user, parse("a = 1"), 0.5) for place in range(2)]
    shards = Shard(Catalog(records)), BatchShard(Catalog(records))
    served = []
    for shard in shards:
        sent = [*shard.publish(STREAM[:6]), *shard.publish(STREAM[6:]), *shard.close()]
        served.append(sorted(sent, key=lambda delivery: delivery.order))
    assert served[0] == served[1]
    assert {delivery.user for delivery in served[0]} >= {"other", "sliding0"}


@pytest.mark.parametrize(
    ("attributes", "message"),
    [
        (
            {f"n{number}": 1 for number in range(MAX_ATTRIBUTES + 1)},
            "an event of 1,001 attributes; it must have at most",
        ),
        (
            {"a": [str(number) for number in range(MAX_VALUES + 1)]},
            "attribute 'a': 10,001 values; it must have at most",
        ),
        ({"a": "x" * (MAX_TEXT + 1)}, "attribute 'a': a string of 65,537 characters; it must have at most 65,536"),
        (
            {"a": ["y", "x" * (MAX_TEXT + 1)]},
            "attribute 'a': a string of 65,537 characters; it must have at most 65,536",
        ),
        ({"n" * 257: 1}, "the name of an attribute has 257 characters; it must have 1..256"),
        ({"a\0": 1}, "the name of an attribute has the control character U"),
        ({"a": {"is": '"very\0"'}}, "has the control character U"),
        ({"a": {"between": [0, 2e15]}}, "a number of interval is 2000000000000000.0; it must lie in -1e15..1e15"),
        ({"a": {"gaussian": [0, 1e16]}}, "the sigma of gaussian is 1e"),
        (
            {"a": {"piecewise": [[x, 1] for x in range(MAX_POINTS + 1)]}},
            "piecewise has 1,001 points; it must have at most",
        ),
        (
            {"a": {"table": {f"v{x}": 1 for x in range(MAX_DEGREES + 1)}}},
            "table has 10,001 values; it must have at most",
        ),
    ],
)
def test_an_event_beyond_a_bound_is_refused(attributes, message):
    with pytest.raises(ModelError, match=message.replace("+", r"\+")):
        decode_event({**EVENT, "attributes": attributes})


def test_an_event_on_the_bounds_is_taken():
    most = {f"n{number}": "x" for number in range(MAX_ATTRIBUTES - 2)}
    most |= {"values": [str(number) for number in range(MAX_VALUES)], "text": "x" * MAX_TEXT}
    assert len(decode_event({**EVENT, "attributes": most}).attributes) == MAX_ATTRIBUTES
    for given in (
        {"piecewise": [[x, 1] for x in range(MAX_POINTS)]},
        {"table": {f"v{x}": 1 for x in range(MAX_DEGREES)}},
        {"between": [-1e15, 1e15]},
    ):
        decode_event({**EVENT, "attributes": {"a": given}})


@pytest.mark.parametrize("field", [one for one in declared(Event) if isinstance(one.kind, Name)])
def test_names_in_an_event_are_bounded(field):
    for value in inside(field.kind):
        decode_event({**EVENT, field.name: value})
    for value in outside(field.kind):
        with pytest.raises(ModelError, match=field.name):
            decode_event({**EVENT, field.name: value})


@pytest.mark.parametrize("k", [0, K.high + 1])
def test_the_k_of_an_event_is_bounded(k):
    with pytest.raises(ModelError, match=f"k is {k}; it must lie in 1..1,000,000"):
        decode_event({**EVENT, "advertisement": "a1", "k": k})


def test_an_event_that_a_log_holds_is_read_whatever_the_bounds_are():
    held = {**EVENT, "id": "a\nb", "attributes": {"n" * 300: "x" * (MAX_TEXT + 1)}}
    read = decode_event(held, seq=7)
    assert (read.id, read.seq) == ("a\nb", 7)
    assert decode_event(EVENT, seq=7) == decode_event(EVENT).at(7)


def test_files_refuse_what_the_model_refuses(tmp_path):
    path = tmp_path / "catalog.jsonl"
    path.write_text('{"kind":"policy","user":"a\\u0000b"}\n{"kind":"policy","user":"ann","k":1001}\n')
    catalog, rejects = read_catalog(path)
    assert not catalog.policies
    assert [reject.line for reject in rejects] == [1, 2]
    path.write_text('{"id":"e1","time":"2026-01-01","attributes":{"a":["' + "x" * MAX_EVENT_BYTES + '"]}}\n')
    events, rejects = read_events(path, Catalog())
    assert not events
    assert "must have at most 262,144" in rejects[0].reason
    check_event_size(b"x" * MAX_EVENT_BYTES)
    with pytest.raises(ModelError, match="an event of 262,145 bytes; it must have at most 262,144"):
        check_event_size(b"x" * (MAX_EVENT_BYTES + 1))


def test_a_policy_without_a_bound_would_be_noticed():
    """Every field but those of text and words has numbers in its declaration."""
    assert {field.name for field in declared(Policy)} == set(Policy.__slots__)

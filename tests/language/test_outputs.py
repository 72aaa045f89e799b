from datetime import UTC, datetime

import pytest

from rankcast.errors import RecordError
from rankcast.language import decode_delivery, dumps, encode_delivery, encode_match, encode_reject
from rankcast.language.json_text import read_object
from rankcast.model import Delivery, Match, Reject

TIME = datetime(2004, 2, 13, 20, 5, tzinfo=UTC)
DELIVERY = Delivery("addison", "e4", 4, 0.9, ("s1", "s2"), TIME, TIME, 4)


def test_delivery():
    form = encode_delivery(DELIVERY)
    assert form == {
        "user": "addison",
        "event": "e4",
        "seq": 4,
        "rank": 0.9,
        "subscriptions": ["s1", "s2"],
        "published": "2004-02-13T20:05:00Z",
        "forwarded": "2004-02-13T20:05:00Z",
        "window": 4,
    }
    assert decode_delivery(read_object(dumps(form))) == DELIVERY


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"usr": 1}, "a delivery has no field 'usr'; did you mean 'user'?"),
        ({"window": None}, "a delivery needs the field 'window'"),
        ({"subscriptions": "s1"}, "field 'subscriptions' of a delivery must be a list of strings, not the string 's1'"),
        ({"subscriptions": [1]}, "each of 'subscriptions' of a delivery must be a string, not the number 1"),
        ({"published": "soon"}, "a delivery: 'soon' is not a time"),
    ],
)
def test_bad_delivery(change, message):
    with pytest.raises(RecordError) as caught:
        decode_delivery({**encode_delivery(DELIVERY), **change})
    assert str(caught.value).startswith(message)


def test_match_and_reject():
    assert encode_match(Match("e1", "s1", "addison")) == {
        "event": "e1",
        "subscription": "s1",
        "user": "addison",
        "degree": 1.0,
    }
    assert encode_reject(Reject("c.jsonl", 3, "why", "{")) == {
        "file": "c.jsonl",
        "line": 3,
        "reason": "why",
        "raw": "{",
    }

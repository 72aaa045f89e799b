"""Plain events are read fast, and as the careful way reads them."""

from itertools import islice, product
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.support.event_lines import careful, damaged_lines, lines

from rankcast.language import decode_event, dumps, encode_event
from rankcast.language.plain_events import plain_event
from rankcast.model import MAX_ATTRIBUTES, MAX_TEXT, MAX_VALUES
from rankcast.testing import wild


@given(st.one_of(lines(), damaged_lines()), st.sampled_from([0, 7]))
def test_reads_what_the_careful_way_reads_or_nothing(raw: bytes, seq: int) -> None:
    read = plain_event(raw, seq)
    if read is not None:
        assert read == careful(raw, seq)
        assert [type(value[0]) for value in read.attributes.values()] == [
            type(value[0]) for value in careful(raw, seq).attributes.values()
        ]


@given(wild.events(), st.sampled_from([0, 7]))
def test_any_event_comes_back(event: Any, seq: int) -> None:
    raw = dumps(encode_event(event)).encode()
    assert decode_event(raw, seq=seq) == event.at(seq)
    assert plain_event(raw, seq) in (None, event.at(seq))


@pytest.mark.parametrize("time", ["2004-02-13T20:05:00Z", "2004-02-13T20:05:00.123456Z"])
def test_most_events_are_plain(time: str) -> None:
    raw = (
        b'{"id":"e","time":"%b","source":"s","attributes":{"a":1,"b":2.5,"c":"x","d":true,"e":["x","y"]}}'
        % time.encode()
    )
    read = plain_event(raw, 3)
    assert read is not None
    assert read == careful(raw, 3)


@pytest.mark.parametrize(
    "raw",
    [
        b'{"id":"e","id":"e","time":"2004-02-13T20:05:00Z","attributes":{}}',
        b'{"id":"e","time":"2004-02-13T20:05:00Z","attributes":{"a":1,"a":2}}',
        b'{"id":"e","time":"2004-02-13T20:05:00Z","attributes":{"a":["x","x"]}}',
        b'{"id":"e","time":"2004-02-13T20:05:00Z","attributes":{"a":"\\ud800"}}',
        b'{"id":"e","time":"2004-02-13T20:05:00Z","attributes":{"a":9223372036854775808}}',
        b'{"id":"e","time":"2004-02-13T20:05:00Z","attributes":{"a":1e999}}',
        b'{"id":"e","time":"2004-02-13T20:05:00Z","attributes":{"a":NaN}}',
        b'{"id":"e\xff","time":"2004-02-13T20:05:00Z","attributes":{}}',
        b'{"id":"","time":"2004-02-13T20:05:00Z","attributes":{}}',
    ],
)
def test_leaves_the_unusual_to_the_careful_way(raw: bytes) -> None:
    assert plain_event(raw) is None


@pytest.mark.parametrize(
    "attributes",
    [
        {"a": "x" * (MAX_TEXT + 1)},
        {
            "a": [
                "".join(letters) for letters in islice(product("abcdefghijklmnopqrstuvwxyz", repeat=3), MAX_VALUES + 1)
            ]
        },
        {f"n{number}": 1 for number in range(MAX_ATTRIBUTES + 1)},
    ],
    ids=["text", "values", "attributes"],
)
def test_what_is_beyond_a_bound_is_not_plain(attributes: Any) -> None:
    assert plain_event(dumps({"id": "e", "time": "2004-02-13T20:05:00Z", "attributes": attributes}).encode()) is None

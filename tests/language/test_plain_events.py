"""Plain events are read fast, and as the careful way reads them."""

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rankcast.errors import RankcastError
from rankcast.language import decode_event, dumps, encode_event
from rankcast.language.json_text import read_object
from rankcast.language.plain_events import plain_event
from rankcast.testing import wild

TIMES = [
    "2004-02-13T20:05:00Z", "2004-02-13T20:05:00.25Z", "2004-02-13T20:05:00+01:00", "2004-02-13", "2004-02-13 20:05:00Z",
    "2004-W07-5T20:05:00Z", "2004-02-31T20:05:00Z", "2004-02-13T24:00:00Z", "2004-02-13T20:05:60Z", "", "x", "0001-01-01T00:00:00Z",
]  # fmt: skip
names = st.sampled_from(["a", "b", "genre", "ü", "", "a\x07", "x" * 257, 'quo"te', "time", "is"])
texts = st.one_of(names, st.text(max_size=5))
scalars = st.one_of(
    texts, st.integers(), st.sampled_from([2**63, 2**63 - 1, -(2**63), -(2**63) - 1]), st.floats(), st.booleans(), st.none()
)  # fmt: skip
values = st.one_of(scalars, st.lists(scalars, max_size=3), st.lists(texts, max_size=3), st.dictionaries(names, scalars))


def careful(raw: bytes, seq: int) -> Any:
    try:
        return decode_event(read_object(raw), seq=seq)
    except RankcastError as error:
        return str(error)


@st.composite
def lines(draw: st.DrawFn) -> bytes:
    """Texts of objects that may be events; fields and names may occur twice."""
    fields = draw(
        st.lists(
            st.one_of(
                st.tuples(st.just("id"), st.one_of(texts, scalars)),
                st.tuples(st.just("source"), st.one_of(texts, scalars)),
                st.tuples(st.sampled_from(["advertisement", "k", "more"]), scalars),
            ),
            max_size=2,
        )
    )
    if draw(st.integers(0, 9)):
        fields.append(("id", draw(texts)))
    if draw(st.integers(0, 9)):
        fields.append(("time", draw(st.sampled_from(TIMES[:1] * 9 + TIMES))))
    inner = draw(st.lists(st.tuples(names, values), max_size=4))
    escaped = draw(st.booleans())
    attributes = ", ".join(f"{dumped(name, escaped)}: {dumped(value, escaped)}" for name, value in inner)
    parts = [f"{dumped(name, escaped)}: {dumped(value, escaped)}" for name, value in fields]
    parts.append(f'"attributes": {{{attributes}}}')
    return ("{" + ",".join(draw(st.permutations(parts))) + "}").encode("utf-8", "surrogatepass")


def dumped(value: Any, escaped: bool) -> str:
    return json.dumps(value, ensure_ascii=escaped)


@given(lines(), st.sampled_from([0, 7]))
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


def test_most_events_are_plain() -> None:
    raw = b'{"id":"e","time":"2004-02-13T20:05:00Z","source":"s","attributes":{"a":1,"b":2.5,"c":"x","d":true,"e":["x","y"]}}'
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

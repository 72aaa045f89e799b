"""Many texts read at once give the events that the careful way reads, or leave them to it."""

import pickle
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.support.event_lines import careful, damaged_lines, lines

from rankcast.engine.event_texts.reading import read_texts, scanned
from rankcast.language import dumps, encode_event
from rankcast.testing import wild

PLAIN = b'{"id":"e%d", "time":"2004-02-13T20:05:00Z","source":"s","attributes":{"a":1,"b":-2.5e1,"c":"\xc3\xa9","d":true,"e":["x","y"],"f":{"time":"2000-02-29T00:00:00.000001Z"}}} '
ODD = [
    b'{"id":"e","id":"e","time":"2004-02-13T20:05:00Z","attributes":{}}',
    b'{"id":"e","time":"2004-02-13T20:05:00Z","attributes":{"a":1,"a":2}}',
    b'{"id":"e","time":"2004-02-13T20:05:00Z","attributes":{"a":["x","x"]}}',
    b'{"id":"e","time":"2004-02-13T20:05:00Z","attributes":{"a":[]}}',
    b'{"id":"e","time":"2004-02-13T20:05:00Z","attributes":{"a":"\\u0041"}}',
    b'{"id":"e","time":"2004-02-13T20:05:00Z","attributes":{"a":9223372036854775808}}',
    b'{"id":"e","time":"2004-02-13T20:05:00Z","attributes":{"a":1e999}}',
    b'{"id":"e","time":"2004-02-13T20:05:00Z","attributes":{"a":01}}',
    b'{"id":"e","time":"2004-02-13T20:05:00Z","attributes":{"a":"\xff"}}',
    b'{"id":"e\xff","time":"2004-02-13T20:05:00Z","attributes":{}}',
    b'{"id":"","time":"2004-02-13T20:05:00Z","attributes":{}}',
    b'{"id":"e","time":"2004-02-30T20:05:00Z","attributes":{}}',
    b'{"id":"e","time":"2004-02-13T20:05:00Z","attributes":{"a":{"is":"cheap"}}}',
    b'{"id":"e","time":"2004-02-13T20:05:00Z","attributes":{"a":"' + b"x" * 65_537 + b'"}}',
    b'{"id":"e","time":"2004-02-13T20:05:00Z","attributes":{}}}',
    b'{"id":"e","time":"2004-02-13T20:05:00Z"}',
    b"",
    b"{",
]


@given(st.lists(st.one_of(lines(), damaged_lines()), min_size=1, max_size=4))
def test_reads_what_the_careful_way_reads_or_nothing(texts: list[bytes]) -> None:
    for raw, read in zip(texts, scanned(texts), strict=True):
        if read is not None:
            known = careful(raw, 0)
            assert read == known
            assert repr(dict(read.attributes)) == repr(dict(known.attributes))


@given(wild.events())
def test_any_event_comes_back(event) -> None:
    assert scanned([dumps(encode_event(event)).encode()])[0] in (None, event.at(0))


def test_plain_texts_are_read_among_odd_ones() -> None:
    texts = [text for number, odd in enumerate(ODD) for text in (odd, PLAIN % number)]
    found = scanned(texts)
    assert found[::2] == [None] * len(ODD)
    assert found[1::2] == [careful(text, 0) for text in texts[1::2]]
    assert all(a is not b for a, b in pairwise(found[1::2]))


@pytest.mark.parametrize("count", [0, 1, 2_500])
def test_few_and_many(count: int) -> None:
    texts = [PLAIN.replace(b'{"time":', b"[").replace(b'Z"}}', b'Z"]}') % number for number in range(count)]
    found = read_texts(texts)
    assert [event and event.id for event in found] == [f"e{number}" for number in range(count)]
    assert pickle.loads(pickle.dumps(found[-1:])) == [careful(text, 0) for text in texts[-1:]]


@given(st.lists(st.one_of(lines(), damaged_lines()), min_size=1, max_size=4), st.integers(1, 1 << 40))
def test_events_are_read_with_their_positions(texts: list[bytes], first: int) -> None:
    seqs = [first + 2 * place for place in range(len(texts))]
    for read in (scanned, read_texts):
        without, found = read(texts), read(texts, seqs)
        assert found == [event and event.at(seq) for event, seq in zip(without, seqs, strict=True)]
        assert all(event is None or event.seq == seq for event, seq in zip(found, seqs, strict=True))

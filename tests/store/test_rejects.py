from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from rankcast.model import Reject
from rankcast.store import BatchCounts, KeptReject, Store

START = datetime(2026, 5, 1, tzinfo=UTC)


@pytest.fixture
def store(place):
    times = iter([START] + [START + timedelta(seconds=second) for second in range(10_000)])
    with Store.create(place, clock=lambda: next(times)) as store:
        yield store


def test_rejects_are_kept_in_order_with_the_time(store):
    store.reject([Reject("c.jsonl", 1, "not JSON", "{"), Reject("c.jsonl", 7, "no kind", "{}")])
    store.reject([])
    store.reject([Reject("d.jsonl", 1, "not JSON", "[")])
    assert store.rejects() == [
        KeptReject("c.jsonl", 1, "not JSON", "{", START),
        KeptReject("c.jsonl", 7, "no kind", "{}", START + timedelta(seconds=1)),
        KeptReject("d.jsonl", 1, "not JSON", "[", START + timedelta(seconds=2)),
    ]


def test_a_limit_gives_the_last_ones_oldest_first(store):
    store.reject([Reject("f", line, "reason", "") for line in range(1, 6)])
    assert [reject.line for reject in store.rejects(limit=2)] == [4, 5]
    assert store.rejects(limit=0) == []


@settings(max_examples=50, suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
@given(st.text(st.characters(), max_size=30))
@pytest.mark.parametrize("text", ["\udc80 \ud800", "\0", "a\nb\r\n", "\ufffe🎬"])
def test_raw_text_may_be_anything(store, text, raw):
    store.reject([Reject("f", 1, "reason", text), Reject("f", 1, "reason", raw)])
    assert [reject.raw for reject in store.rejects(limit=2)] == [text, raw]


def test_file_and_reason_stay_readable_where_they_are_no_text(store):
    store.reject([Reject("caf\udce9.jsonl", 1, "what is \0 doing here?", "")])
    (kept,) = store.rejects()
    assert kept.file == "caf\\udce9.jsonl"
    assert kept.reason == "what is \\x00 doing here?"


@pytest.mark.parametrize("key", ["\0", "\udc80", "".join(map(chr, range(0x4E00, 0x4E00 + 5000)))])
def test_a_key_may_be_any_message(store, key):
    store.claim("p1", "here", shards=1)
    for batch in (0, 1):
        store.commit_batch("p1", {}, [(key, Reject("topic", 1, "no JSON", key))], BatchCounts(batch), None, None, 0)
    assert [kept.raw for kept in store.rejects()] == [key]

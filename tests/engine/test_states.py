"""Saved state carries the number of its format; the one before is read, a later one is refused."""

import json
from pathlib import Path

import msgspec
import pytest

from rankcast.engine.arrays import BatchShard
from rankcast.engine.pages import PageEvents, join_page, packed, page_states
from rankcast.engine.reference.shard import Shard
from rankcast.engine.states import FORMAT, pack_states, unpack_states
from rankcast.errors import StoreError
from rankcast.language import decode_event, decode_record
from rankcast.model import Catalog
from rankcast.pipeline.spark.live.journal import SavedJournal


def test_the_number_is_there():
    assert msgspec.msgpack.decode(pack_states({"ann": {}})) == [FORMAT, {"ann": {}}]


def test_large_state_is_compressed_and_read_again():
    users = {f"user{number}": {"mode": {"matching": ["s1", "s2"] * 50}} for number in range(1_000)}
    packed_states = pack_states(users)
    assert len(packed_states) < 20_000
    assert unpack_states(packed_states) == users
    with pytest.raises(StoreError, match="is damaged"):
        unpack_states(packed_states[:-10])


def test_the_format_before_is_read_whatever_users_are_called():
    users = {"format": {"mode": {}}, "0": {}, "users": {}}
    assert unpack_states(msgspec.msgpack.encode(users)) == users
    assert unpack_states(pack_states(users)) == users


@pytest.mark.parametrize("content", [[], [FORMAT], [FORMAT, []], 7, "text", ["one", {}]])
def test_what_is_no_state_is_said_to_be_damaged(content):
    with pytest.raises(StoreError, match="is damaged"):
        unpack_states(msgspec.msgpack.encode(content))
    with pytest.raises(StoreError, match="is damaged"):
        unpack_states(b"\xc1")


@pytest.mark.parametrize("kind", [Shard, BatchShard])
def test_a_shard_refuses_state_of_a_later_release(kind):
    catalog = Catalog([decode_record({"kind": "subscription", "id": "s", "user": "ann", "where": "x = 1"})])
    later = msgspec.msgpack.encode([FORMAT + 1, {}, "more"])
    with pytest.raises(StoreError, match=f"format {FORMAT + 1}, newer than this Rankcast's {FORMAT}"):
        kind(catalog).restore(later)


def test_a_journal_of_a_later_release_is_refused():
    with pytest.raises(StoreError, match="newer than this Rankcast's"):
        SavedJournal({1: packed([99, []])})
    assert SavedJournal({1: packed([])}).generations == []


@pytest.mark.parametrize("engine", [Shard, BatchShard])
def test_a_page_of_the_release_before_is_read(engine):
    """In that release, users with a filter, with a calm window or with another way to be diverse were saved one by one."""
    saved = json.loads((Path(__file__).parent / "data" / "page_of_users_alone.json").read_text())
    catalog = Catalog([decode_record(record) for record in saved["records"]])
    events = [decode_event(event, seq=seq) for seq, event in saved["events"]]
    expected = Shard(catalog)
    expected.publish(events[: saved["served"]])
    shard = engine(catalog)
    join_page(shard, bytes.fromhex(saved["page"]), PageEvents({event.seq: event for event in events}))
    assert unpack_states(shard.state()) == unpack_states(expected.state())
    assert shard.publish(events[saved["served"] :]) == expected.publish(events[saved["served"] :])
    assert shard.take_set_aside() == []


@pytest.mark.parametrize("size", [2**20, 2**34, 2**50, 2**62, 2**64 - 3])
def test_state_that_claims_an_enormous_size_is_refused(size):
    """It takes no memory: the size that compressed content claims is the first thing in it."""
    packed = b"\x28\xb5\x2f\xfd\xe0" + size.to_bytes(8, "little") + bytes(10)
    for read in (unpack_states, lambda content: page_states(content, PageEvents({}))):
        with pytest.raises(StoreError, match=r"delivery state is damaged.*restore the store from a backup"):
            read(packed)

"""Damaged bytes of saved state are refused with advice; nothing else comes out of reading them."""

import random
from datetime import timedelta
from pathlib import Path

import msgspec
import pytest

from rankcast.engine.pages import PageEvents, join_page, unpacked
from rankcast.engine.reference.shard import Shard
from rankcast.errors import StoreError
from rankcast.language import decode_record
from rankcast.model import EPOCH, Event
from rankcast.pipeline.local import LocalPipeline, serve_pending
from rankcast.pipeline.saved_state import LogEvents
from rankcast.store import Store

MODES = (
    {"mode": "sliding", "k": 3, "length": 10, "sigma": 0.5},
    {"mode": "history", "k": 3, "length": 10},
    {"mode": "periodic", "k": 3, "length": 7},
)


@pytest.fixture
def served(tmp_path: Path):
    """A store with users of all modes, and saved state."""
    with Store.create(tmp_path / "rankcast.db") as store:
        for number in range(9):
            subscription = {"kind": "subscription", "id": f"s{number}", "user": f"u{number}", "where": f"x > {number}"}
            policy = {"kind": "policy", "user": f"u{number}", **MODES[number % 3]}
            store.change(put=[decode_record(subscription), decode_record(policy)])
        store.publish([Event(f"e{at}", EPOCH + timedelta(seconds=at), {"x": (at % 30,)}) for at in range(40)])
        list(serve_pending(store))
        yield store


def damaged(content: bytes, rng: random.Random) -> bytes:
    made = bytearray(content)
    for _ in range(rng.randint(1, 3)):
        made[rng.randrange(len(made))] = rng.choice([rng.randrange(256), 0xFF, 0, 0xDF, 0xC0, 0x93])
    return bytes(made)


def test_a_damaged_page_is_refused_or_read(served):
    rng = random.Random(15)
    catalog, page = served.catalog(), served.saved_state().pages[0].content
    plain = msgspec.msgpack.encode(unpacked(page))
    refused = 0
    for number in range(1_000):
        content = damaged(plain if number % 3 else page, rng)
        try:
            join_page(Shard(catalog), content, PageEvents(LogEvents(served)))
        except StoreError:
            refused += 1
    assert refused > 500


def test_a_pipeline_says_what_to_do(served, monkeypatch):
    saved = served.saved_state()
    page = saved.pages[0]
    content = msgspec.msgpack.encode(unpacked(page.content)).replace(b"u0", b"\xff0")
    assert content != page.content
    monkeypatch.setattr(served, "saved_state", lambda: saved._replace(pages=[page._replace(content=content)]))
    with pytest.raises(StoreError, match=r"delivery state is damaged.*restore the store from a backup"):
        LocalPipeline(served).load()

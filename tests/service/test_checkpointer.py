"""The write-ahead log of a served store is copied into the file beside the commits, not by them."""

import sqlite3
from pathlib import Path

import pytest

from rankcast.model import EPOCH, Event
from rankcast.service import checkpointer
from rankcast.service.checkpointer import Checkpointer
from rankcast.store import Store

LARGE = "a" * 60_000


def publish(store: Store, number: int) -> None:
    store.publish([Event(f"e{number}", EPOCH, {"text": (LARGE,)})])


def size(place: Path) -> int:
    """The bytes of the file, without the log."""
    return place.stat().st_size


def test_commits_of_a_service_do_not_copy_the_log(tmp_path: Path) -> None:
    place = tmp_path / "store.db"
    Store.create(place).close()
    with Store.open(place, is_served=True) as store:
        before = size(place)
        for number in range(100):
            publish(store, number)
        assert size(place) == before, "6 MB are in the log"
        assert store.database.checkpoint() > 1_000
        assert size(place) > before + 100 * len(LARGE)
        assert store.last_offset() == 100


def test_other_processes_copy_it_with_their_commits(tmp_path: Path) -> None:
    place = tmp_path / "store.db"
    with Store.create(place) as store:
        before = size(place)
        for number in range(100):
            publish(store, number)
        assert size(place) > before


def test_the_log_begins_anew_while_the_service_writes(tmp_path: Path) -> None:
    place = tmp_path / "store.db"
    with Store.create(place, is_served=True) as store:
        copier = Checkpointer(store)
        for number in range(100):
            publish(store, number)
            if number % 10 == 0:
                copier.round()
        assert Path(f"{place}-wal").stat().st_size < 2_000_000
    with Store.open(place) as store:
        assert store.last_offset() == 100
    assert sqlite3.connect(place).execute("PRAGMA integrity_check").fetchone() == ("ok",)


def test_it_looks_the_sooner_the_more_there_was(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with Store.create(tmp_path / "store.db", is_served=True) as store:
        copier = Checkpointer(store)
        pauses = [copier.round() for _ in range(20)]
        assert pauses == sorted(pauses)
        assert pauses[-1] == checkpointer._LONGEST
        copied = iter(range(10_000, 10**9, 10_000))
        monkeypatch.setattr(store.database, "checkpoint", lambda: next(copied))
        pauses = [copier.round() for _ in range(20)]
        assert pauses == sorted(pauses, reverse=True)
        assert pauses[-1] == checkpointer._SHORTEST

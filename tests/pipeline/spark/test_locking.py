"""A query that is started from Python has the store to itself until it has ended."""

from threading import Event as Flag

import pytest

from rankcast.errors import StoreError
from rankcast.pipeline.spark import locking
from rankcast.pipeline.spark.locking import start_locked
from rankcast.store import Store
from rankcast.store.store_lock import StoreLock


class Query:
    """Runs until it is told to end; then it fails."""

    def __init__(self):
        self.ended = Flag()

    def awaitTermination(self):
        self.ended.wait(30)
        raise RuntimeError("it failed")


@pytest.fixture
def place(tmp_path):
    Store.create(tmp_path / "store.db").close()
    return str(tmp_path / "store.db")


def test_a_second_pipeline_is_refused_until_the_first_has_ended(place, monkeypatch):
    query = start_locked(place, Query)
    monkeypatch.setattr(locking, "_PATIENCE", 0.1)
    with pytest.raises(StoreError, match="is served by another process already"):
        start_locked(place, Query)
    with Store.open(place) as store, pytest.raises(StoreError, match="already"):
        StoreLock(store).take()
    query.ended.set()
    monkeypatch.setattr(locking, "_PATIENCE", 10.0)
    start_locked(place, Query).ended.set()


def test_what_cannot_start_holds_no_lock(place):
    def refuse():
        raise ValueError("no such checkpoint")

    with pytest.raises(ValueError, match="no such checkpoint"):
        start_locked(place, refuse)
    with Store.open(place) as store, StoreLock(store):
        pass

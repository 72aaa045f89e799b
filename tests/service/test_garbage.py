"""Garbage is collected between batches, and memory stays bounded."""

import gc
import subprocess
import sys
from collections.abc import Iterator
from weakref import ref

import pytest

from rankcast.service import garbage
from rankcast.service.garbage import GarbageCollection


class Knot:
    """An object that only the collector can free."""

    def __init__(self) -> None:
        self.self = self


@pytest.fixture(autouse=True)
def automatic() -> Iterator[None]:
    yield
    gc.unfreeze()
    gc.enable()


def test_new_garbage_goes_with_each_call() -> None:
    collection = GarbageCollection()
    assert not gc.isenabled()
    knot = ref(Knot())
    assert knot() is not None
    collection.collect()
    assert knot() is None


def test_old_garbage_goes_when_memory_has_doubled(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(garbage, "_ROUNDS", 2)
    monkeypatch.setattr(garbage, "_FEWEST", 1)
    collection = GarbageCollection()
    held = Knot()
    knot = ref(held)
    collection.collect()
    del held
    assert knot() is not None, "it was there when the collection began, so that it is not looked at"
    collection.collect()
    assert knot() is None


def test_what_was_loaded_before_serving_is_looked_at_once_and_does_not_count(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(garbage, "_ROUNDS", 1)
    monkeypatch.setattr(garbage, "_FEWEST", 1)
    collection = GarbageCollection()
    loaded = [Knot() for _ in range(1_000)]
    knot = ref(Knot())
    collection.settle()
    assert knot() is None
    full = list[int]()
    monkeypatch.setattr(GarbageCollection, "settle", lambda self: full.append(1))
    for _ in range(3):
        collection.collect()
    assert not full, "the memory in use has not doubled"
    collection._enough = len(loaded)
    collection.collect()
    assert full


def test_the_pipeline_process_uses_it() -> None:
    code = (
        "import gc; from rankcast.service.runner import Runner; from rankcast.store import Store; import tempfile;"
        "store = Store.create(tempfile.mkdtemp() + '/s.db'); Runner(store); print(gc.isenabled());"
        "Runner(store, owns_process=True); print(gc.isenabled())"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["True", "False"]

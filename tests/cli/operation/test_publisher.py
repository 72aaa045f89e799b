"""Lines of events into a store, chunk by chunk."""

import io
import sys
from collections.abc import Iterator
from types import SimpleNamespace
from typing import Any

import pytest

from rankcast.cli.operation.publisher import FilePublisher, chunks
from rankcast.language.files import MAX_LINE
from rankcast.store import Store


@pytest.fixture
def store() -> Iterator[Store]:
    with Store.create("s.db") as made:
        yield made


def test_a_file_in_chunks_of_a_thousand(lines: Any) -> None:
    found = list(chunks(lines("e.jsonl", ["x", "", *"y" * 2000])))
    assert [len(chunk) for chunk in found] == [1000, 1000, 1]
    assert found[0][:2] == [(1, b"x"), (3, b"y")]


class Dripping(io.RawIOBase):
    """A stdin that gives one piece at a time."""

    def __init__(self, *pieces: bytes) -> None:
        self._pieces = list(pieces)

    def read1(self, size: int = -1) -> bytes:
        return self._pieces.pop(0) if self._pieces else b""


def of_stdin(monkeypatch: pytest.MonkeyPatch, *pieces: bytes) -> list[list[tuple[int, bytes]]]:
    monkeypatch.setattr(sys, "stdin", SimpleNamespace(buffer=Dripping(*pieces)))
    return list(chunks("-"))


def test_stdin_piece_by_piece(monkeypatch: pytest.MonkeyPatch) -> None:
    found = of_stdin(monkeypatch, b"one\r\ntw", b"o\n\n", b"   \n", b"five\nsix")
    assert found == [[(1, b"one")], [(2, b"two")], [(5, b"five")], [(6, b"six")]]
    assert of_stdin(monkeypatch) == []


def test_an_endless_line_does_not_fill_the_memory(monkeypatch: pytest.MonkeyPatch) -> None:
    pieces = [b"x" * 1_000_000] * 15
    ((number, line),) = (chunk[0] for chunk in of_stdin(monkeypatch, *pieces, b"\n"))
    assert (number, len(line)) == (1, MAX_LINE + 1)


def test_acknowledged_means_logged(store: Store) -> None:
    seen: list[tuple[str, int]] = []
    publisher = FilePublisher(store, "-", lambda name, offset: seen.append((name, offset)))
    publisher.publish([(1, b'{"id": "a", "attributes": {}}'), (2, b"nonsense")])
    publisher.publish([(3, b'{"id": "b", "attributes": {}}'), (4, b'{"id": "a", "attributes": {}}')])
    assert seen == [("a", 1), ("b", 2), ("a", 1)]
    assert [entry.event.id for entry in store.events()] == ["a", "b"]
    assert [reject.line for reject in publisher.rejects] == [2]
    assert [reject.line for reject in store.rejects()] == [2]
    assert publisher.summary() == "published 2 events; 1 already in the log; rejected 1 line (see: rankcast rejects)"


def test_an_id_stands_once_in_a_file(store: Store) -> None:
    publisher = FilePublisher(store, "e.jsonl", lambda name, offset: None)
    publisher.publish([(1, b'{"id": "a", "attributes": {}}')])
    publisher.publish([(2, b'{"id": "a", "attributes": {}}')])
    assert [reject.reason for reject in publisher.rejects] == ["duplicate event 'a', first on line 1"]

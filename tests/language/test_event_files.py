"""Files of events are recognised by their content."""

import gzip
import json
from datetime import datetime
from decimal import Decimal
from pathlib import Path

import pyarrow as pa
import pytest
import zstandard
from pyarrow import ipc, parquet

from rankcast.errors import EnvironmentProblem
from rankcast.language import event_files, read_events
from rankcast.language.event_files import EventFileKind, EventIds, event_file
from rankcast.model import Catalog


@pytest.mark.parametrize(
    ("name", "content", "kind"),
    [
        ("e.jsonl", '{"id": "e1", "time": "2020-01-01", "attributes": {}}\n', EventFileKind.LINES),
        ("e", '{"id": "e1"}', EventFileKind.LINES),
        ("broken.jsonl", "id,time,genre\n", EventFileKind.LINES),
        ("broken", "not an event\n", EventFileKind.LINES),
        ("empty", "", EventFileKind.LINES),
        ("e.json", "\ufeff\n [\n]", EventFileKind.ARRAY),
        ("one.json", "{\n}", EventFileKind.ARRAY),
        ("one-column.csv", "genre\ndrama\n", EventFileKind.CSV),
        ("export.txt", "id;release date;genre\n", EventFileKind.CSV),
    ],
)
def test_kinds(tmp_path: Path, name: str, content: str, kind: EventFileKind) -> None:
    path = tmp_path / name
    path.write_text(content)
    assert event_file(path).kind is kind


def test_a_replay_reads_all_kinds(tmp_path: Path) -> None:
    path = tmp_path / "films.csv"
    path.write_text('time,title,seen\n2020-01-02,"A, B",true\n2020-01-01,,2020-05-01\n')
    events, rejects = read_events(path, Catalog())
    assert not rejects
    assert [dict(event.attributes) for event in events] == [
        {"seen": ("2020-05-01",)},
        {"title": ("A, B",), "seen": ("true",)},
    ]
    assert len({event.id for event in events}) == 2


def test_what_is_too_large_or_missing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(event_files, "_MOST_BYTES", 3)
    path = tmp_path / "e.json"
    path.write_text("[{}, {}]")
    with pytest.raises(EnvironmentProblem, match="more than 3 bytes; convert it to JSON Lines first"):
        list(event_file(path).lines())
    with pytest.raises(EnvironmentProblem, match="there is no file"):
        list(event_file(tmp_path / "none.csv").lines())


def test_ids_count_repetitions() -> None:
    ids = EventIds()
    assert len({ids.of(line) for line in (b"a", b"a", b"b")}) == 3
    assert ids.given == 3


def table() -> pa.Table:
    return pa.table(
        {
            "id": ["a", "b"],
            "time": pa.array([datetime(2026, 1, 1), datetime(2026, 1, 2)], pa.timestamp("us", "UTC")),
            "price": pa.array([Decimal("1.50"), None], pa.decimal128(6, 2)),
            "marks": pa.array([[1, 2], []], pa.list_(pa.int64())),
            "size": [{"width": 3, "names": ["x"]}, None],
        }
    )


def written(folder: Path, kind: str, packed: str) -> Path:
    """The table as a file of some kind, perhaps compressed, with a name that says nothing."""
    path = folder / "events"
    match kind:
        case "parquet":
            parquet.write_table(table(), path)
        case "arrow file":
            with ipc.new_file(path, table().schema) as file:
                file.write_table(table(), max_chunksize=1)
        case "arrow stream":
            with ipc.new_stream(path, table().schema) as stream:
                stream.write_table(table())
        case "lines":
            lines = (json.dumps({"id": one, "time": "2026-01-01", "attributes": {}}) for one in "ab")
            path.write_text("\n".join(lines))
    pack = {"": bytes, "gz": gzip.compress, "zst": zstandard.ZstdCompressor().compress}[packed]
    path.write_bytes(pack(path.read_bytes()))
    return path


@pytest.mark.parametrize("packed", ["", "gz", "zst"])
@pytest.mark.parametrize("kind", ["parquet", "arrow file", "arrow stream"])
def test_tables_plain_and_compressed(tmp_path: Path, kind: str, packed: str) -> None:
    file = event_file(written(tmp_path, kind, packed))
    assert file.understood() == (
        f"events is read as {kind.split()[0].capitalize()}, one event per row; attributes: price (number), "
        "marks (list of number), size (width: number, names: list of text); id and time from the columns of that name"
    )
    events, rejects = read_events(file.path, Catalog())
    assert not rejects
    assert [dict(event.attributes) for event in events] == [
        {"price": (1.5,), "marks": (1, 2), "size.width": (3,), "size.names": ("x",)},
        {},
    ]


@pytest.mark.parametrize("packed", ["gz", "zst"])
def test_compressed_lines(tmp_path: Path, packed: str) -> None:
    events, rejects = read_events(written(tmp_path, "lines", packed), Catalog())
    assert ([event.id for event in events], rejects) == (["a", "b"], [])


@pytest.mark.parametrize("kind", ["parquet", "arrow file", "arrow stream"])
def test_a_table_that_was_cut(tmp_path: Path, kind: str) -> None:
    path = written(tmp_path, kind, "")
    path.write_bytes(path.read_bytes()[:-100])
    with pytest.raises(EnvironmentProblem, match=r"cannot be read as (Parquet|Arrow)"):
        list(event_file(path).lines())

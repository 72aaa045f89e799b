"""Packed rows: Arrow blobs that go to every shard, and deliveries that come back."""

from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

import pyarrow as pa

from rankcast.model import Delivery
from rankcast.spark.live.intake import LogRow

__all__ = [
    "DELIVERY",
    "EVENTS",
    "LOG",
    "VERSION",
    "Mark",
    "deliveries_table",
    "log_blob",
    "log_rows",
    "mark_of",
    "stream_of",
    "table_of",
]

LOG, EVENTS, VERSION = 1, 2, 3
"""What a blob holds: rows of the store's log, events from elsewhere, or versions of the catalog."""

DELIVERY = pa.schema(
    [
        ("user", pa.string()),
        ("event", pa.string()),
        ("seq", pa.int64()),
        ("rank", pa.float64()),
        ("subscriptions", pa.list_(pa.string())),
        ("published", pa.timestamp("us", "UTC")),
        ("forwarded", pa.timestamp("us", "UTC")),
        ("window", pa.int64()),
    ]
)

_LOG = pa.schema([("offset", pa.int64()), ("version", pa.int64()), ("content", pa.string())])


class Mark(NamedTuple):
    """Which pipeline read a blob from the store, from where to where, and whether the stream ends with it."""

    pipeline: str
    start: int
    end: int
    close: bool = False


def log_blob(rows: Sequence[tuple[int, int, str]], mark: Mark) -> bytes:
    """Rows of the log (offset, version, content), with their mark."""
    offsets, versions, contents = zip(*rows, strict=True) if rows else ((), (), ())
    arrays = [pa.array(offsets, pa.int64()), pa.array(versions, pa.int64()), pa.array(contents, pa.string())]
    marked = _LOG.with_metadata({name: str(int(v) if isinstance(v, bool) else v) for name, v in mark._asdict().items()})
    return stream_of(pa.Table.from_arrays(arrays, schema=marked))


def log_rows(table: pa.Table) -> Iterator[LogRow]:
    """The rows that a blob of the log holds."""
    columns = (table[name].to_pylist() for name in _LOG.names)
    for offset, version, content in zip(*columns, strict=True):
        yield LogRow(offset, version, content)


def mark_of(table: pa.Table) -> Mark:
    """The mark of a blob from the store."""
    said: dict[str, str] = {name.decode(): value.decode() for name, value in table.schema.metadata.items()}
    return Mark(said["pipeline"], int(said["start"]), int(said["end"]), said["close"] == "1")


def table_of(blob: bytes) -> pa.Table:
    """The table of an Arrow stream."""
    return pa.ipc.open_stream(blob).read_all()


def stream_of(table: pa.Table) -> bytes:
    """A table as an Arrow stream."""
    sink = pa.BufferOutputStream()
    with pa.ipc.new_stream(sink, table.schema) as writer:
        writer.write_table(table)
    return bytes(sink.getvalue().to_pybytes())


def deliveries_table(made: Sequence[Delivery]) -> pa.Table:
    """Deliveries as an Arrow table."""
    columns: list[list[Any]] = [
        [one.user for one in made],
        [one.event for one in made],
        [one.seq for one in made],
        [one.rank for one in made],
        [one.subscriptions for one in made],
        [one.published for one in made],
        [one.forwarded for one in made],
        [one.window for one in made],
    ]
    arrays = [pa.array(column, kind.type) for column, kind in zip(columns, DELIVERY, strict=True)]
    return pa.Table.from_arrays(arrays, schema=DELIVERY)

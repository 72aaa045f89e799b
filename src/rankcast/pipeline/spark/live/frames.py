"""Packed rows: blobs that go to every shard, and deliveries that come back."""

from collections.abc import Sequence
from typing import NamedTuple

import msgspec
import pyarrow as pa

from rankcast.language.columns import arrow_schema, arrow_table
from rankcast.model import Delivery

__all__ = [
    "DELIVERY",
    "EVENTS",
    "MARK",
    "Mark",
    "decode_mark",
    "deliveries_table",
    "encode_mark",
    "stream_of",
    "table_of",
]

MARK, EVENTS = 1, 2
"""The kinds of blobs: a mark of the store's log or versions, or events from another source (an Arrow stream)."""

DELIVERY = arrow_schema(Delivery)


class Mark(NamedTuple):
    """A range of the store's log or versions for a pipeline, and whether the stream ends with it.

    If nothing was published, `clock` is the time that the clock has reached, in microseconds.
    """

    pipeline: str
    start: int
    end: int
    close: bool = False
    clock: int | None = None


def encode_mark(mark: Mark) -> bytes:
    """Encode a mark as a blob."""
    return msgspec.msgpack.encode(mark)


def decode_mark(blob: bytes) -> Mark:
    """Decode the mark in a blob."""
    return msgspec.msgpack.decode(blob, type=Mark)


def table_of(blob: bytes) -> pa.Table:
    """The table in an Arrow stream."""
    return pa.ipc.open_stream(blob).read_all()


def stream_of(table: pa.Table) -> bytes:
    """A table as a compressed Arrow stream."""
    sink = pa.BufferOutputStream()
    with pa.ipc.new_stream(sink, table.schema, options=pa.ipc.IpcWriteOptions(compression="lz4")) as writer:
        writer.write_table(table)
    return bytes(sink.getvalue().to_pybytes())


def deliveries_table(made: Sequence[Delivery]) -> pa.Table:
    """Deliveries as an Arrow table."""
    return arrow_table(made, Delivery)

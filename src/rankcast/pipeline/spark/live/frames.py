"""Tables on their way to and from a shard, as Arrow streams."""

from collections.abc import Sequence

import pyarrow as pa

from rankcast.language.columns import arrow_schema, arrow_table
from rankcast.model import Delivery

DELIVERY = arrow_schema(Delivery)
NO_DELIVERIES = pa.Table.from_batches([], schema=DELIVERY)


def table_of(blob: bytes) -> pa.Table:
    """The table in an Arrow stream. Nothing stands for no deliveries."""
    return pa.ipc.open_stream(blob).read_all() if blob else NO_DELIVERIES


def stream_of(table: pa.Table) -> bytes:
    """A table as a compressed Arrow stream.

    Arrow would compress the columns in threads, and waiting for these takes longer if the cores are busy.
    """
    sink = pa.BufferOutputStream()
    options = pa.ipc.IpcWriteOptions(compression="lz4", use_threads=False)
    with pa.ipc.new_stream(sink, table.schema, options=options) as writer:
        writer.write_table(table)
    return bytes(sink.getvalue().to_pybytes())


def deliveries_table(made: Sequence[Delivery]) -> pa.Table:
    """Deliveries as an Arrow table."""
    return arrow_table(made, Delivery) if made else NO_DELIVERIES

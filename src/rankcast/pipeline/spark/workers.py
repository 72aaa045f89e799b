"""The parts of all jobs that run in Spark's Python workers: packing, decoding and checking rows."""

from collections.abc import Iterator

import pyarrow as pa

from rankcast.errors import CatalogError
from rankcast.language import decode_record, dumps, encode_event
from rankcast.language.tables import Outcome, events_of_json, events_of_table
from rankcast.model import Catalog, Event
from rankcast.overlay import check_publication

JSON = "event_json"
"""The column of events given as JSON, in the live pipeline."""

WHOLE = "rankcast_event"
"""The column of events given as JSON, in batch jobs. Where it is not null, the event is there and not in the other
columns."""

RECEIVED = "rankcast_received"
"""The column with the start time of the micro-batch, which the checkpoint records."""

WRITTEN = "rankcast_written"
"""The column with the time at which a message was written to its topic."""

CHECKED = "id string, time timestamp, content string, raw string, reason string"
"""The columns that `check_rows` makes: of a valid event its id, time and content; of other rows the reason."""

TIMED = f"id string, time timestamp, {WHOLE} string"
"""The columns that `time_rows` makes."""


def pack(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    """Pack each batch of rows into one row in Arrow's stream format."""
    for batch in batches:
        sink = pa.BufferOutputStream()
        with pa.ipc.new_stream(sink, batch.schema) as writer:
            writer.write_batch(batch)
        yield pa.RecordBatch.from_arrays([pa.array([sink.getvalue().to_pybytes()], pa.binary())], ["blob"])


def outcomes(batch: pa.RecordBatch | pa.Table, catalog: Catalog) -> Iterator[Outcome]:
    """Each row as an event, or as a reject: the row and the reason."""
    for outcome in decoded(batch):
        if isinstance(outcome, Event):
            try:
                catalog.check_event(outcome)
                check_publication(catalog, outcome)
            except CatalogError as error:
                yield _content(outcome), str(error)
                continue
        yield outcome


def decoded(batch: pa.RecordBatch | pa.Table) -> Iterator[Outcome]:
    """Each row as an event that may not fit the catalog, or as a reject."""
    names = batch.schema.names
    if WHOLE not in names:
        return events_of_table(batch)
    count = batch[WHOLE].null_count
    if not count:
        return events_of_json(batch[WHOLE])
    columns = batch.select([name for name in names if name != WHOLE])
    return events_of_table(columns) if count == batch.num_rows else _of_either(batch[WHOLE], columns)


def _of_either(whole: pa.Array | pa.ChunkedArray, columns: pa.RecordBatch | pa.Table) -> Iterator[Outcome]:
    is_whole = whole.is_valid()
    lines, rows = events_of_json(whole.filter(is_whole)), events_of_table(columns.filter(whole.is_null()))
    for one in is_whole.to_pylist():
        yield next(lines if one else rows)


def _content(event: Event) -> str:
    return dumps(encode_event(event))


def _catalog(lines: bytes) -> Catalog:
    return Catalog([decode_record(line) for line in lines.splitlines()])


def check_rows(batches: Iterator[pa.RecordBatch], shared: bytes) -> Iterator[pa.RecordBatch]:
    """Each row as an event, or as a reject with its reason. `shared` holds the shared records, one per line."""
    catalog = _catalog(shared)
    schema = pa.schema(
        [
            ("id", pa.string()),
            ("time", pa.timestamp("us", "UTC")),
            ("content", pa.string()),
            ("raw", pa.string()),
            ("reason", pa.string()),
        ]
    )
    for batch in batches:
        rows = []
        for outcome in outcomes(batch, catalog):
            if isinstance(outcome, Event):
                content = _content(outcome)
                rows.append({"id": outcome.id, "time": outcome.time, "content": content, "raw": content})
            else:
                rows.append({"raw": outcome[0], "reason": outcome[1]})
        yield pa.RecordBatch.from_pylist(rows, schema=schema)


def time_rows(batches: Iterator[pa.RecordBatch], shared: bytes) -> Iterator[pa.RecordBatch]:
    """The valid events as JSON with their id and time, by which Spark sorts them."""
    catalog = _catalog(shared)
    schema = pa.schema([("id", pa.string()), ("time", pa.timestamp("us", "UTC")), (WHOLE, pa.string())])
    for batch in batches:
        lines = batch[WHOLE].to_pylist() if WHOLE in batch.schema.names else [None] * batch.num_rows
        rows = [
            {"id": one.id, "time": one.time, WHOLE: line or _content(one)}
            for line, one in zip(lines, outcomes(batch, catalog), strict=True)
            if isinstance(one, Event)
        ]
        yield pa.RecordBatch.from_pylist(rows, schema=schema)

"""The parts of the batch jobs that run in Spark's Python workers: packing, checking, one shard."""

from collections.abc import Callable, Iterator
from typing import TypeAlias

import pyarrow as pa

from rankcast.engine.choice import shard_for
from rankcast.engine.reference.shard import Shard
from rankcast.errors import CatalogError
from rankcast.language import decode_record, dumps, encode_event
from rankcast.language.columns import arrow_table
from rankcast.model import Catalog, Event, Match, in_publication_order
from rankcast.overlay import check_publication
from rankcast.pipeline.spark.columns import events_of_json, events_of_table
from rankcast.pipeline.spark.live.frames import deliveries_table

__all__ = [
    "ADMITTED",
    "CATALOG",
    "EVENTS",
    "JSON",
    "RECEIVED",
    "WRITTEN",
    "InShard",
    "check_rows",
    "deliver_in_shard",
    "in_worker",
    "match_in_shard",
    "pack",
    "set_aside_in_shard",
]

CATALOG, EVENTS, ADMITTED = 0, 1, 2
"""The kinds of blobs: a shard's part of the catalog, a batch of events, or a batch of admitted pairs.

A pair is an event and a subscription that the publisher's advertisement admits.
"""

JSON = "event_json"
"""The column of events given as JSON."""

RECEIVED = "rankcast_received"
"""The column with the start time of the micro-batch, which the checkpoint records."""

WRITTEN = "rankcast_written"
"""The column with the time at which a message was written to its topic."""

Admitted: TypeAlias = dict[str, set[str]]
InShard: TypeAlias = Callable[[Catalog, list[Event], Admitted], pa.Table]


def pack(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    """Pack each batch of rows into one row in Arrow's stream format."""
    for batch in batches:
        sink = pa.BufferOutputStream()
        with pa.ipc.new_stream(sink, batch.schema) as writer:
            writer.write_batch(batch)
        yield pa.RecordBatch.from_arrays([pa.array([sink.getvalue().to_pybytes()], pa.binary())], ["blob"])


def _outcomes(batch: pa.RecordBatch | pa.Table, catalog: Catalog) -> Iterator[Event | tuple[str, str]]:
    decoded = events_of_json(batch[JSON]) if batch.schema.names == [JSON] else events_of_table(batch)
    for outcome in decoded:
        if isinstance(outcome, Event):
            try:
                catalog.check_event(outcome)
                check_publication(catalog, outcome)
            except CatalogError as error:
                yield _content(outcome), str(error)
                continue
        yield outcome


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
        for outcome in _outcomes(batch, catalog):
            if isinstance(outcome, Event):
                content = _content(outcome)
                rows.append({"id": outcome.id, "time": outcome.time, "content": content, "raw": content})
            else:
                rows.append({"raw": outcome[0], "reason": outcome[1]})
        yield pa.RecordBatch.from_pylist(rows, schema=schema)


def _accepted(blobs: list[bytes], catalog: Catalog) -> list[Event]:
    events: dict[str, Event] = {}
    for blob in blobs:
        for outcome in _outcomes(pa.ipc.open_stream(blob).read_all(), catalog):
            if isinstance(outcome, Event):
                known = events.get(outcome.id)
                if known is None or (outcome.time, _content(outcome)) < (known.time, _content(known)):
                    events[outcome.id] = outcome
    return in_publication_order(list(events.values()))


def _admitted(blobs: list[bytes]) -> Admitted:
    admitted: Admitted = {}
    for blob in blobs:
        for row in pa.ipc.open_stream(blob).read_all().to_pylist():
            admitted.setdefault(row["event"], set()).add(row["subscription"])
    return admitted


def in_worker(in_shard: InShard) -> Callable[[pa.Table], pa.Table]:
    """The grouped step: all rows of one shard in, the result of `in_shard` out."""

    def run(rows: pa.Table) -> pa.Table:
        blobs: dict[int, list[bytes]] = {CATALOG: [], EVENTS: [], ADMITTED: []}
        for kind, blob in zip(rows["kind"].to_pylist(), rows["blob"].to_pylist(), strict=True):
            blobs[kind].append(blob)
        catalog = _catalog(b"\n".join(blobs[CATALOG]))
        return in_shard(catalog, _accepted(blobs[EVENTS], catalog), _admitted(blobs[ADMITTED]))

    return run


def deliver_in_shard(catalog: Catalog, events: list[Event], admitted: Admitted) -> pa.Table:
    """The deliveries of one shard."""
    shard = shard_for(len(events), catalog)
    if isinstance(shard, Shard):
        return deliveries_table(shard.publish(events, admitted) + shard.close())
    made = (shard.publish_columns(events, admitted), shard.close_columns())
    return pa.concat_tables(columns.arrow() for columns in made)


def set_aside_in_shard(catalog: Catalog, events: list[Event], admitted: Admitted) -> pa.Table:
    """The events that one shard cannot serve."""
    schema = pa.schema([("user", pa.string()), ("event", pa.string()), ("seq", pa.int64()), ("error", pa.string())])
    shard = shard_for(len(events), catalog)
    shard.publish(events, admitted)
    shard.close()
    rows = [
        {"user": row.user, "event": row.event, "seq": row.seq, "error": row.error} for row in shard.take_set_aside()
    ]
    return pa.Table.from_pylist(rows, schema=schema)


def match_in_shard(catalog: Catalog, events: list[Event], admitted: Admitted) -> pa.Table:
    """The matches of one shard. `admitted` has no effect."""
    shard = Shard(catalog)
    return arrow_table([found for event in events for found in shard.match(event)], Match)

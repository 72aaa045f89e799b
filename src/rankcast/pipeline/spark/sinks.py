"""The sinks of a stream: where the deliveries of each micro-batch go.

A shard writes its part of a micro-batch in its own task, and the driver publishes it when all parts are written. Spark
repeats tasks and micro-batches if it does not know that they were finished, so a sink must write nothing twice.
"""

import logging
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import pairwise
from typing import TypeAlias

import msgspec
import pyarrow as pa
import pyarrow.compute as pc
from pyspark import TaskContext
from pyspark.sql import DataFrame
from pyspark.sql import functions as f

from rankcast.errors import ModelError
from rankcast.extras import require
from rankcast.language import dumps
from rankcast.language.columns import spark_schema
from rankcast.model import Delivery
from rankcast.pipeline.spark.live.frames import DELIVERY, table_of
from rankcast.pipeline.spark.live.reports import ShardReport, decode_report
from rankcast.pipeline.spark.shipping import shipped
from rankcast.plain import JsonObject
from rankcast.store import BatchCounts, Store
from rankcast.store.sql import Columns
from rankcast.store.staging import StagedDeliveries

_logger = logging.getLogger(__name__)


@dataclass(frozen=True)
class MicroBatchResult:
    """The result of one micro-batch: its number, its deliveries as an Arrow table, and the reports of the shards.

    The deliveries are grouped by user and in order for each user. `store` identifies the store. In the task of a shard,
    this is the shard's part (`ShardPart`).

    The number does not identify a micro-batch: a checkpoint restored from a backup counts from an earlier number
    again. The pipeline and the range of positions, `after` one `up_to` another, do.
    """

    batch: int
    deliveries: pa.Table
    reports: Sequence[ShardReport]
    store: int = 0

    @property
    def pipeline(self) -> str:
        """The name of the pipeline; empty if no shard reported."""
        return self.reports[0].pipeline if self.reports else ""

    @property
    def after(self) -> int:
        """The position of the last event before the micro-batch; for a store's log, its offset."""
        return min((report.after for report in self.reports), default=0)

    @property
    def up_to(self) -> int:
        """The position of the last event of the micro-batch."""
        return max((report.up_to for report in self.reports), default=0)


Sink: TypeAlias = Callable[[MicroBatchResult], None]
"""Receives the result of a micro-batch. After a crash it may receive the same one again, so it must be idempotent."""


class ShardPart:
    """What one shard made of a micro-batch: its deliveries as an Arrow stream, and its result once it is needed."""

    def __init__(self, stream: bytes, report: bytes, batch: int, store: int) -> None:
        self.stream = stream
        self._report, self._batch, self._store = report, batch, store

    @cached_property
    def count(self) -> int:
        """The number of deliveries."""
        return int(table_of(self.stream).num_rows)

    @cached_property
    def result(self) -> MicroBatchResult:
        """The part as a micro-batch of one shard."""
        return MicroBatchResult(self._batch, _joined([self.stream]), [decode_report(self._report)], self._store)


class TaskSink:
    """A sink to which each shard writes its own deliveries, in its task. This one passes them on, and drops them."""

    def write(self, part: ShardPart) -> bytes:
        """Write the deliveries of one shard, which are at least one. Returns what `publish` needs to know of them.

        Spark may repeat a task, or run it twice at the same time. Only what one of these returned is published.
        """
        return part.stream

    def publish(self, made: MicroBatchResult, receipts: Sequence[bytes]) -> None:
        """On the driver, make the parts visible that these receipts of `write` name. `made` has no deliveries."""


@dataclass(frozen=True)
class FunctionSink(TaskSink):
    """Calls a function with all deliveries of a micro-batch, on the driver."""

    function: Sink

    def publish(self, made: MicroBatchResult, receipts: Sequence[bytes]) -> None:
        """Call the function."""
        self.function(replace(made, deliveries=_joined(receipts)))


class FrameSink(TaskSink, ABC):
    """A sink that writes the deliveries of a micro-batch as a DataFrame, so that Spark writes them on its executors."""

    @abstractmethod
    def append(self, made: MicroBatchResult, deliveries: DataFrame) -> None:
        """Write the deliveries, which are at least one."""


def sink_of(name: str) -> TaskSink:
    """The sink that a text names.

    It is ``console``, a folder for files (``jsonl:FOLDER``, ``parquet:FOLDER``), a table of any format that Spark can
    append to and read (``table:FORMAT?OPTION=VALUE&…``), or a topic (``kafka://host:port/topic``).
    """
    kind, _, place = name.partition(":")
    match kind:
        case "console" if not place:
            return FunctionSink(Print())
        case "jsonl" if place:
            from rankcast.pipeline.spark.file_sinks import JsonLines

            return JsonLines(place)
        case "parquet" if place:
            from rankcast.pipeline.spark.file_sinks import ParquetFiles

            return ParquetFiles(place)
        case "table" if place:
            from rankcast.pipeline.spark.table_sink import TableSink

            return TableSink.of(name)
        case "kafka":
            require("kafka")
            from rankcast.pipeline.spark.kafka_sink import KafkaSink
            from rankcast.pipeline.topics import Topic

            return KafkaSink(Topic.of(name))
    raise ModelError(
        f"there is no sink {name!r}; it may be console, jsonl:FOLDER, parquet:FOLDER, table:FORMAT?OPTION=VALUE, or "
        "kafka://host:port/topic"
    )


OUTPUT = "shard int, report binary, receipts array<binary>"
"""What the task of a shard returns: a receipt of each sink."""


def write_part(stream: bytes, report: bytes, sinks: Sequence[TaskSink], store: int) -> list[bytes]:
    """Write the deliveries of a shard to all sinks, in its task. Returns the receipts, which are empty without any."""
    context = TaskContext.get()
    batch = context.getLocalProperty("streaming.sql.batchId") if context is not None else None
    part = ShardPart(stream, report, int(batch or 0), store)
    return [sink.write(part) if stream else b"" for sink in sinks]


def publish_batch(rows: DataFrame, batch: int, sinks: Sequence[TaskSink], store: int) -> None:
    """Let all shards write their parts of a micro-batch, then publish them; `rows` has one row per shard (`OUTPUT`)."""
    receipt = [f.col("receipts")[number] for number in range(len(sinks))]
    is_frame = [isinstance(sink, FrameSink) for sink in sinks]
    if any(is_frame):
        rows = rows.persist()  # the shards must not serve the micro-batch again for each sink
    try:
        # Of a frame, the driver gets no more than whether there is any delivery.
        told = [f.substring(one, 1, 1) if big else one for one, big in zip(receipt, is_frame, strict=True)]
        packed = rows.select("shard", "report", *(one.alias(f"r{number}") for number, one in enumerate(told))).toArrow()
        packed = packed.sort_by("shard")
        reports = [decode_report(blob) for blob in packed["report"].to_pylist()]
        made = MicroBatchResult(batch, DELIVERY.empty_table(), reports, store)
        for number, sink in enumerate(sinks):
            receipts = [one for one in packed[f"r{number}"].to_pylist() if one]
            if not isinstance(sink, FrameSink):
                sink.publish(made, receipts)
            elif receipts:
                sink.append(made, unpacked(rows, number))
    finally:
        if any(is_frame):
            rows.unpersist()


def unpacked(rows: DataFrame, number: int) -> DataFrame:
    """The deliveries that the shards passed on to the sink of this number."""
    passed_on = rows.select(f.col("receipts")[number].alias("deliveries"))
    return passed_on.mapInArrow(shipped(_unpack), spark_schema(Delivery))


def _unpack(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    for batch in batches:
        for blob in batch["deliveries"].to_pylist():
            if blob:
                yield from table_of(blob).to_batches()


def _joined(streams: Sequence[bytes]) -> pa.Table:
    """The deliveries of several shards, in order for each user."""
    together = pa.concat_tables([DELIVERY.empty_table(), *map(table_of, streams)])
    return together.sort_by([("user", "ascending"), ("window", "ascending"), ("seq", "ascending")])


class StoreSink(TaskSink):
    """Writes deliveries, rejects, progress and counts to the store, all in one transaction.

    The tasks copy deliveries to a store in PostgreSQL themselves, into a table from which the transaction takes them.
    SQLite has one writer, so they pass through the driver. Without `has_deliveries`, the store only counts them.
    The store stays open between micro-batches, with much of its indexes in memory.
    """

    def __init__(self, store: str, has_deliveries: bool = True) -> None:
        self._url = store
        self._has_deliveries = has_deliveries
        self._is_staged = has_deliveries and "://" in store
        self._opened: Store | None = None

    def __getstate__(self) -> JsonObject:
        """Drop the open store, which the receiving process opens again."""
        return {**self.__dict__, "_opened": None}

    def write(self, part: ShardPart) -> bytes:
        """Copy the deliveries to PostgreSQL, or pass them on, or count them."""
        if not self._has_deliveries:
            return b"%d" % part.count
        if not self._is_staged:
            return part.stream
        # After a failure, the next attempt opens the store again.
        store = _staging.pop(self._url, None) or Store.open(self._url)
        name = store.stage(_columns(part.result.deliveries))
        _staging[self._url] = store
        return msgspec.msgpack.encode((name, part.count))

    def publish(self, made: MicroBatchResult, receipts: Sequence[bytes]) -> None:
        """Write the result of a micro-batch."""
        if not made.reports:
            return
        first = made.reports[0]
        set_aside = [row for report in made.reports for row in report.set_aside]
        for row in set_aside:
            _logger.warning("set aside: user %r, event %r, version %d: %s", row.user, row.event, row.version, row.error)
        done = BatchCounts(
            made.batch,
            events=first.events,
            matched=sum(report.matches for report in made.reports),
            late=first.late,
            rejected=len(first.rejects),
            seconds=max(report.seconds for report in made.reports),
            state_bytes=sum(report.state_bytes for report in made.reports),
        )
        if self._opened is None:
            self._opened = Store.open(self._url, is_bulk=True)
        self._opened.commit_batch(
            first.pipeline,
            self._deliveries(made, receipts),
            first.kept(),
            done,
            first.start,
            first.end,
            max(report.version for report in made.reports),
            set_aside,
            min((report.due for report in made.reports if report.due is not None), default=None),
        )

    def _deliveries(self, made: MicroBatchResult, receipts: Sequence[bytes]) -> Columns | StagedDeliveries | int:
        served, matched = min(r.served for r in made.reports), max(r.matched for r in made.reports)
        if not self._has_deliveries:
            return sum(map(int, receipts))
        if self._is_staged:
            return StagedDeliveries(dict(_decode_receipt(receipt) for receipt in receipts), served, matched)
        columns = _columns(_joined(receipts))
        count = len(columns["user_id"])
        return {**columns, "served": [served] * count, "matched": [matched] * count}


_staging: dict[str, Store] = {}
"""The stores to which this process copies deliveries."""
_decode_receipt = msgspec.msgpack.Decoder(tuple[str, int]).decode


def _columns(deliveries: pa.Table) -> dict[str, list[object]]:
    """Deliveries as columns of the store's table. Their order, user by user, suits the larger of its indexes."""
    return {
        "user_id": deliveries["user"].to_pylist(),
        "event_id": deliveries["event"].to_pylist(),
        "seq": deliveries["seq"].to_pylist(),
        "rank": deliveries["rank"].to_pylist(),
        "subscriptions": _json_lists(deliveries["subscriptions"].combine_chunks()),
        "published": pc.cast(deliveries["published"], pa.int64()).to_pylist(),
        "forwarded": pc.cast(deliveries["forwarded"], pa.int64()).to_pylist(),
        "window_number": deliveries["window"].to_pylist(),
    }


def _json_lists(lists: pa.ListArray) -> list[str]:
    """Lists of texts as JSON. Several times as fast as Arrow's own conversion of lists."""
    texts, ends = lists.values.to_pylist(), lists.offsets.to_pylist()
    return [dumps(texts[start:end]) for start, end in pairwise(ends)]


@dataclass(frozen=True)
class Print:
    """Prints deliveries as JSON Lines."""

    def __call__(self, made: MicroBatchResult) -> None:
        """Print the deliveries of a micro-batch."""
        for line in lines_of(made.deliveries):
            print(line, flush=True)


def lines_of(deliveries: pa.Table) -> list[str]:
    """Each delivery as JSON (semantics: Files)."""
    from rankcast.language import show_time

    times = ("published", "forwarded")
    return [dumps({**row, **{name: show_time(row[name]) for name in times}}) for row in deliveries.to_pylist()]

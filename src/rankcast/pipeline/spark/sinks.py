"""The sinks of a stream: functions that Spark calls with each micro-batch.

Spark calls them again with a micro-batch if it does not know that it was written, so they must write nothing twice.
"""

import logging
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import TypeAlias

import pyarrow as pa
import pyarrow.compute as pc
from pyspark.sql import DataFrame

from rankcast.errors import ModelError
from rankcast.extras import require
from rankcast.language import dumps
from rankcast.pipeline.spark.live.frames import DELIVERY, table_of
from rankcast.pipeline.spark.live.reports import ShardReport, decode_report
from rankcast.plain import JsonObject
from rankcast.store import BatchCounts, Store

__all__ = ["MicroBatchResult", "Print", "Sink", "StoreSink", "lines_of", "made_of", "sink_of", "unpack"]


_logger = logging.getLogger(__name__)


@dataclass(frozen=True)
class MicroBatchResult:
    """The result of one micro-batch: its number, its deliveries as an Arrow table, and the reports of the shards.

    The deliveries are grouped by user and in order for each user. `store` identifies the store.

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


def sink_of(name: str) -> Sink:
    """The sink that a text names.

    It is ``console``, a folder for files (``jsonl:FOLDER``, ``parquet:FOLDER``), or a topic
    (``kafka://host:port/topic``).
    """
    kind, _, place = name.partition(":")
    match kind:
        case "console" if not place:
            return Print()
        case "jsonl" if place:
            from rankcast.pipeline.spark.file_sinks import JsonLines

            return JsonLines(place)
        case "parquet" if place:
            from rankcast.pipeline.spark.file_sinks import ParquetFiles

            return ParquetFiles(place)
        case "kafka":
            require("kafka")
            from rankcast.pipeline.spark.kafka_sink import KafkaSink
            from rankcast.pipeline.topics import Topic

            return KafkaSink(Topic.of(name))
    raise ModelError(
        f"there is no sink {name!r}; it may be console, jsonl:FOLDER, parquet:FOLDER, or kafka://host:port/topic"
    )


def unpack(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    """Unpack the deliveries of the shards into rows."""
    for batch in batches:
        for blob in batch["deliveries"].to_pylist():
            yield from table_of(blob).to_batches()


def made_of(rows: DataFrame, batch: int, store: int) -> MicroBatchResult:
    """Collect the results of the shards to the driver: one row per shard."""
    packed = rows.toArrow()
    tables = [table_of(blob) for blob in packed["deliveries"].to_pylist()]
    together = pa.concat_tables(tables) if tables else DELIVERY.empty_table()
    reports = sorted((decode_report(blob) for blob in packed["report"].to_pylist()), key=lambda report: report.shard)
    order = [("user", "ascending"), ("window", "ascending"), ("seq", "ascending")]
    return MicroBatchResult(batch, together.sort_by(order), reports, store)


class StoreSink:
    """Writes deliveries, rejects, progress and counts to the store, all in one transaction.

    The store stays open between micro-batches, with much of its indexes in memory.
    """

    def __init__(self, store: str) -> None:
        self._url = store
        self._opened: Store | None = None

    def __getstate__(self) -> JsonObject:
        """Drop the open store, which the receiving process opens again."""
        return {"_url": self._url, "_opened": None}

    def __call__(self, made: MicroBatchResult) -> None:
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
        served, matched = min(r.served for r in made.reports), max(r.matched for r in made.reports)
        if self._opened is None:
            self._opened = Store.open(self._url, is_bulk=True)
        self._opened.commit_batch(
            first.pipeline,
            _columns(made.deliveries, served, matched),
            first.kept(),
            done,
            first.start,
            first.end,
            max(report.version for report in made.reports),
            set_aside,
            min((report.due for report in made.reports if report.due is not None), default=None),
        )


def _columns(deliveries: pa.Table, served: int, matched: int) -> dict[str, list[object]]:
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
        "served": [served] * deliveries.num_rows,
        "matched": [matched] * deliveries.num_rows,
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

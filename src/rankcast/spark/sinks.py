"""Where deliveries of a stream go: functions that Spark calls with each micro-batch.

Spark calls them again with a micro-batch of which it does not know that it was written, so they write nothing twice.
"""

import os
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import Any, TypeAlias

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq
from pyspark.sql import DataFrame

from rankcast.errors import ModelError, StoreError
from rankcast.language import dumps
from rankcast.spark.live.frames import DELIVERY, table_of
from rankcast.spark.live.reports import Report, decode_report
from rankcast.store import Batched, Store

__all__ = ["JsonLines", "Made", "ParquetFiles", "Print", "Sink", "StoreSink", "sink_of", "unpack"]


@dataclass(frozen=True)
class Made:
    """What one micro-batch made: its number, its deliveries user by user, those of each in order (an Arrow table), and what each
    shard reported."""

    batch: int
    deliveries: pa.Table
    reports: Sequence[Report]


Sink: TypeAlias = Callable[[Made], None]
"""Takes what a micro-batch made; called again with the same batch after a crash, it must not repeat its effect."""


def sink_of(name: str) -> Sink:
    """The sink that a text names: ``console``, or a folder for files: ``jsonl:FOLDER``, ``parquet:FOLDER``."""
    kind, _, place = name.partition(":")
    match kind:
        case "console" if not place:
            return Print()
        case "jsonl" if place:
            return JsonLines(place)
        case "parquet" if place:
            return ParquetFiles(place)
    raise ModelError(f"there is no sink {name!r}; it may be console, jsonl:FOLDER, or parquet:FOLDER")


def unpack(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    """The deliveries of the shards as rows of their own."""
    for batch in batches:
        for blob in batch["deliveries"].to_pylist():
            yield from table_of(blob).to_batches()


def made_of(rows: DataFrame, batch: int) -> Made:
    """What the shards made, brought to the driver: one row for each shard."""
    packed = rows.toArrow()
    tables = [table_of(blob) for blob in packed["deliveries"].to_pylist()]
    together = pa.concat_tables(tables) if tables else DELIVERY.empty_table()
    reports = sorted((decode_report(blob) for blob in packed["report"].to_pylist()), key=lambda report: report.shard)
    order = [("user", "ascending"), ("window", "ascending"), ("seq", "ascending")]
    return Made(batch, together.sort_by(order), reports)


class StoreSink:
    """Writes deliveries, rejects, progress and counts to the store, all in one transaction.

    The store stays open between micro-batches, with much of its indexes in memory.
    """

    def __init__(self, store: str) -> None:
        self._url = store
        self._opened: Store | None = None

    def __getstate__(self) -> dict[str, Any]:
        """Elsewhere the store is opened anew."""
        return {"_url": self._url, "_opened": None}

    def __call__(self, made: Made) -> None:
        """Write what a micro-batch made."""
        if not made.reports:
            return
        first = made.reports[0]
        done = Batched(
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
        )


def _columns(deliveries: pa.Table, served: int, matched: int) -> dict[str, list[Any]]:
    """Deliveries as columns of the store's table. That they come user by user suits the larger of its indexes."""
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
    """Lists of texts as JSON; several times as fast as through Arrow's own lists."""
    texts, ends = lists.values.to_pylist(), lists.offsets.to_pylist()
    return [dumps(texts[start:end]) for start, end in pairwise(ends)]


@dataclass(frozen=True)
class JsonLines:
    """Writes one file of JSON Lines (SPEC 9) per micro-batch into a folder; a batch that comes again replaces its file."""

    folder: str

    def __call__(self, made: Made) -> None:
        """Write what a micro-batch made."""
        lines = [dumps(_plain(row)) for row in made.deliveries.to_pylist()]
        _replace(self.folder, f"{made.batch:08d}.jsonl", "".join(f"{line}\n" for line in lines).encode())


@dataclass(frozen=True)
class ParquetFiles:
    """Writes one Parquet file per micro-batch into a folder; a batch that comes again replaces its file."""

    folder: str

    def __call__(self, made: Made) -> None:
        """Write what a micro-batch made."""
        sink = pa.BufferOutputStream()
        pq.write_table(made.deliveries, sink)
        _replace(self.folder, f"{made.batch:08d}.parquet", sink.getvalue().to_pybytes())


@dataclass(frozen=True)
class Print:
    """Prints deliveries as JSON Lines."""

    def __call__(self, made: Made) -> None:
        """Print what a micro-batch made."""
        for row in made.deliveries.to_pylist():
            print(dumps(_plain(row)), flush=True)


def _plain(row: dict[str, Any]) -> dict[str, Any]:
    from rankcast.language import show_time

    return {**row, "published": show_time(row["published"]), "forwarded": show_time(row["forwarded"])}


def _replace(folder: str, name: str, content: bytes) -> None:
    """Write a file whole or not at all."""
    try:
        Path(folder).mkdir(parents=True, exist_ok=True)
        unfinished = Path(folder) / f".{name}.part"
        with open(unfinished, "wb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        unfinished.replace(Path(folder) / name)
    except OSError as error:
        raise StoreError(
            f"cannot write {name!r} to {folder!r}: {error.strerror}; nothing of the batch is lost"
        ) from error

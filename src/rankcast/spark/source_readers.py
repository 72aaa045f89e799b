"""How the data source reads a table of a store: at once, or as it grows."""

import os
from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import Any

import pyarrow as pa
from pyspark.sql.datasource import DataSourceReader, DataSourceStreamReader, InputPartition
from pyspark.sql.streaming.datasource import ReadAllAvailable, ReadLimit, ReadMaxRows, SupportsTriggerAvailableNow

from rankcast.errors import StoreError
from rankcast.spark.live.frames import Mark
from rankcast.spark.source_tables import TABLES, Options, Range, marked
from rankcast.store import Store

__all__ = ["BatchReader", "StreamReader"]

_FEW = 20_000


class _Part(InputPartition):
    """A range of a table, for one task."""

    def __init__(self, part: Range) -> None:
        super().__init__(tuple(part))
        self.part = part


class BatchReader(DataSourceReader):
    """All rows that are there when the reading is planned."""

    def __init__(self, options: Options) -> None:
        self._options = options

    def partitions(self) -> Sequence[InputPartition]:
        """Ranges of at least some thousands of rows."""
        with Store.open(self._options.store) as store:
            first, last = self._options.first(store), TABLES[self._options.table].last(store)
        return _parts(first, last, is_whole=self._options.table == "catalog")

    def read(self, partition: InputPartition) -> Iterator[pa.RecordBatch]:
        """The rows of a range."""
        return _read(self._options, partition)


class StreamReader(DataSourceStreamReader, SupportsTriggerAvailableNow):
    """The rows as they come; an offset is the number of the last row read.

    A pipeline's offsets also name the pipeline: its first one claims the store, and every later one is compared with who
    serves the store. So a checkpoint that is lost, foreign or replaced is noticed before anything is served.
    """

    def __init__(self, options: Options) -> None:
        self._options = options
        self._table = TABLES[options.table]
        self._target: int | None = None
        self._opened: Store | None = None

    def initialOffset(self) -> dict[str, Any]:  # noqa: N802
        """Where a new query begins; Spark asks several times."""
        if not self._table.is_pipeline:
            return {"number": self._options.first(self._store)}
        name = self._options.pipeline
        start = None if self._options.starting is None else self._options.first(self._store)
        claimed = self._store.claim(name, self._options.place, self._options.shards, start)
        # Versions begin one before the first, so that the first micro-batch has one.
        number = claimed.start_offset if self._options.table == "log" else -1
        return {"number": number, "pipeline": name, "closed": 0}

    def getDefaultReadLimit(self) -> ReadLimit:  # noqa: N802
        """At most so many rows, if the option says so."""
        limit = self._options.per_trigger
        return ReadAllAvailable() if limit is None else ReadMaxRows(limit)

    def prepareForTriggerAvailableNow(self) -> None:  # noqa: N802
        """Stop at what is there now."""
        self._target = self._table.last(self._store)

    def latestOffset(self, start: dict[str, Any], limit: ReadLimit) -> dict[str, Any]:  # noqa: N802
        """Up to where the next micro-batch may read."""
        self._check(start)
        last = self._table.last(self._store)
        if last < start["number"]:
            raise StoreError(
                f"the checkpoint has read {self._options.table} up to {start['number']}, but the store "
                f"{self._options.store!r} has only {last}: it is another store, or an older copy of it"
            )
        end = last if self._target is None else max(start["number"], min(self._target, last))
        if isinstance(limit, ReadMaxRows) and self._options.table != "versions":
            end = min(end, start["number"] + limit.max_rows)
        closes = self._options.close and self._target is not None and end == start["number"] and not self._is_closed
        if closes:
            self._is_closed = True
            return {**start, "closed": start["closed"] + 1}
        return {**start, "number": end}

    _is_closed = False

    def reportLatestOffset(self) -> dict[str, Any] | None:  # noqa: N802
        """The last row that is there."""
        return {"number": self._table.last(self._store)}

    def partitions(self, start: dict[str, Any], end: dict[str, Any]) -> Sequence[InputPartition]:
        """Ranges of the rows between two offsets."""
        self._check(start)
        if not self._table.is_pipeline:
            return _parts(start["number"], end["number"], is_whole=self._options.table == "catalog")
        if start == end:
            return []
        mark = Mark(start["pipeline"], start["number"], end["number"], start["closed"] != end["closed"])
        return [_Part(Range(start["number"], end["number"], mark))]

    def read(self, partition: InputPartition) -> Iterator[pa.RecordBatch]:
        """The rows of a range."""
        return _read(self._options, partition)

    def stop(self) -> None:
        """Let go of the store."""
        if self._opened is not None:
            self._opened.close()
            self._opened = None

    @property
    def _store(self) -> Store:
        if self._opened is None:
            self._opened = Store.open(self._options.store)
        return self._opened

    def _check(self, offset: dict[str, Any]) -> None:
        if not self._table.is_pipeline:
            return
        known = self._store.pipeline()
        if known is not None and known.name == offset["pipeline"]:
            if known.shards != self._options.shards:
                raise StoreError(
                    f"the checkpoint {self._options.place!r} has {known.shards} shards, not {self._options.shards}; run it with "
                    f"as many, or change them with: rankcast state repartition --shards {self._options.shards}"
                )
            return
        served = (
            "nobody"
            if known is None
            else f"the pipeline with the checkpoint {known.place!r}"
            if known.place
            else "a process"
        )
        raise StoreError(
            f"the checkpoint {self._options.place!r} does not belong to the store {self._options.store!r} as it is now, which "
            f"is served by {served}; use that one's checkpoint, or a new folder for a checkpoint"
        )


def _parts(after: int, up_to: int, is_whole: bool) -> list[InputPartition]:
    """The range cut for as many tasks as there are cores, if it is worth it."""
    count = 1 if is_whole else max(1, min(os.cpu_count() or 1, (up_to - after) // _FEW))
    if up_to <= after:
        return []
    cuts = [after + (up_to - after) * number // count for number in range(count + 1)]
    return [_Part(Range(low, high)) for low, high in pairwise(cuts)]


def _read(options: Options, partition: InputPartition) -> Iterator[pa.RecordBatch]:
    assert isinstance(partition, _Part)
    read, mark = TABLES[options.table].read, partition.part.mark
    if mark is not None:
        yield marked(mark)
    elif read is not None:
        with Store.open(options.store) as store:
            yield from read(store, partition.part)

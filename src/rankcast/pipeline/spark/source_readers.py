"""How the data source reads a table of a store: at once, or as it grows."""

import os
from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import TYPE_CHECKING

import pyarrow as pa
from pyspark.sql.datasource import (
    DataSourceReader,
    DataSourceStreamReader,
    InputPartition,
    SimpleDataSourceStreamReader,
)

from rankcast.errors import StoreError
from rankcast.pipeline.spark.blobs import MARK, MATCHED
from rankcast.pipeline.spark.keys import shard_keys
from rankcast.pipeline.spark.live.marks import Mark, encode_mark
from rankcast.pipeline.spark.source_tables import TABLES, Options, Range
from rankcast.pipeline.spark.versions import ReadAllAvailable, ReadLimit, ReadMaxRows, SupportsTriggerAvailableNow
from rankcast.plain import JsonObject

if TYPE_CHECKING:
    from rankcast.store import Store

_FEW = 20_000
_ENOUGH_TO_MATCH = 1_000
"""Each task that matches gets at least this many events, if there is more than one."""


def _open(place: str) -> "Store":
    """Open a store. It is imported here, because Spark starts a process to plan a read that never opens the store."""
    from rankcast.store import Store

    return Store.open(place)


def _shown(place: str) -> str:
    from rankcast.store.places import shown_place

    return shown_place(place)


class _Part(InputPartition):
    """A range of a table, for one task."""

    def __init__(self, part: Range) -> None:
        super().__init__(tuple(part))
        self.part = part


class BatchReader(DataSourceReader):
    """Reads all rows that exist when the query is planned."""

    def __init__(self, options: Options) -> None:
        self._options = options

    def partitions(self) -> Sequence[InputPartition]:
        """Ranges of at least some thousands of rows."""
        with _open(self._options.store) as store:
            first, last = self._options.first(store), TABLES[self._options.table].last(store)
        return _parts(first, last, is_whole=self._options.table == "catalog")

    def read(self, partition: InputPartition) -> Iterator[pa.RecordBatch]:
        """The rows of a range."""
        return _read(self._options, partition)


class StreamReader(DataSourceStreamReader, SupportsTriggerAvailableNow):
    """Reads rows as they arrive. An offset is the number of the last row read."""

    def __init__(self, options: Options) -> None:
        self._growing = _Growing(options)
        self._options = options

    def initialOffset(self) -> JsonObject:  # noqa: N802  Spark's name
        """Where a new query begins. Spark asks several times."""
        return {"number": self._options.first(self._growing.store)}

    def getDefaultReadLimit(self) -> ReadLimit:  # noqa: N802  Spark's name
        """The maximum number of rows, if the option is set."""
        limit = self._options.per_trigger
        return ReadAllAvailable() if limit is None else ReadMaxRows(limit)

    def prepareForTriggerAvailableNow(self) -> None:  # noqa: N802  Spark's name
        """Stop at the rows that exist now."""
        self._growing.stop_here()

    def latestOffset(self, start: JsonObject | None = None, limit: ReadLimit | None = None) -> JsonObject:  # noqa: N802
        """The end of the next micro-batch. Spark 4.1 does not say where it starts, so it has all rows."""
        if start is None:
            return {"number": self._growing.end(0, None)}
        most = limit.max_rows if isinstance(limit, ReadMaxRows) else None
        return {"number": self._growing.end(start["number"], most)}

    def reportLatestOffset(self) -> JsonObject | None:  # noqa: N802  Spark's name
        """The last row that exists."""
        return {"number": self._growing.last()}

    def partitions(self, start: JsonObject, end: JsonObject) -> Sequence[InputPartition]:
        """The ranges of rows between two offsets."""
        return _parts(start["number"], end["number"], is_whole=self._options.table == "catalog")

    def read(self, partition: InputPartition) -> Iterator[pa.RecordBatch]:
        """The rows of a range."""
        return _read(self._options, partition)

    def stop(self) -> None:
        """Close the store."""
        self._growing.close()


class PipelineReader(SimpleDataSourceStreamReader, SupportsTriggerAvailableNow):
    """Gives the range of each micro-batch of a pipeline, as one row.

    Spark receives the row together with the offset, so no worker is needed to read it. `LogPipelineReader` takes only
    the offsets.

    The offsets also name the pipeline. The first one claims the store, and every later one is compared with the
    pipeline that serves the store. So a lost, foreign or replaced checkpoint is detected before anything is served.

    If the clock ends a period and nothing more was published, the time becomes part of the offset. Spark records
    offsets before it serves them, so a repeated micro-batch ends the same periods.
    """

    def __init__(self, options: Options) -> None:
        self._growing = _Growing(options)
        self._options = options
        self._closes = options.once and options.close
        self._is_following = not options.once

    def initialOffset(self) -> JsonObject:  # noqa: N802  Spark's name
        """Where a new query begins. Spark asks several times."""
        name, store = self._options.pipeline, self._growing.store
        start = None if self._options.starting is None else self._options.first(store)
        claimed = store.claim(name, self._options.place, self._options.shards, start)
        # Versions begin one before the first, so that the first micro-batch has one.
        number = -1 if self._options.table == "versions" else claimed.start_offset
        return {"number": number, "pipeline": name, "closed": 0}

    def prepareForTriggerAvailableNow(self) -> None:  # noqa: N802  Spark's name
        """Stop at the rows that exist now. The stream is closed afterwards if requested."""
        self._growing.stop_here()
        self._closes = self._options.close
        self._is_following = False

    def read(self, start: JsonObject) -> tuple[Iterator[tuple[bytes]], JsonObject]:
        """The row of the next micro-batch, and its end."""
        self._check(start)
        # A micro-batch takes all versions, because only the newest counts.
        limit = None if self._options.table == "versions" or self._options.once else self._options.per_trigger
        end = {**start, "number": self._growing.end(start["number"], limit)}
        if self._closes and (end == start or self._options.once):
            self._closes = False
            end = {**end, "closed": start["closed"] + 1}
        clock = self._clock(start["number"]) if end == start and self._is_following else None
        if clock is not None:
            end = {**start, "clock": clock}
        return _marks(start, end), end

    def readBetweenOffsets(self, start: JsonObject, end: JsonObject) -> Iterator[tuple[bytes]]:  # noqa: N802  Spark's name
        """The row of a micro-batch that began before a restart."""
        self._check(start)
        return _marks(start, end)

    def close(self) -> None:
        """Close the store."""
        self._growing.close()

    def _clock(self, number: int) -> int | None:
        """The time that the clock has reached, if it ends a period with pending candidates; else None.

        For a log, it counts only when all events were read.
        """
        from rankcast.choose.positions import microseconds
        from rankcast.store.event_log import GRACE

        store = self._growing.store
        if microseconds(store.database.clock() - GRACE) < store.due():
            return None
        now = store.database.clock() if self._options.table == "versions" else store.time_at_end(number)
        return None if now is None else microseconds(now - GRACE)

    def _check(self, offset: JsonObject) -> None:
        known = self._growing.store.pipeline()
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
            f"the checkpoint {self._options.place!r} does not belong to the store {_shown(self._options.store)!r} as it is now, which "
            f"is served by {served}; use that one's checkpoint, or a new folder for a checkpoint"
        )


class _MatchPart(InputPartition):
    """A range of the log for one task, and on the first one the mark of the micro-batch."""

    def __init__(self, number: int, part: Range, mark: bytes | None) -> None:
        super().__init__(number)
        self.number = number
        self.part = part
        self.mark = mark


class LogPipelineReader(DataSourceStreamReader, SupportsTriggerAvailableNow):
    """Gives each shard what it needs of the log: each task matches the events of a range, once for all shards.

    The offsets are those of `PipelineReader`.
    """

    def __init__(self, options: Options) -> None:
        self._offsets = PipelineReader(options)
        self._options = options

    def initialOffset(self) -> JsonObject:  # noqa: N802  Spark's name
        """Where a new query begins. Spark asks several times."""
        return self._offsets.initialOffset()

    def getDefaultReadLimit(self) -> ReadLimit:  # noqa: N802  Spark's name
        """No limit: the offsets keep to the one of the options."""
        return ReadAllAvailable()

    def prepareForTriggerAvailableNow(self) -> None:  # noqa: N802  Spark's name
        """Stop at the rows that exist now. The stream is closed afterwards if requested."""
        self._offsets.prepareForTriggerAvailableNow()

    def latestOffset(self, start: JsonObject, limit: ReadLimit) -> JsonObject:  # noqa: N802  Spark's name
        """The end of the next micro-batch."""
        return self._offsets.read(start)[1]

    def partitions(self, start: JsonObject, end: JsonObject) -> Sequence[InputPartition]:
        """A range for each process that matches, if there are enough events."""
        marks = list(self._offsets.readBetweenOffsets(start, end))
        if not marks:
            return []
        at = end["number"]
        ranges = _ranges(start["number"], at, self._options.matchers) or [Range(at, at)]
        return [_MatchPart(number, part, None if number else marks[0][0]) for number, part in enumerate(ranges)]

    def read(self, partition: InputPartition) -> Iterator[pa.RecordBatch]:
        """What each shard gets of a range."""
        from rankcast.pipeline.spark.live.hosts import ask_matches
        from rankcast.pipeline.spark.live.requests import MatchRequest

        assert isinstance(partition, _MatchPart)
        options, (after, up_to) = self._options, partition.part
        rows: list[tuple[int, int, bytes]] = []
        if partition.mark is not None:
            rows += [(number, MARK, partition.mark) for number in range(options.shards)]
        if up_to > after:
            request = MatchRequest(options.run, options.store, options.shards, after, up_to, looks_ahead=False)
            rows += [(shard, MATCHED, blob) for shard, blob in enumerate(ask_matches(request, partition.number))]
        keys = shard_keys(options.shards)
        columns = [
            pa.array([keys[shard] for shard, _, _ in rows], pa.int32()),
            pa.array([kind for _, kind, _ in rows], pa.int32()),
            pa.array([blob for *_, blob in rows], pa.binary()),
        ]
        yield pa.RecordBatch.from_arrays(columns, ["shard_key", "kind", "blob"])

    def stop(self) -> None:
        """Close the store."""
        self._offsets.close()


class _Growing:
    """A table that grows while it is read."""

    def __init__(self, options: Options) -> None:
        self._options = options
        self._target: int | None = None
        self._opened: Store | None = None

    @property
    def store(self) -> "Store":
        """The store, which stays open."""
        if self._opened is None:
            self._opened = _open(self._options.store)
        return self._opened

    def last(self) -> int:
        """The number of the last row."""
        return TABLES[self._options.table].last(self.store)

    def stop_here(self) -> None:
        """Stop reading at the rows that exist now."""
        self._target = self.last()

    def end(self, start: int, limit: int | None) -> int:
        """The end of a micro-batch that starts after a number and has at most `limit` rows."""
        last = self.last()
        if last < start:
            raise StoreError(
                f"the checkpoint has read {self._options.table} up to {start}, but the store "
                f"{_shown(self._options.store)!r} has only {last}: it is another store, or an older copy of it"
            )
        end = last if self._target is None else max(start, min(self._target, last))
        return end if limit is None else min(end, start + limit)

    def close(self) -> None:
        """Close the store."""
        if self._opened is not None:
            self._opened.close()
            self._opened = None


def _marks(start: JsonObject, end: JsonObject) -> Iterator[tuple[bytes]]:
    """The row of a micro-batch between two offsets; none if they are equal."""
    if start == end:
        return iter([])
    # Offsets of earlier releases have no clock.
    clock = end.get("clock") if end.get("clock") != start.get("clock") else None
    mark = Mark(start["pipeline"], start["number"], end["number"], start["closed"] != end["closed"], clock)
    return iter([(encode_mark(mark),)])


def _parts(after: int, up_to: int, is_whole: bool) -> list[InputPartition]:
    """Split a range into one part per core, if it is large enough."""
    count = 1 if is_whole else min(os.cpu_count() or 1, (up_to - after) // _FEW)
    return [_Part(part) for part in _cut(after, up_to, count)]


def _ranges(after: int, up_to: int, most: int) -> list[Range]:
    """Split a range of events for at most as many tasks, if each gets enough of them."""
    return _cut(after, up_to, min(most, (up_to - after) // _ENOUGH_TO_MATCH))


def _cut(after: int, up_to: int, count: int) -> list[Range]:
    count = max(1, count)
    cuts = [after + (up_to - after) * number // count for number in range(count + 1)]
    return [Range(low, high) for low, high in pairwise(cuts)] if up_to > after else []


def _read(options: Options, partition: InputPartition) -> Iterator[pa.RecordBatch]:
    assert isinstance(partition, _Part)
    read = TABLES[options.table].read
    assert read is not None, f"{options.table!r} has no rows of its own"
    with _open(options.store) as store:
        yield from read(store, partition.part)

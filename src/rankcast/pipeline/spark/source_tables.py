"""The tables of the data source, and its options."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

import pyarrow as pa

from rankcast.errors import ModelError, did_you_mean
from rankcast.language import dumps, encode_record, parse_time
from rankcast.language.columns import arrow_schema, spark_schema
from rankcast.model import Delivery

if TYPE_CHECKING:  # Spark starts processes that only need the columns
    from rankcast.store import Store

MAX_EVENTS = 50_000
"""The maximum number of events in a micro-batch of a pipeline, unless another is asked for.

After a pause, a pipeline takes what has been published in parts, so memory and the time of a micro-batch are bounded.
"""

_CHUNK = 10_000


class Range(NamedTuple):
    """A part of a table: after one number up to another."""

    after: int
    up_to: int


class SourceTable(NamedTuple):
    """A table: its columns, the number of its last row, and its rows as Arrow batches.

    A table without rows is for pipelines only, which claim the store. The log and the versions give the range of each
    micro-batch, and the matches what each shard needs of a range of the log.
    """

    schema: str
    last: "Callable[[Store], int]"
    read: "Callable[[Store, Range], Iterator[pa.RecordBatch]] | None"

    @property
    def is_pipeline(self) -> bool:
        """Whether only pipelines read it."""
        return self.read is None


@dataclass(frozen=True)
class Options:
    """The checked options of the source."""

    store: str
    table: str
    starting: int | str | None
    per_trigger: int | None
    pipeline: str
    place: str
    shards: int
    close: bool
    matchers: int = 1
    run: str = ""
    once: bool = False
    """Whether one micro-batch takes everything, and closes the stream if requested. Spark 4.1 makes only one when a
    query serves what is available."""

    @classmethod
    def of(cls, given: dict[str, str]) -> "Options":
        """Parse the options, with names in any case."""
        named = {name.lower(): value for name, value in given.items()}
        known = (
            "store",
            "table",
            "startingoffset",
            "startingtime",
            "maxeventspertrigger",
            "pipeline",
            "place",
            "shards",
            "close",
            "matchers",
            "run",
            "once",
            "path",
        )
        for name in named:
            if name not in known:
                shown = ("store", "table", "startingOffset", "startingTime", "maxEventsPerTrigger")
                raise ModelError(
                    f"the source rankcast has no option {name!r}{did_you_mean(name, shown)}; options are {', '.join(shown)}"
                )
        store = named.get("store") or named.get("path")
        if not store:
            raise ModelError("the source rankcast needs the option 'store': the path or URL of a store")
        table = named.get("table", "events")
        if table not in TABLES:
            public = [name for name, shown in TABLES.items() if not shown.is_pipeline]
            raise ModelError(
                f"the source rankcast has no table {table!r}{did_you_mean(table, public)}; tables are {', '.join(public)}"
            )
        starting: int | str | None = None
        if "startingoffset" in named:
            starting = (
                "latest"
                if named["startingoffset"] == "latest"
                else _whole("startingOffset", named["startingoffset"], 0)
            )
        if "startingtime" in named:
            if starting is not None:
                raise ModelError("give startingOffset or startingTime, not both")
            if not table.endswith("events") and table not in ("log", "matches"):
                raise ModelError("startingTime is for the table events; elsewhere use startingOffset")
            parse_time(named["startingtime"])
            starting = f"time {named['startingtime']}"
        limit = named.get("maxeventspertrigger")
        return cls(
            store,
            table,
            starting,
            None if limit is None else _whole("maxEventsPerTrigger", limit, 1),
            named.get("pipeline", ""),
            named.get("place", ""),
            _whole("shards", named.get("shards", "1"), 1),
            named.get("close", "false") == "true",
            _whole("matchers", named.get("matchers", "1"), 1),
            named.get("run", ""),
            named.get("once", "false") == "true",
        )

    def first(self, store: "Store") -> int:
        """The number after which to begin."""
        if self.starting is None:
            return 0
        if isinstance(self.starting, int):
            return self.starting
        if self.starting == "latest":
            return TABLES[self.table].last(store)
        return store.offset_before(parse_time(self.starting.removeprefix("time ")))


def _whole(name: str, text: str, least: int) -> int:
    try:
        number = int(text)
    except ValueError:
        raise ModelError(f"{name} is {text!r}; it must be a whole number") from None
    if number < least:
        raise ModelError(f"{name} is {number}; it must be at least {least}")
    return number


def _batches(rows: Iterator[Sequence[object]], schema: pa.Schema) -> Iterator[pa.RecordBatch]:
    chunk: list[Sequence[object]] = []
    for row in rows:
        chunk.append(row)
        if len(chunk) == _CHUNK:
            yield _batch(chunk, schema)
            chunk = []
    if chunk:
        yield _batch(chunk, schema)


def _batch(rows: list[Sequence[object]], schema: pa.Schema) -> pa.RecordBatch:
    columns = zip(*rows, strict=True)
    arrays = [pa.array(list(column), field.type) for column, field in zip(columns, schema, strict=True)]
    return pa.RecordBatch.from_arrays(arrays, schema=schema)


_TIME = pa.timestamp("us", "UTC")
_EVENTS = pa.schema(
    [
        ("event_offset", pa.int64()),
        ("catalog_version", pa.int64()),
        ("id", pa.string()),
        ("time", _TIME),
        ("content", pa.string()),
        ("logged", _TIME),
    ]
)
_CATALOG = pa.schema([("version", pa.int64()), ("removed", pa.bool_()), ("record", pa.string())])
_DELIVERIES = pa.schema([("number", pa.int64()), *arrow_schema(Delivery, by_clock=True)])


def _events(store: "Store", part: Range) -> Iterator[pa.RecordBatch]:
    rows = (
        (e.offset, e.catalog_version, e.id, e.published, e.content, e.logged)
        for e in store.event_texts(part.after, part.up_to)
    )
    return _batches(rows, _EVENTS)


def _catalog(store: "Store", part: Range) -> Iterator[pa.RecordBatch]:
    changes = store.changes(part.after, part.up_to)
    rows = (
        (each.version, each.removed, dumps(encode_record(each.record))) for each in changes if each.record is not None
    )
    return _batches(rows, _CATALOG)


def _deliveries(store: "Store", part: Range) -> Iterator[pa.RecordBatch]:
    limit = part.up_to - part.after
    numbered = store.deliveries(after=part.after, limit=limit) if limit > 0 else iter(())
    names = _DELIVERIES.names[1:]
    return _batches(((number, *(getattr(one, name) for name in names)) for number, one in numbered), _DELIVERIES)


TABLES = {
    "events": SourceTable(
        "event_offset long, catalog_version long, id string, time timestamp, content string, logged timestamp",
        lambda store: store.last_offset(),
        _events,
    ),
    "catalog": SourceTable("version long, removed boolean, record string", lambda store: store.version(), _catalog),
    "deliveries": SourceTable(
        f"number long, {spark_schema(Delivery, by_clock=True)}",
        lambda store: store.last_delivery(),
        _deliveries,
    ),
    "log": SourceTable("blob binary", lambda store: store.last_offset(), None),
    "matches": SourceTable("shard_key int, kind int, blob binary", lambda store: store.last_offset(), None),
    "versions": SourceTable("blob binary", lambda store: store.version(), None),
}
"""The tables by name. The last three are for pipelines."""

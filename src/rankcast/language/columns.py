"""The columns of the output tables (deliveries, matches, rows that were set aside), and the JSON form of their rows.

The columns follow from the fields of the record types in `rankcast.model`. The Arrow, Spark, JSON and OpenAPI forms
are derived from them here (semantics: Files).
"""

from collections.abc import Callable, Sequence
from dataclasses import fields, is_dataclass
from datetime import datetime
from enum import Enum
from functools import cache
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar, get_args, get_type_hints

from rankcast.errors import ModelError, RecordError
from rankcast.language.fields import Fields
from rankcast.language.times import parse_time, show_time
from rankcast.model import Delivery, Match, Reject
from rankcast.plain import JsonObject

if TYPE_CHECKING:
    import pyarrow as pa

Row = TypeVar("Row")


class ColumnKind(Enum):
    """The type of a column. The value of each member is its name in Spark."""

    TEXT = "string"
    WHOLE = "long"
    REAL = "double"
    TEXTS = "array<string>"
    INSTANT = "timestamp"
    """A time with a zone."""


_KINDS: dict[object, ColumnKind] = {
    str: ColumnKind.TEXT,
    int: ColumnKind.WHOLE,
    float: ColumnKind.REAL,
    tuple[str, ...]: ColumnKind.TEXTS,
    datetime: ColumnKind.INSTANT,
}


class OutputColumn(NamedTuple):
    """A column. `by_clock` marks clock times, which a replay does not have."""

    name: str
    kind: ColumnKind
    by_clock: bool


@cache
def columns_of(record: type) -> tuple[OutputColumn, ...]:
    """The columns of a record type, in the order of its fields.

    >>> from rankcast.model import Match
    >>> [f"{column.name} {column.kind.value}" for column in columns_of(Match)]
    ['event string', 'subscription string', 'user string', 'degree double']
    """
    assert is_dataclass(record)
    hints = get_type_hints(record)
    return tuple(OutputColumn(one.name, _kind(hints[one.name]), not one.compare) for one in fields(record))


def _kind(hint: object) -> ColumnKind:
    given = [one for one in get_args(hint) if one is not type(None)] if type(None) in get_args(hint) else [hint]
    return _KINDS[given[0]]


def _chosen(record: type, by_clock: bool) -> list[OutputColumn]:
    return [column for column in columns_of(record) if by_clock or not column.by_clock]


def spark_schema(record: type, *, by_clock: bool = False) -> str:
    """The columns as a Spark schema; clock times only if asked for."""
    return ", ".join(f"{column.name} {column.kind.value}" for column in _chosen(record, by_clock))


def arrow_schema(record: type, *, by_clock: bool = False) -> "pa.Schema":
    """The columns as an Arrow schema; clock times only if asked for."""
    return _arrow_schema(record, by_clock)


@cache
def _arrow_schema(record: type, by_clock: bool) -> "pa.Schema":
    import pyarrow as pa

    types = {
        ColumnKind.TEXT: pa.string(),
        ColumnKind.WHOLE: pa.int64(),
        ColumnKind.REAL: pa.float64(),
        ColumnKind.TEXTS: pa.list_(pa.string()),
        ColumnKind.INSTANT: pa.timestamp("us", "UTC"),
    }
    return pa.schema([(column.name, types[column.kind]) for column in _chosen(record, by_clock)])


def column_lists(rows: Sequence[Row], record: type[Row]) -> dict[str, list[object]]:
    """The rows column by column, without clock times."""
    return {column.name: [getattr(row, column.name) for row in rows] for column in _chosen(record, False)}


def arrow_table(rows: Sequence[Row], record: type[Row]) -> "pa.Table":
    """The rows as an Arrow table, without clock times."""
    import pyarrow as pa

    schema, lists = arrow_schema(record), column_lists(rows, record)
    return pa.Table.from_arrays([pa.array(lists[field.name], field.type) for field in schema], schema=schema)


_DELIVERY = [column for column in columns_of(Delivery) if not column.by_clock]
_DELIVERY_NAMES = [column.name for column in _DELIVERY]
_MATCH_NAMES = [column.name for column in columns_of(Match)]


def encode_delivery(delivery: Delivery) -> JsonObject:
    """A delivery as a JSON object."""
    return {column.name: _ENCODERS[column.kind](getattr(delivery, column.name)) for column in _DELIVERY}


def decode_delivery(obj: JsonObject) -> Delivery:
    """The delivery that `encode_delivery` wrote."""
    given = Fields("a delivery", obj, _DELIVERY_NAMES)
    try:
        return Delivery(**{column.name: _DECODERS[column.kind](given, column.name) for column in _DELIVERY})
    except ModelError as error:
        raise error if isinstance(error, RecordError) else RecordError(f"a delivery: {error}") from None


_ENCODERS: dict[ColumnKind, Callable[[Any], Any]] = {
    ColumnKind.TEXT: str,
    ColumnKind.WHOLE: int,
    ColumnKind.REAL: float,
    ColumnKind.TEXTS: list,
    ColumnKind.INSTANT: show_time,
}
_DECODERS: dict[ColumnKind, Callable[[Fields, str], Any]] = {
    ColumnKind.TEXT: Fields.text,
    ColumnKind.WHOLE: Fields.whole,
    ColumnKind.REAL: Fields.number,
    ColumnKind.TEXTS: Fields.texts,
    ColumnKind.INSTANT: lambda given, name: parse_time(given.text(name)),
}


def encode_match(match: Match) -> JsonObject:
    """A match as a JSON object."""
    return {name: getattr(match, name) for name in _MATCH_NAMES}


def encode_reject(reject: Reject) -> JsonObject:
    """A reject as a JSON object."""
    return {"file": reject.file, "line": reject.line, "reason": reject.reason, "raw": reject.raw}

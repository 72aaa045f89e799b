"""The columns of the output tables: deliveries, matches and rows that were set aside.

The columns follow from the fields of the record types in `rankcast.model`. The Arrow, Spark, JSON and OpenAPI forms
are derived from them here.
"""

from collections.abc import Sequence
from dataclasses import fields, is_dataclass
from datetime import datetime
from enum import Enum
from functools import cache
from typing import TYPE_CHECKING, NamedTuple, TypeVar, get_args, get_type_hints

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

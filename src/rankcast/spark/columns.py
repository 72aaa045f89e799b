"""How the columns of a DataFrame are the attributes of events."""

from collections.abc import Callable, Iterator
from datetime import UTC, date, datetime, time
from decimal import Decimal
from typing import Any

import pyarrow as pa
from pyspark.sql import types as t

from rankcast.errors import ModelError
from rankcast.language import decode_event, dumps
from rankcast.model import Event, Scalar

__all__ = ["RESERVED", "check_columns", "events_of_json", "events_of_table"]

RESERVED = ("id", "time", "source", "advertisement", "k")
"""The columns that are not attributes. `id` and `time` must be there, the others may."""

_SCALARS = (
    t.StringType,
    t.VarcharType,
    t.CharType,
    t.BooleanType,
    t.ByteType,
    t.ShortType,
    t.IntegerType,
    t.LongType,
    t.FloatType,
    t.DoubleType,
    t.DecimalType,
    t.DateType,
    t.TimestampType,
    t.TimestampNTZType,
)
_SEVERAL = (t.StringType, t.VarcharType, t.CharType, t.BooleanType)

Outcome = Event | tuple[str, str]
"""An event, or (raw text, reason) if the row cannot be one."""


def check_columns(schema: t.StructType) -> None:
    """Raise `ModelError` now, and not in some worker later, if a column cannot hold what events hold."""
    for name in ("id", "time"):
        if name not in schema.names:
            raise ModelError(f"the events have no column {name!r}; columns are {', '.join(schema.names)}")
    for field in schema.fields:
        kind = field.dataType
        if isinstance(kind, t.ArrayType):
            if not isinstance(kind.elementType, _SEVERAL):
                raise ModelError(
                    f"column {field.name!r} is an {kind.simpleString()}; only strings and booleans may have several values"
                )
        elif not isinstance(kind, _SCALARS):
            raise ModelError(
                f"column {field.name!r} is a {kind.simpleString()}, which is no attribute; "
                "select strings, numbers, booleans, dates, times, or arrays of strings or booleans"
            )


def events_of_table(table: pa.Table | pa.RecordBatch) -> Iterator[Outcome]:
    """The events that the rows of an Arrow table hold; null is absent, a list is multi-valued."""
    attributes = [name for name in table.schema.names if name not in RESERVED]
    readers: dict[str, Callable[[Any], tuple[Scalar, ...]]] = {
        name: _several if pa.types.is_list(table.schema.field(name).type) else _single for name in attributes
    }
    for row in table.to_pylist():
        try:
            yield Event(
                id=_required(row, "id"),
                time=_time(_required(row, "time")),
                source=row.get("source"),
                advertisement=row.get("advertisement"),
                k=row.get("k"),
                attributes={
                    name: values
                    for name in attributes
                    if row[name] is not None and (values := readers[name](row[name]))
                },
            )
        except ModelError as error:
            yield dumps({name: str(value) for name, value in row.items() if value is not None}), str(error)


def events_of_json(lines: pa.Array) -> Iterator[Outcome]:
    """The events that JSON texts hold, one each."""
    for line in lines.to_pylist():
        try:
            yield decode_event(line if line is not None else "")
        except ModelError as error:
            yield line or "", str(error)


def _required(row: dict[str, Any], name: str) -> Any:
    if row[name] is None:
        raise ModelError(f"{name!r} is null")
    return row[name]


def _single(value: Any) -> tuple[Scalar, ...]:
    match value:
        case datetime() | date():
            return (_time(value),)
        case Decimal():
            return (int(value) if value == value.to_integral_value() else float(value),)
    return (value,)


def _several(values: list[Any]) -> tuple[Scalar, ...]:
    return tuple(dict.fromkeys(value for value in values if value is not None))


def _time(value: date) -> datetime:
    if not isinstance(value, datetime):
        return datetime.combine(value, time(), UTC)
    return value.replace(tzinfo=UTC) if value.tzinfo is None else value.astimezone(UTC)

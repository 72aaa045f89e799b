"""How the columns of a DataFrame are the attributes of events."""

from collections.abc import Callable, Iterator
from datetime import UTC, date, datetime, time
from decimal import Decimal
from functools import partial
from typing import Any

import pyarrow as pa
from pyspark.sql import types as t

from rankcast.errors import ModelError
from rankcast.language import check_event_size, decode_event, dumps
from rankcast.language.membership_json import FORMS, membership_of_json
from rankcast.language.parsing import parse_term
from rankcast.model import AttributeValue, Event, Scalar

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

_FORMS = (*FORMS, "is", "value")
"""The fields of a struct column: one form of an imprecise value each, or a crisp value."""

_NUMERIC = (t.ByteType, t.ShortType, t.IntegerType, t.LongType, t.FloatType, t.DoubleType, t.DecimalType)

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
        elif isinstance(kind, t.StructType) and field.name not in RESERVED:
            _check_struct(field.name, kind)
        elif not isinstance(kind, _SCALARS):
            raise ModelError(
                f"column {field.name!r} is a {kind.simpleString()}, which is no attribute; select strings, numbers, "
                "booleans, dates, times, arrays of strings or booleans, or structs such as struct<between: array<double>>"
            )


def _check_struct(name: str, struct: t.StructType) -> None:
    for field in struct.fields:
        kind = field.dataType
        match field.name:
            case "is":
                fits = isinstance(kind, _SEVERAL[:-1])
            case "value":
                fits = isinstance(kind, _SCALARS)
            case "table":
                fits = isinstance(kind, t.MapType)
            case "piecewise":
                fits = isinstance(kind, t.ArrayType) and _is_numbers(kind.elementType)
            case _:
                fits = field.name in _FORMS and _is_numbers(kind)
        if not fits:
            raise ModelError(
                f"column {name!r} has the field {field.name}: {kind.simpleString()}; the fields of an imprecise value are "
                "is: string, value: any crisp type, table: map, piecewise: array<array<double>>, and as array<double> "
                f"{', '.join(form for form in FORMS if form not in ('table', 'piecewise'))}"
            )


def _is_numbers(kind: t.DataType) -> bool:
    return isinstance(kind, t.ArrayType) and isinstance(kind.elementType, _NUMERIC)


def events_of_table(table: pa.Table | pa.RecordBatch) -> Iterator[Outcome]:
    """The events that the rows of an Arrow table hold; null is absent, a list is multi-valued, a struct imprecise."""
    attributes = [name for name in table.schema.names if name not in RESERVED]
    readers = {name: _reader(table.schema.field(name).type, name) for name in attributes}
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
    """The events that JSON texts, or their bytes, hold, one each."""
    for line in lines.to_pylist():
        try:
            raw = line.encode("utf-8", "surrogatepass") if isinstance(line, str) else line or b""
            yield decode_event(check_event_size(raw))
        except ModelError as error:
            yield line.decode("utf-8", "replace") if isinstance(line, bytes) else line or "", str(error)


def _required(row: dict[str, Any], name: str) -> Any:
    if row[name] is None:
        raise ModelError(f"{name!r} is null")
    return row[name]


def _reader(kind: pa.DataType, name: str) -> Callable[[Any], AttributeValue]:
    if pa.types.is_struct(kind):
        return partial(_imprecise, name)
    return _several if pa.types.is_list(kind) else _single


def _imprecise(name: str, value: dict[str, Any]) -> AttributeValue:
    """The one form that is not null; none is absent."""
    forms = {form: content for form, content in value.items() if content is not None}
    if not forms:
        return ()
    if len(forms) > 1:
        raise ModelError(f"attribute {name!r} has several values: {', '.join(forms)}; all but one must be null")
    ((form, content),) = forms.items()
    if form == "value":
        return _single(content)
    if form == "is":
        return parse_term(content)
    return membership_of_json(form, _plain(content), f"attribute {name!r}")


def _plain(content: Any) -> Any:
    """Decimals as floats, at any depth."""
    if isinstance(content, list | tuple):
        return [_plain(item) for item in content]
    return float(content) if isinstance(content, Decimal) else content


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

"""How the columns of a DataFrame map to the attributes of events."""

from collections.abc import Iterator

import pyarrow as pa
from pyspark.sql import types as t

from rankcast.errors import ModelError
from rankcast.language import check_event_size, decode_event
from rankcast.language.membership_json import FORMS
from rankcast.language.tables import RESERVED, Outcome, events_of_table

__all__ = ["RESERVED", "check_columns", "events_of_json", "events_of_table"]

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
"""The fields of a struct column: one for each form of an imprecise value, and one for a crisp value."""

_NUMERIC = (t.ByteType, t.ShortType, t.IntegerType, t.LongType, t.FloatType, t.DoubleType, t.DecimalType)


def check_columns(schema: t.StructType) -> None:
    """Raise `ModelError` if a column has a type that events cannot hold, before any worker starts."""
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


def events_of_json(lines: pa.Array) -> Iterator[Outcome]:
    """Decode events from JSON, one per text or byte string."""
    for line in lines.to_pylist():
        try:
            raw = line.encode("utf-8", "surrogatepass") if isinstance(line, str) else line or b""
            yield decode_event(check_event_size(raw))
        except ModelError as error:
            yield line.decode("utf-8", "replace") if isinstance(line, bytes) else line or "", str(error)

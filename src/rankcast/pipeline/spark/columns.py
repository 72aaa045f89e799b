"""How the columns of a DataFrame map to the attributes of events."""

from pyspark.sql import DataFrame
from pyspark.sql import types as t

from rankcast.errors import ModelError
from rankcast.language.membership_json import FORMS
from rankcast.language.tables import is_imprecise

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
_TEXTS = (t.StringType, t.VarcharType, t.CharType)

_FORMS = (*FORMS, "is", "value")
"""The fields of a struct column: one for each form of an imprecise value, and one for a crisp value."""

_INTEGERS = (t.ByteType, t.ShortType, t.IntegerType, t.LongType)
_RESERVED = {
    "id": ((*_TEXTS, *_INTEGERS), "a string or an integer"),
    "time": ((t.TimestampType, t.TimestampNTZType, t.DateType, *_TEXTS), "a timestamp, a date or an ISO 8601 string"),
    "source": (_TEXTS, "a string"),
    "advertisement": (_TEXTS, "a string"),
    "k": (_INTEGERS, "an integer"),
}
"""The types of the columns that are not attributes, and the types in words."""

_NUMERIC = (t.ByteType, t.ShortType, t.IntegerType, t.LongType, t.FloatType, t.DoubleType, t.DecimalType)


def event_columns(events: DataFrame) -> DataFrame:
    """The events after `check_columns`, with integer ids as strings. Times as strings are read row by row."""
    check_columns(events.schema)
    if isinstance(events.schema["id"].dataType, _TEXTS):
        return events
    return events.withColumn("id", events["id"].cast("string"))


def check_columns(schema: t.StructType) -> None:
    """Raise `ModelError` if a column has a type that events cannot hold, before any worker starts."""
    for name in ("id", "time"):
        if name not in schema.names:
            raise ModelError(f"the events have no column {name!r}; columns are {', '.join(schema.names)}")
    _check_attributes(schema)


def _check_attributes(schema: t.StructType) -> None:
    """Raise `ModelError` if a column, or a field of a nested one, has a type that events cannot hold."""
    for field in schema.fields:
        kind = field.dataType
        if field.name in _RESERVED:
            kinds, said = _RESERVED[field.name]
            if not isinstance(kind, kinds):
                raise ModelError(f"column {field.name!r} is a {kind.simpleString()}; it must be {said}")
        elif isinstance(kind, t.ArrayType):
            if not isinstance(kind.elementType, _SCALARS):
                raise ModelError(
                    f"column {field.name!r} is an {kind.simpleString()}; an array must hold strings, booleans, numbers or "
                    "times"
                )
        elif isinstance(kind, t.StructType):
            _check_struct(field.name, kind)
        elif not isinstance(kind, _SCALARS):
            raise ModelError(
                f"column {field.name!r} is a {kind.simpleString()}, which is no attribute; select strings, numbers, "
                "booleans, dates, times, arrays of these, or structs"
            )


def _check_struct(name: str, struct: t.StructType) -> None:
    if not is_imprecise(struct.names):
        _check_attributes(t.StructType([t.StructField(f"{name}.{one.name}", one.dataType) for one in struct.fields]))
        return
    for field in struct.fields:
        kind = field.dataType
        match field.name:
            case "is":
                fits = isinstance(kind, _TEXTS)
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

"""Events as table rows.

Columns are attributes; null means absent, a list several values. A struct is an imprecise value if its fields are the
forms of one (`is_imprecise`); any other struct is nested, and its fields are attributes with dotted names.
"""

import math
from collections.abc import Callable, Iterable, Iterator, Mapping
from datetime import UTC, date, datetime, time
from decimal import Decimal
from functools import partial
from typing import TYPE_CHECKING, Any

from rankcast.errors import ModelError
from rankcast.language.events import MAX_NESTED, check_event_size, decode_event
from rankcast.language.json_text import dumps
from rankcast.language.membership_json import FORMS, membership_of_json
from rankcast.language.parsing import parse_term
from rankcast.language.times import parse_time
from rankcast.model import AttributeValue, Event, Scalar
from rankcast.plain import JsonObject

if TYPE_CHECKING:
    import pyarrow as pa

RESERVED = ("id", "time", "source", "advertisement", "k")
"""The columns that are not attributes. `id` and `time` are required, the others optional."""

_FORMS = {*FORMS, "is", "value"}

Outcome = Event | tuple[str, str]
"""An event, or (raw text, reason) if the row is invalid."""


def events_of_json(lines: "pa.Array") -> Iterator[Outcome]:
    """Decode events from JSON, one per text or byte string."""
    for line in lines.to_pylist():
        try:
            raw = line.encode("utf-8", "surrogatepass") if isinstance(line, str) else line or b""
            yield decode_event(check_event_size(raw))
        except ModelError as error:
            yield line.decode("utf-8", "replace") if isinstance(line, bytes) else line or "", str(error)


def events_of_table(table: "pa.Table | pa.RecordBatch") -> Iterator[Outcome]:
    """The events in the rows of an Arrow table, in order."""
    table = flattened(table)
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


def record_form(row: Mapping[str, object]) -> JsonObject:
    """The JSON form of the catalog record in a row of a table. A row without a `kind` is a subscription.

    >>> record_form({"id": "s", "user": "ann", "where": "year > 1999", "score": None})
    {'kind': 'subscription', 'id': 's', 'user': 'ann', 'where': 'year > 1999'}
    """
    given = {name: value for name, value in row.items() if not is_missing(value)}
    return {"kind": "subscription"} | {
        name: value.isoformat() if isinstance(value, date) else plain_value(value) for name, value in given.items()
    }


def is_missing(value: object) -> bool:
    """Whether a cell of a table is empty."""
    return value is None or value == "" or (isinstance(value, float) and math.isnan(value))


def plain_value(value: object) -> object:
    """A cell of a table in its JSON form."""
    match value:
        case date():
            return {"time": value.isoformat()}
        case Decimal():
            return int(value) if value == value.to_integral_value() else float(value)
        case list():
            return [plain_value(one) for one in value if not is_missing(one)]
        case dict():
            return {name: plain_value(one) for name, one in value.items() if not is_missing(one)}
    return value


def is_imprecise(fields: Iterable[str]) -> bool:
    """Whether a struct with these fields is an imprecise value rather than a nested one."""
    return set(fields) <= _FORMS


def flattened(table: "pa.Table | pa.RecordBatch") -> "pa.Table | pa.RecordBatch":
    """The table with the fields of nested structs as columns: the field `b` of the struct `a` is `a.b`.

    >>> import pyarrow as pa
    >>> flattened(pa.table({"a": [{"b": {"c": 3}, "d": "x"}]})).to_pylist()
    [{'a.b.c': 3, 'a.d': 'x'}]
    """
    import pyarrow as pa

    columns: list[tuple[str, Any]] = list(zip(table.schema.names, table.columns, strict=True))
    if not any(_is_nested(column.type) for _, column in columns):
        return table
    for _ in range(MAX_NESTED):
        if not any(_is_nested(column.type) for _, column in columns):
            break
        columns = [
            pair
            for name, column in columns
            for pair in (_fields(name, column) if _is_nested(column.type) else [(name, column)])
        ]
    else:
        raise ModelError(f"columns are nested in more than {MAX_NESTED} levels")
    names = [name for name, _ in columns]
    twice = next((name for name in names if names.count(name) > 1), None)
    if twice is not None:
        raise ModelError(f"attribute {twice!r} is given twice, nested and by a column of that name")
    made = pa.RecordBatch if isinstance(table, pa.RecordBatch) else pa.Table
    return made.from_arrays([column for _, column in columns], names)


def _fields(name: str, column: Any) -> list[tuple[str, Any]]:
    return [(f"{name}.{field.name}", part) for field, part in zip(column.type, column.flatten(), strict=True)]


def _is_nested(kind: "pa.DataType") -> bool:
    import pyarrow as pa

    return bool(pa.types.is_struct(kind)) and not is_imprecise(field.name for field in kind)


def _required(row: JsonObject, name: str) -> Any:
    if row[name] is None:
        raise ModelError(f"{name!r} is null")
    return row[name]


def _reader(kind: "pa.DataType", name: str) -> Callable[[Any], AttributeValue]:
    import pyarrow as pa

    if pa.types.is_struct(kind):
        return partial(_imprecise, name)
    is_list = pa.types.is_list(kind) or pa.types.is_large_list(kind)
    return _several if is_list else _single


def _imprecise(name: str, value: JsonObject) -> AttributeValue:
    """The value of the one field that is not null; absent if all are null."""
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


def _plain(content: object) -> Any:
    """Convert decimals to floats, at any depth."""
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
    return tuple(dict.fromkeys(one for value in values if value is not None for one in _single(value)))


def _time(value: date | str) -> datetime:
    if isinstance(value, str):
        return parse_time(value)
    if not isinstance(value, datetime):
        return datetime.combine(value, time(), UTC)
    return value.replace(tzinfo=UTC) if value.tzinfo is None else value.astimezone(UTC)

"""Which rows of a table are valid crisp events, decided by columns.

A row that this test passes is an event that `rankcast.language.tables.events_of_table` would make without a complaint.
A row that it does not pass may be one too: it needs the slower way.
"""

from datetime import UTC, datetime
from typing import TYPE_CHECKING

from rankcast.language.tables import RESERVED
from rankcast.model import MAX_NAME, MAX_TEXT
from rankcast.model.events import MAX_ATTRIBUTES, MAX_VALUES

if TYPE_CHECKING:
    import pyarrow as pa

_FIRST, _LAST = datetime(1, 1, 3, tzinfo=UTC), datetime(9999, 12, 29, tzinfo=UTC)
"""Within these times, every zone is within the years 1 to 9999."""


def attributes_of(batch: "pa.RecordBatch") -> "pa.RecordBatch":
    """The columns that are attributes."""
    return batch.select([name for name in batch.schema.names if name not in RESERVED])


def plain_rows(batch: "pa.RecordBatch") -> "pa.Array":
    """A mask of the rows that are valid crisp events without an advertisement.

    >>> import pyarrow as pa
    >>> times = pa.array([datetime(2026, 1, 1)] * 3, pa.timestamp("us", "UTC"))
    >>> plain_rows(pa.record_batch({"id": ["a", None, "c"], "time": times, "x": [1.0, 2.0, float("nan")]})).to_pylist()
    [True, False, False]
    """
    import pyarrow as pa
    import pyarrow.compute as pc

    mask = pa.array([_is_event(batch.schema)]).take(pa.array([0] * batch.num_rows, pa.int64()))
    if not batch.num_rows or not mask[0].as_py():
        return mask
    for name in ("id", "time"):
        mask = pc.and_(mask, batch[name].is_valid())
    for name in ("advertisement", "k"):
        if name in batch.schema.names:
            mask = pc.and_(mask, batch[name].is_null())
    for name in ("id", "source"):
        if name in batch.schema.names:
            mask = pc.and_(mask, _nothing_or(_is_name(batch[name])))
    for name in batch.schema.names:
        if name not in ("id", "source", "advertisement", "k"):
            mask = pc.and_(mask, _nothing_or(_is_value(batch[name])))
    return mask


def _is_event(schema: "pa.Schema") -> bool:
    """Whether the columns are those of crisp events."""
    import pyarrow.types as types

    attributes = [name for name in schema.names if name not in RESERVED]
    if not {"id", "time"} <= set(schema.names) or len(attributes) > MAX_ATTRIBUTES:
        return False
    if not types.is_timestamp(schema.field("time").type):
        return False
    if not all(types.is_string(schema.field(name).type) for name in ("id", "source") if name in schema.names):
        return False
    return all(
        _is_kind(schema.field(name).type) and name.isprintable() and 0 < len(name) <= MAX_NAME for name in attributes
    )


def _is_kind(kind: "pa.DataType") -> bool:
    import pyarrow.types as types

    if types.is_list(kind):
        return (
            not types.is_timestamp(kind.value_type) and not types.is_list(kind.value_type) and _is_kind(kind.value_type)
        )
    tests = (types.is_string, types.is_boolean, types.is_signed_integer, types.is_floating, types.is_timestamp)
    return any(test(kind) for test in tests)


def _is_name(column: "pa.Array") -> "pa.Array":
    import pyarrow.compute as pc

    length = pc.binary_length(column)
    is_printable = pc.and_(pc.string_is_ascii(column), pc.ascii_is_printable(column))
    return pc.and_(is_printable, pc.and_(pc.greater(length, 0), pc.less_equal(length, MAX_NAME)))


def _is_value(column: "pa.Array") -> "pa.Array":
    import pyarrow as pa
    import pyarrow.compute as pc
    import pyarrow.types as types

    if types.is_string(column.type):
        return pc.less_equal(pc.utf8_length(column), MAX_TEXT)
    if types.is_floating(column.type):
        return pc.is_finite(column)
    if types.is_timestamp(column.type):
        first, last = (
            pa.scalar(time if column.type.tz else time.replace(tzinfo=None), column.type) for time in (_FIRST, _LAST)
        )
        return pc.and_(pc.greater(column, first), pc.less(column, last))
    if types.is_list(column.type):
        return _is_list(column)
    return pc.or_kleene(column.is_valid(), True)  # every integer of 64 bits, and every truth value


def _is_list(column: "pa.ListArray") -> "pa.Array":
    """Lists of at most as many values as an attribute may have, if no value is missing, too long or not finite."""
    import pyarrow as pa
    import pyarrow.compute as pc
    import pyarrow.types as types

    values = column.flatten()
    is_short = not types.is_string(values.type) or (pc.max(pc.utf8_length(values)).as_py() or 0) <= MAX_TEXT
    is_finite = not types.is_floating(values.type) or pc.all(pc.is_finite(values)).as_py() is not False
    if values.null_count or not is_short or not is_finite:
        return pa.array([False]).take(pa.array([0] * len(column), pa.int64()))
    return pc.less_equal(pc.list_value_length(column), MAX_VALUES)


def _nothing_or(mask: "pa.Array") -> "pa.Array":
    import pyarrow.compute as pc

    return pc.fill_null(mask, True)

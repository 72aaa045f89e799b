"""Deliveries as lines of JSON, written column by column."""

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Any, assert_never

import numpy as np

from rankcast.engine.arrays.deliveries import DeliveryColumns
from rankcast.language import dumps
from rankcast.language.columns import ColumnKind, columns_of
from rankcast.model import Delivery
from rankcast.plain import Array

if TYPE_CHECKING:
    import pyarrow as pa

_CHUNK = 50_000
"""Deliveries per text: large enough for fast columns, small enough for memory."""


def delivery_lines(columns: DeliveryColumns) -> Iterator[str]:
    """The lines that `rankcast.language.encode_delivery` gives for each delivery, many in one text.

    Each distinct name, rank and time is written once, so a delivery costs less than 1 µs.
    """
    import pyarrow.compute as pc

    for start in range(0, len(columns), _CHUNK):
        pieces: list[object] = []
        for column in columns_of(Delivery):
            if not column.by_clock:
                values = getattr(columns, column.name)[start : start + _CHUNK]
                pieces += [
                    f"{',' if pieces else '{'}{dumps(column.name)}:",
                    _texts(columns, column.kind, column.name, values),
                ]
        lines = pc.binary_join_element_wise(*pieces, "}\n", "")
        yield lines.buffers()[2].to_pybytes().decode()


def _texts(columns: DeliveryColumns, kind: ColumnKind, name: str, values: Array) -> "pa.Array":
    """The values of a column as JSON."""
    import pyarrow as pa

    if kind is ColumnKind.WHOLE:
        return pa.array(values).cast(pa.string())
    used, places = np.unique(values, return_inverse=True)
    return pa.array([dumps(one) for one in _shown(columns, kind, name, used.tolist())], pa.string()).take(
        pa.array(places)
    )


def _shown(columns: DeliveryColumns, kind: ColumnKind, name: str, values: list[Any]) -> Iterable[object]:
    """Values of a column as JSON shows them."""
    match kind:
        case ColumnKind.WHOLE | ColumnKind.REAL:
            return values
        case ColumnKind.INSTANT:
            return _times(values)
        case ColumnKind.TEXT:
            names = columns.users if name == "user" else columns.events
            return (names[number] for number in values)
        case ColumnKind.TEXTS:
            return (columns.sets[number] for number in values)
        case other:
            assert_never(other)


def _times(values: list[int]) -> list[str]:
    """Microseconds since the epoch as `rankcast.language.show_time` shows them, many at a time."""
    times = np.array(values, "M8[us]")
    is_whole = np.array(values) % 1_000_000 == 0
    shown = np.where(is_whole, np.datetime_as_string(times, "s"), np.datetime_as_string(times, "us"))
    return [f"{one}Z" for one in shown.tolist()]

"""Events as an Arrow batch.

Columns are attributes; null means absent, a list several values. No object per event is made.
"""

from collections.abc import Sequence
from datetime import UTC, date, datetime, time
from typing import TYPE_CHECKING, Any, overload

import numpy as np
from numpy.typing import NDArray

from rankcast.engine.index.events import Encoder, EventCodes
from rankcast.errors import ModelError
from rankcast.model import EPOCH, Event, Scalar, check_scalar
from rankcast.model.values import check_values

if TYPE_CHECKING:
    import pyarrow as pa

_EXACT = 2**53
"""The largest integer up to which doubles represent every integer."""


def codes_of_batch(encoder: Encoder, batch: "pa.RecordBatch | pa.Table") -> EventCodes:
    """The codes of the events in a batch. Columns that no subscription uses are ignored.

    A number takes one binary search; other values take one lookup per distinct value and about 20 ns per row.
    """
    rows, attributes, codes = [], [], []
    for name in dict.fromkeys(batch.column_names):
        asked = encoder.space(name)
        if asked is None:
            continue
        number, space, has_patterns = asked
        column = batch.column(name)
        column = column.combine_chunks() if hasattr(column, "combine_chunks") else column
        present = np.flatnonzero(column.is_valid().to_numpy(zero_copy_only=False))
        numbers = None if has_patterns else _numbers(column, name)
        if numbers is not None:
            rows.append(present)
            attributes.append(np.full(len(present), number, np.int32))
            codes.append(space.number_codes(numbers))
            continue
        distinct, place = _distinct(column, name)
        pairs = [encoder.codes(name, values) if values else _NO_PAIRS for values in distinct]
        sizes = np.array([len(part) for part in pairs], np.int64)
        each = sizes[place] if len(pairs) else np.zeros(0, np.int64)
        first = np.cumsum(sizes) - sizes
        at = np.repeat(first[place] - np.cumsum(each) + each, each) + np.arange(each.sum())
        rows.append(np.repeat(present, each))
        of, code = np.concatenate([_NO_PAIRS, *pairs])[at].T
        attributes.append(of)
        codes.append(code)
    row = np.concatenate([*rows, np.zeros(0, np.int64)])
    attribute, code = np.concatenate([*attributes, _NONE]), np.concatenate([*codes, _NONE])
    count = int(attribute.max(initial=0)) + 1
    if batch.num_rows * count < 2**31:
        keys = (row * count + attribute) << 32 | code
        keys.sort()
        row, attribute = np.divmod(keys >> 32, count)
        attribute, code = attribute.astype(np.int32), (keys & 0xFFFFFFFF).astype(np.int32)
    else:
        order = np.lexsort((code, attribute, row))
        row, attribute, code = row[order], attribute[order], code[order]
    start = np.searchsorted(row, np.arange(batch.num_rows + 1))
    return EventCodes(start, attribute, code, code, np.zeros(batch.num_rows, np.bool_))


class ArrowRows(Sequence[Event]):
    """The rows of a batch as events, each created on first access."""

    def __init__(self, batch: "pa.RecordBatch | pa.Table") -> None:
        self._batch = batch
        self._made: dict[int, Event] = {}

    def __len__(self) -> int:
        return int(self._batch.num_rows)

    @overload
    def __getitem__(self, place: int) -> Event: ...
    @overload
    def __getitem__(self, place: slice) -> list[Event]: ...
    def __getitem__(self, place: int | slice) -> Event | list[Event]:
        if isinstance(place, slice):
            return [self[i] for i in range(*place.indices(len(self)))]
        if not 0 <= place < len(self):
            raise IndexError(place)
        if place not in self._made:
            row = self._batch.slice(place, 1).to_pylist()[0]
            values = {name: _values(value) for name, value in row.items() if value is not None and value != []}
            self._made[place] = Event(f"row {place}", EPOCH, values)
        return self._made[place]


_NONE, _NO_PAIRS = np.zeros(0, np.int32), np.zeros((0, 2), np.int32)


def _numbers(column: "pa.Array", name: str) -> NDArray[np.float64] | None:
    """The numbers of a column without nulls; None if it has none, or some that a double cannot represent."""
    import pyarrow.types as types

    if not (types.is_integer(column.type) or types.is_floating(column.type)):
        return None
    found = column.drop_null().to_numpy(zero_copy_only=False)
    if types.is_integer(column.type):
        is_exact = not len(found) or (found.min() >= -_EXACT and found.max() <= _EXACT)
        return np.asarray(found, np.float64) if is_exact else None
    if not np.isfinite(found).all():
        raise ModelError(f"attribute {name!r}: {found[~np.isfinite(found)][0]} is not a number that can be compared")
    return np.asarray(found, np.float64)


def _distinct(column: "pa.Array", name: str) -> tuple[list[tuple[Scalar, ...]], NDArray[np.int64]]:
    """The distinct values of a column, and the index of the value of each row that is not null."""
    import pyarrow.types as types

    try:
        if not types.is_nested(column.type):
            encoded = column.drop_null()
            encoded = encoded if types.is_dictionary(column.type) else encoded.dictionary_encode()
            return [_values(value) for value in encoded.dictionary.to_pylist()], _integers(encoded.indices)
        known: dict[tuple[Scalar, ...], int] = {}
        given = [_values(value) if value else () for value in column.drop_null().to_pylist()]
        place = [known.setdefault(values, len(known)) for values in given]
        return list(known), np.array(place, np.int64)
    except ModelError as error:
        raise ModelError(f"attribute {name!r}: {error}") from None


def _integers(indices: "pa.Array") -> NDArray[np.int64]:
    found: NDArray[np.int64] = indices.to_numpy(zero_copy_only=False).astype(np.int64)
    return found


def _values(value: Any) -> tuple[Scalar, ...]:
    if isinstance(value, list):
        values: tuple[Scalar, ...] = check_values(tuple(value))
        return values
    if isinstance(value, dict):
        raise ModelError("imprecise values do not come in batches; give events")
    if isinstance(value, date) and not isinstance(value, datetime):
        value = datetime.combine(value, time(), UTC)
    elif isinstance(value, datetime) and value.tzinfo is None:
        value = value.replace(tzinfo=UTC)
    return (check_scalar(value),)

"""Bulk load of subscriptions from a Parquet file, as texts or as columns of predicates."""

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from rankcast.engine.index.building import IndexedSubscriptions, build
from rankcast.engine.index.bulk import BETWEEN, EXISTS, OPERATORS, Conjunctions, bulk_draft
from rankcast.engine.index.compiled import CompiledIndex
from rankcast.engine.index.matcher import draft_of
from rankcast.engine.index.texts import PackedStrings
from rankcast.errors import RecordError, did_you_mean
from rankcast.language import parse
from rankcast.matching.outcomes import NO_CONCEPTS
from rankcast.model import Subscription
from rankcast.plain import State

if TYPE_CHECKING:
    import pyarrow as pa

_OPS = {op.value: number for number, op in enumerate(OPERATORS)} | {"between": BETWEEN, "exists": EXISTS}


def compile_parquet(path: Path, progress: Callable[[float], None] = lambda share: None) -> CompiledIndex:
    """Compile the subscriptions of a Parquet file.

    The columns are `id`, `user`, optionally `score`, and one of

    - `where`: the text form of any expression without concepts (about 100 µs each), or
    - `predicates`: a conjunction as a list of structs `attribute`, `op`, `number`, `upper`, `text`, read without an
      object per subscription (about 10 µs each). If `text` is null, `number` is used; `upper` is the upper bound of
      ``between``. An index from this column does not store the subscriptions: it accepts changes, but imprecise
      events, explanations and compaction require `where`.
    """
    import pyarrow.parquet as pq

    table = pq.read_table(path).combine_chunks()
    for name in ("id", "user"):
        if name not in table.column_names:
            raise RecordError(f"{path} has no column {name!r}{did_you_mean(name, table.column_names)}")
    progress(0.05)
    if "predicates" in table.column_names:
        draft, owner = bulk_draft(_conjunctions(table["predicates"].combine_chunks(), path))
        members = _members(table, owner)
    elif "where" in table.column_names:
        draft, members = draft_of(
            [_subscription(row, path) for row in table.to_pylist()], lambda user: NO_CONCEPTS, True
        )
    else:
        raise RecordError(f"{path} has neither a column 'where' nor a column 'predicates'")
    return build(draft, members, progress=lambda share: progress(0.4 + 0.6 * share))


def _subscription(row: State, path: Path) -> Subscription:
    try:
        return Subscription(row["id"], row["user"], parse(row["where"]), row.get("score"))
    except (ValueError, TypeError) as error:
        raise RecordError(f"{path}, subscription {row['id']!r}: {error}") from None


def _conjunctions(column: "pa.ListArray", path: Path) -> Conjunctions:
    rows = column.flatten()
    names, attribute = _encoded(rows.field("attribute"))
    ops, op = _encoded(rows.field("op"))
    unknown = [name for name in ops if name not in _OPS]
    if unknown:
        raise RecordError(f"{path}: no operator {unknown[0]!r}{did_you_mean(unknown[0], _OPS)}")
    texts, text = _encoded(rows.field("text"))
    start = np.asarray(column.offsets, np.int64)
    # A column without any value has no type.
    number, upper = (rows.field(name).cast("float64").fill_null(0.0).to_numpy() for name in ("number", "upper"))
    return Conjunctions(
        start - start[0],
        names,
        attribute,
        np.array([_OPS[name] for name in ops], np.int8)[op],
        number.astype(np.float64),
        upper.astype(np.float64),
        text,
        texts,
    )


def _encoded(column: "pa.Array") -> tuple[list[str], Any]:
    """The distinct strings, and the index of each row's string among them; -1 for null."""
    encoded = column if hasattr(column, "dictionary") else column.cast("string").dictionary_encode()
    return encoded.dictionary.to_pylist(), encoded.indices.fill_null(-1).to_numpy(zero_copy_only=False).astype(np.int32)


def _members(table: "pa.Table", owner: Any) -> IndexedSubscriptions:
    users, user = _encoded(table["user"].combine_chunks())
    scores = np.full(len(table), np.nan)
    if "score" in table.column_names:
        scores = (
            table["score"]
            .combine_chunks()
            .cast("float64")
            .fill_null(np.nan)
            .to_numpy(zero_copy_only=False)
            .astype(np.float64)
        )
    return IndexedSubscriptions(_texts(table["id"].combine_chunks()), user, PackedStrings.of(users), scores, owner)


def _texts(column: "pa.Array") -> PackedStrings:
    import pyarrow as pa

    large = column.cast(pa.large_string())
    ends = np.frombuffer(large.buffers()[1], np.int64)[large.offset : large.offset + len(large) + 1]
    data = np.frombuffer(large.buffers()[2] or b"", np.uint8)[ends[0] : ends[-1]]
    return PackedStrings.packed(data, np.diff(ends))

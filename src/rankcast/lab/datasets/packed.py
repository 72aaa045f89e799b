"""Reads a built-in CSV file as typed records, and turns them into events or a table."""

import csv
import gzip
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime
from io import TextIOWrapper
from typing import IO, TYPE_CHECKING

from rankcast.extras import require
from rankcast.model import Event
from rankcast.plain import JsonObject

if TYPE_CHECKING:
    import pyarrow as pa


@dataclass(frozen=True, slots=True)
class Field:
    """An attribute: its column, how to read it, and its type in a table ("string", "int64", …)."""

    column: str
    read: Callable[[str], object] = str
    kind: str = "string"


def yes(text: str) -> bool:
    """Whether the text is ``yes``."""
    return text == "yes"


def read_rows(file: str) -> Iterator[dict[str, str]]:
    """The rows of a built-in file by column; a missing value is an empty string."""
    with (
        open_data(file) as packed,
        gzip.open(packed) as raw,
        TextIOWrapper(raw, "utf-8", newline="") as text,
    ):
        yield from csv.DictReader(text)


def open_data(file: str) -> IO[bytes]:
    """A data file of the distribution `rankcast-datasets`. Raises `MissingExtra` if that is not installed."""
    require("demo")
    from rankcast_datasets import data_file

    return data_file(file).open("rb")


def attributes_of(row: Mapping[str, str], fields: Mapping[str, Field]) -> JsonObject:
    """The attributes of a row by name; those without a value are left out."""
    return {name: field.read(row[field.column]) for name, field in fields.items() if row[field.column]}


def events_of(
    rows: Iterable[tuple[str, datetime, Mapping[str, str]]], fields: Mapping[str, Field], limit: int | None
) -> Iterator[Event]:
    """Numbered events from rows (id, time, columns) in publication order."""
    for number, (name, time, row) in enumerate(rows, 1):
        if limit is not None and number > limit:
            return
        values = {
            attribute: tuple(value) if isinstance(value, list) else (value,)
            for attribute, value in attributes_of(row, fields).items()
        }
        yield Event(name, time, values, seq=number)


def table_of(
    rows: Iterable[tuple[str, datetime, Mapping[str, str]]], fields: Mapping[str, Field], limit: int | None
) -> "pa.Table":
    """The same rows as columns: id, time, and one per attribute; absent values are null."""
    import pyarrow as pa

    listed = list(rows)[:limit]
    records = [attributes_of(row, fields) for _, _, row in listed]
    columns = {
        "id": pa.array([name for name, _, _ in listed], pa.string()),
        "time": pa.array([time for _, time, _ in listed], pa.timestamp("us", "UTC")),
    }
    for name, field in fields.items():
        kind = pa.list_(pa.string()) if field.kind == "strings" else pa.type_for_alias(field.kind)
        columns[name] = pa.array([record.get(name) for record in records], kind)
    return pa.table(columns)

"""Reading files of events: JSON Lines, a JSON array, CSV, Parquet or Arrow, each perhaps compressed.

Each event becomes one line of JSON.
"""

import json
import os
import re
from collections import Counter
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from datetime import date
from enum import Enum
from hashlib import blake2b
from pathlib import Path
from typing import TYPE_CHECKING

from rankcast.errors import EnvironmentProblem
from rankcast.language.compressed import is_compressed, opened
from rankcast.language.files import numbered_lines
from rankcast.language.json_text import dumps
from rankcast.language.tables import RESERVED, is_missing, plain_value, record_form

if TYPE_CHECKING:
    import pyarrow as pa
    from pyarrow import parquet

_MOST_BYTES = 512 * 1024 * 1024
"""The size up to which a JSON array, a CSV file or a compressed table is read, because it is held in memory."""

_MOST_VALUES = 2**27
"""The values of a column in one row group up to which Parquet is read: a few bytes can stand for any number of them."""

_ROWS = 500
"""Rows that are decoded at a time. In Parquet, a value that is stored once may be in each of them."""

_HEAD = 64 * 1024
_ARROW_FILE, _ARROW_STREAM = b"ARROW1", b"\xff\xff\xff\xff"
_SEPARATORS = (",", ";", "\t", "|")
_NAME = re.compile(r"[\w .:/%()-]+")


class EventFileKind(Enum):
    """How events are written in a file."""

    LINES = "JSON Lines"
    ARRAY = "a JSON array"
    CSV = "CSV"
    PARQUET = "Parquet"
    ARROW = "Arrow"


@dataclass(frozen=True, slots=True)
class EventFile:
    """A file of events whose kind is known."""

    path: Path
    kind: EventFileKind
    separator: str = ","
    is_compressed: bool = False

    def lines(self) -> Iterator[tuple[int, bytes]]:
        """The events as lines of JSON, numbered from 1 (in CSV, the header is line 1)."""
        match self.kind:
            case EventFileKind.LINES:
                return numbered_lines(self.path)
            case EventFileKind.ARRAY:
                return self._of_array()
            case EventFileKind.CSV:
                return _of_rows(self._rows(), first=2)
            case EventFileKind.PARQUET | EventFileKind.ARROW:
                return _of_rows(self._rows(), first=1)

    def record_lines(self) -> Iterator[tuple[int, bytes]]:
        """The file as one of catalog records: lines of JSON, or the rows of a Parquet or Arrow table as such lines."""
        if self.kind not in (EventFileKind.PARQUET, EventFileKind.ARROW):
            return numbered_lines(self.path)
        forms = (record_form(row) for row in self._rows())
        return ((number, dumps(form).encode()) for number, form in enumerate(forms, 1))

    def understood(self, name: str | None = None) -> str:
        """What is read from the file, in one line for people; empty for JSON Lines, which says it by itself."""
        if self.kind is EventFileKind.LINES:
            return ""
        text = f"{name or self.path.name} is read as {self.kind.value}"
        if self.kind is EventFileKind.ARRAY:
            return f"{text}, one event per element"
        schema = next((batch.schema for batch in self._batches()), None)
        if schema is None:
            return f"{text} without rows"
        columns = dict(zip(schema.names, schema.types, strict=True))
        words = ", ".join(f"{one} ({_words_of(kind)})" for one, kind in columns.items() if one and one not in RESERVED)
        given = [one for one in ("id", "time") if one in columns]
        missing = [one for one in ("id", "time") if one not in columns]
        text += f", one event per row; attributes: {words or 'none'}"
        text += f"; {' and '.join(given)} from the columns of that name" if given else ""
        return text + (f"; no column {' and no column '.join(missing)}" if missing else "")

    def _of_array(self) -> Iterator[tuple[int, bytes]]:
        text = self._whole("jq -c '.[]'")
        try:
            elements = json.loads(text.decode("utf-8-sig"))
        except (UnicodeDecodeError, ValueError, RecursionError) as error:
            raise EnvironmentProblem(
                f"{str(self.path)!r} begins like a JSON array, but is not one: {error}; "
                "mend it, or write one event per line (JSON Lines)"
            ) from None
        for number, element in enumerate(elements if isinstance(elements, list) else [elements], 1):
            yield number, dumps(element).encode()

    def _rows(self) -> Iterator[dict[str, object]]:
        """The rows of a table."""
        for batch in self._batches():
            try:
                yield from batch.to_pylist()
            except (ValueError, OverflowError, ArithmeticError) as error:  # a text that is not UTF-8, the year 10,000
                raise self._unreadable(error) from None

    def _batches(self) -> "Iterator[pa.RecordBatch]":
        """The rows of a table, some at a time. Only CSV and compressed files are held in memory as a whole."""
        import pyarrow as pa

        try:
            for batch in self._csv().to_batches() if self.kind is EventFileKind.CSV else self._of_arrow():
                for begin in range(0, max(1, batch.num_rows), _ROWS):
                    yield batch.slice(begin, _ROWS)
        except (pa.ArrowException, OSError, ValueError, MemoryError) as error:
            raise self._unreadable(error) from None

    def _of_arrow(self) -> "Iterator[pa.RecordBatch]":
        import pyarrow as pa
        from pyarrow import ipc, parquet

        with _reader(self._whole("zstd -d")) if self.is_compressed else pa.memory_map(str(self.path)) as source:
            if self.kind is EventFileKind.PARQUET:
                file = parquet.ParquetFile(source)
                _check_values(file.metadata)
                yield from file.iter_batches(_ROWS)
                return
            if source.read(len(_ARROW_FILE)) == _ARROW_FILE:
                reader = ipc.open_file(source)
                batches = (reader.get_batch(number) for number in range(reader.num_record_batches))
            else:
                source.seek(0)
                batches = iter(ipc.open_stream(source))
            for batch in batches:
                batch.validate(full=True)  # reading damaged offsets ends the process
                ",".join(batch.schema.names)  # raises if a damaged name is not UTF-8
                yield batch

    def _unreadable(self, error: Exception) -> EnvironmentProblem:
        return EnvironmentProblem(f"{str(self.path)!r} cannot be read as {self.kind.value}: {error}")

    def _csv(self) -> "pa.Table":
        import pyarrow as pa
        from pyarrow import csv

        content = self._whole("a program for large tables")
        texts = {name: pa.string() for name in ("id", "time", "source", "advertisement")}
        return csv.read_csv(
            _reader(content.removeprefix(b"\xef\xbb\xbf")),
            parse_options=csv.ParseOptions(delimiter=self.separator, newlines_in_values=True),
            convert_options=csv.ConvertOptions(column_types=texts, strings_can_be_null=True),
        )

    def _whole(self, tool: str) -> bytes:
        with opened(self.path) as file:
            content = file.read(_MOST_BYTES + 1)
        if len(content) > _MOST_BYTES:
            raise EnvironmentProblem(
                f"{str(self.path)!r} has more than {_MOST_BYTES:,} bytes; convert it to JSON Lines first, with {tool}"
            )
        return content


class EventIds:
    """Ids for events of a file that have none. The same file gives the same ids, so publishing it again is safe.

    >>> ids = EventIds()
    >>> ids.of(b"{}"), ids.of(b"{}")
    ('e-01e7b720ff566d53', 'e-01e7b720ff566d53-2')
    """

    def __init__(self) -> None:
        self._seen: Counter[str] = Counter()

    def of(self, line: bytes) -> str:
        """The id of the event in a line: a hash of its content, with a number if the content occurs again."""
        name = f"e-{blake2b(line, digest_size=8).hexdigest()}"
        self._seen[name] += 1
        return name if self._seen[name] == 1 else f"{name}-{self._seen[name]}"

    @property
    def given(self) -> int:
        """The number of ids given."""
        return self._seen.total()


def _reader(content: bytes) -> "pa.BufferReader":
    """A reader of a copy that Arrow owns.

    A thread of Arrow's frees what it has read, maybe as Python ends. Freeing memory of Python's then aborts the process.
    """
    import pyarrow as pa

    copy = pa.BufferOutputStream()
    copy.write(content)
    return pa.BufferReader(copy.getvalue())


def event_file(path: str | os.PathLike[str]) -> EventFile:
    """The file, with its kind recognised by its first bytes and its name."""
    place = Path(path)
    try:
        with place.open("rb") as file:
            packed = is_compressed(file.read(4)) if file.seekable() else False
        with opened(place) as content:
            head = content.read(_HEAD)
    except (EnvironmentProblem, OSError, ValueError):
        return EventFile(place, EventFileKind.LINES)  # reading the lines says what is wrong
    kind, separator = kind_of_head(head, {suffix.lower() for suffix in place.suffixes})
    return EventFile(place, kind, separator, packed)


def kind_of_head(head: bytes, suffixes: Collection[str] = ()) -> tuple[EventFileKind, str]:
    """The kind of a file by its first bytes and the suffixes of its name, and the separator of its columns.

    >>> kind_of_head(b"id;price")
    (<EventFileKind.CSV: 'CSV'>, ';')
    """
    if head.startswith(b"PAR1"):
        return EventFileKind.PARQUET, ","
    if head.startswith((_ARROW_FILE, _ARROW_STREAM)):
        return EventFileKind.ARROW, ","
    begin = head.removeprefix(b"\xef\xbb\xbf").lstrip()
    first = begin.split(b"\n", 1)[0].strip()
    if begin.startswith(b"[") or first == b"{":
        return EventFileKind.ARRAY, ","
    header = first.decode("utf-8", "replace")
    separator = max(_SEPARATORS, key=header.count)
    cells = [cell.strip().strip('"') for cell in header.split(separator)]
    looks = len(cells) > 1 and not header.startswith("{") and all(_NAME.fullmatch(cell) for cell in cells if cell)
    if {".csv", ".tsv"} & set(suffixes) or (looks and not {".json", ".jsonl", ".ndjson"} & set(suffixes)):
        return EventFileKind.CSV, separator if header.count(separator) else ","
    return EventFileKind.LINES, ","


def _check_values(metadata: "parquet.FileMetaData") -> None:
    """Refuse Parquet with a list column that has too many values in a row group to be held in memory."""
    kinds = metadata.schema
    lists = [place for place in range(len(kinds)) if kinds.column(place).max_repetition_level]
    for number in range(metadata.num_row_groups):
        for place in lists:
            column = metadata.row_group(number).column(place)
            if column.num_values > _MOST_VALUES:
                raise ValueError(
                    f"row group {number} has {column.num_values:,} values of {column.path_in_schema!r}; at most {_MOST_VALUES:,} "
                    "are read: write smaller row groups"
                )


def _of_rows(rows: Iterator[dict[str, object]], first: int) -> Iterator[tuple[int, bytes]]:
    for number, row in enumerate(rows, first):
        event: dict[str, object] = {}
        attributes = {name: plain_value(value) for name, value in row.items() if name and not is_missing(value)}
        for name in RESERVED:
            if name in attributes:
                value = row[name]
                attributes.pop(name)
                event[name] = value.isoformat() if isinstance(value, date) else value if name == "k" else str(value)
        yield number, dumps({**event, "attributes": attributes}).encode()


def _words_of(kind: "pa.DataType") -> str:
    """The type of a column for people."""
    import pyarrow.types as types

    if types.is_dictionary(kind):
        return _words_of(kind.value_type)
    if types.is_list(kind) or types.is_large_list(kind):
        return f"list of {_words_of(kind.value_type)}"
    if types.is_struct(kind):
        return ", ".join(f"{field.name}: {_words_of(field.type)}" for field in kind)
    if types.is_integer(kind) or types.is_floating(kind) or types.is_decimal(kind):
        return "number"
    if types.is_timestamp(kind) or types.is_date(kind):
        return "time"
    if types.is_string(kind) or types.is_large_string(kind):
        return "text"
    return {"bool": "yes or no", "null": "empty"}.get(str(kind), str(kind))

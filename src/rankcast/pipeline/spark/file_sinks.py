"""Deliveries as files in a folder: one file per shard and micro-batch, named by its range and its pipeline.

Each shard writes its file in its task, under a hidden name, and the driver renames the files when all are written. So
driver and executors share the folder. A file never changes and is never replaced. So a program may read each file once,
as Spark's file stream does.
"""

import os
import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar, NamedTuple
from urllib.parse import unquote
from uuid import uuid4

import pyarrow as pa
import pyarrow.parquet as pq

from rankcast.errors import ModelError, StoreError
from rankcast.language import decode_delivery, dumps
from rankcast.language.columns import arrow_table
from rankcast.language.json_text import read_object
from rankcast.model import Delivery
from rankcast.pipeline.spark.repeats import Pair, SinkProgress, pairs_of, unsent
from rankcast.pipeline.spark.sinks import MicroBatchResult, ShardPart, TaskSink, lines_of

_MARK = "_rankcast.json"
"""Identifies the store that owns the folder. Spark and Arrow ignore names that begin with an underscore."""
_NAME = re.compile(r"(?P<after>\d{12,})-(?P<up_to>\d{12,})-(?P<pipeline>\w+)(?:-\d+)?\.(?:jsonl|parquet)")
_UNNAMED = re.compile(r"(?P<batch>\d{8,})\.(?:jsonl|parquet)")
"""File names of earlier releases: only the number of the micro-batch."""
_SCHEME = re.compile(r"(?P<scheme>[A-Za-z][A-Za-z0-9+.-]+):/")
_progress: dict[tuple[str, str, str], SinkProgress] = {}


@dataclass(frozen=True)
class _FileSink(TaskSink):
    """Writes files into a folder."""

    folder: str
    suffix: ClassVar[str]

    def __post_init__(self) -> None:
        _local(self.folder)

    def write(self, part: ShardPart) -> bytes:
        """Write a hidden file. Returns its name."""
        made = part.result
        name = f".{_name(made)}-{uuid4().hex}{self.suffix}.part"
        _write(_local(self.folder) / name, _encoded(made.deliveries, self.suffix))
        return name.encode()

    def publish(self, made: MicroBatchResult, receipts: Sequence[bytes]) -> None:
        """Show the deliveries that the folder does not have yet."""
        if receipts:
            _Folder(_local(self.folder), self.suffix).add(made, [receipt.decode() for receipt in receipts])


class JsonLines(_FileSink):
    """Writes JSON Lines files (semantics: Files) into a folder."""

    suffix = ".jsonl"


class ParquetFiles(_FileSink):
    """Writes Parquet files into a folder."""

    suffix = ".parquet"


class _File(NamedTuple):
    """A file of an earlier micro-batch: its range, or its batch number if it has no range."""

    path: Path
    after: int
    up_to: int
    batch: int = -1


class _Folder:
    """A folder with the deliveries of one store."""

    def __init__(self, folder: Path, suffix: str) -> None:
        self._folder = folder
        self._suffix = suffix

    def add(self, made: MicroBatchResult, names: Sequence[str]) -> None:
        """Show the deliveries of a micro-batch, in hidden files of these names, that the folder does not have yet."""
        parts = [self._folder / name for name in names]
        for part in parts:
            if not part.exists():
                raise StoreError(
                    f"an executor wrote {part.name!r} to the folder {str(self._folder)!r}, but the driver does not find it there; choose "
                    "a folder that all machines share"
                )
        key = (str(self._folder.absolute()), self._suffix, made.pipeline)
        try:
            progress = _progress.pop(key, None) or self._begun(made, parts)
            sent = progress.sent(made, lambda: self._sent(made))
            for part in parts:
                self._show(part, made, sent)
        except StoreError:
            for part in parts:
                part.unlink(missing_ok=True)
            raise
        progress.wrote(made)
        _progress[key] = progress

    def _show(self, part: Path, made: MicroBatchResult, sent: set[Pair] | None) -> None:
        """Give a hidden file its name, without the deliveries that were sent before."""
        if sent is not None:
            deliveries = _read(part)
            fresh = unsent(deliveries, sent)
            if not fresh.num_rows:
                part.unlink()
                return
            if fresh.num_rows < deliveries.num_rows:
                _write(part, _encoded(fresh, self._suffix))
        part.rename(self._folder / self._free_name(made))

    def _begun(self, made: MicroBatchResult, parts: Sequence[Path]) -> SinkProgress:
        """The progress of the pipeline in this folder. Raises StoreError if the folder belongs to another store."""
        mark = self._folder / _MARK
        files = self._files(made.pipeline)
        if mark.exists():
            try:
                owner = read_object(mark.read_bytes())["store"]
            except (OSError, KeyError, ModelError):
                raise StoreError(f"{str(mark)!r} cannot be read; delete it, or choose another folder") from None
            if owner != made.store:
                raise StoreError(
                    f"the folder {str(self._folder)!r} has the deliveries of another store; choose another folder for this one"
                )
        else:
            _write(mark, dumps({"store": made.store}).encode())
        for left in self._folder.glob(f".*-{made.pipeline}-*.part*"):  # of tasks that failed
            if left not in parts:
                left.unlink(missing_ok=True)
        return SinkProgress(
            max((file.up_to for file in files), default=-1), max((file.batch for file in files), default=-1)
        )

    def _sent(self, made: MicroBatchResult) -> set[Pair]:
        files = self._files(made.pipeline)
        paths = [file.path for file in files if file.up_to >= made.after or file.batch >= made.batch]
        return {pair for path in paths for pair in pairs_of(_read(path))}

    def _files(self, pipeline: str) -> list[_File]:
        """The files of the pipeline, and files of earlier releases, which do not name a pipeline."""
        found: list[_File] = []
        for path in self._folder.iterdir() if self._folder.is_dir() else ():
            named, unnamed = _NAME.fullmatch(path.name), _UNNAMED.fullmatch(path.name)
            if path.name.startswith((".", "_")):
                continue
            if named is None and unnamed is None:
                raise StoreError(
                    f"the folder {str(self._folder)!r} has {path.name!r}, which no pipeline of Rankcast wrote; choose a folder for "
                    "the deliveries alone"
                )
            if path.suffix != self._suffix:
                continue
            if named is not None and named["pipeline"] == pipeline:
                found.append(_File(path, int(named["after"]), int(named["up_to"])))
            elif unnamed is not None:
                found.append(_File(path, -1, -1, int(unnamed["batch"])))
        return found

    def _free_name(self, made: MicroBatchResult) -> str:
        """The next free file name of a micro-batch: its files are numbered from the second on."""
        name = _name(made)
        taken = {path.name for path in self._folder.glob(f"{name}*")}
        numbered = (
            f"{name}{more}{self._suffix}" for more in ("", *(f"-{number}" for number in range(1, len(taken) + 2)))
        )
        return next(free for free in numbered if free not in taken)


def _name(made: MicroBatchResult) -> str:
    return f"{made.after:012d}-{made.up_to:012d}-{made.pipeline}"


def _write(path: Path, content: bytes) -> None:
    """Write a file completely or not at all."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        unfinished = path.with_name(f".{path.name.removeprefix('.')}.new")
        with open(unfinished, "wb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        unfinished.replace(path)
    except OSError as error:
        raise StoreError(
            f"cannot write {path.name!r} to {str(path.parent)!r}: {error.strerror}; nothing of the batch is lost"
        ) from error


def _encoded(deliveries: pa.Table, suffix: str) -> bytes:
    if suffix == ".jsonl":
        return "".join(f"{line}\n" for line in lines_of(deliveries)).encode()
    sink = pa.BufferOutputStream()
    pq.write_table(deliveries, sink)
    return bytes(sink.getvalue().to_pybytes())


def _read(path: Path) -> pa.Table:
    """The deliveries of a file."""
    try:
        if path.name.removesuffix(".part").endswith(".parquet"):
            return pq.ParquetFile(path).read()
        return arrow_table([decode_delivery(read_object(line)) for line in path.read_bytes().splitlines()], Delivery)
    except (OSError, ValueError, KeyError, TypeError, pa.ArrowException, ModelError) as error:
        raise StoreError(
            f"{str(path)!r} cannot be read, so what it has cannot be left out: {error}; put it right, or choose another folder"
        ) from None


def _local(folder: str) -> Path:
    """Parse a folder given as a path or a URL ``file:/…``. Raises ModelError for any other URL."""
    found = _SCHEME.match(folder)
    if found is None:
        return Path(folder)
    if found["scheme"].lower() == "file":
        return Path("/" + unquote(folder[found.end() :]).lstrip("/"))
    raise ModelError(
        f"a sink of files writes to a folder that is mounted on all machines, not to {folder!r}; give a path, or let Spark "
        f"write a table there: table:parquet?path={folder}"
    )

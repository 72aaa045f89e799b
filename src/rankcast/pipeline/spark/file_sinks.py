"""Deliveries as files in a folder: one file per micro-batch with deliveries, named by its range and its pipeline.

A file never changes and is never replaced. So a program may read each file once, as Spark's file stream does.
"""

import json
import os
import re
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple
from urllib.parse import unquote

import pyarrow as pa
import pyarrow.parquet as pq

from rankcast.errors import ModelError, StoreError
from rankcast.language import dumps
from rankcast.pipeline.spark.repeats import Pair, SinkProgress, pairs_of
from rankcast.pipeline.spark.sinks import MicroBatchResult, lines_of

__all__ = ["JsonLines", "ParquetFiles"]

_MARK = "_rankcast.json"
"""Identifies the store that owns the folder. Spark and Arrow ignore names that begin with an underscore."""
_NAME = re.compile(r"(?P<after>\d{12,})-(?P<up_to>\d{12,})-(?P<pipeline>\w+)(?:-\d+)?\.(?:jsonl|parquet)")
_UNNAMED = re.compile(r"(?P<batch>\d{8,})\.(?:jsonl|parquet)")
"""File names of earlier releases: only the number of the micro-batch."""
_SCHEME = re.compile(r"(?P<scheme>[A-Za-z][A-Za-z0-9+.-]+):/")
_progress: dict[tuple[str, str, str], SinkProgress] = {}


@dataclass(frozen=True)
class JsonLines:
    """Writes JSON Lines files (semantics: Files) into a local folder."""

    folder: str

    def __post_init__(self) -> None:
        _local(self.folder)

    def __call__(self, made: MicroBatchResult) -> None:
        """Write the deliveries that the folder does not have yet."""
        _Folder(_local(self.folder), ".jsonl").add(made)


@dataclass(frozen=True)
class ParquetFiles:
    """Writes Parquet files into a local folder."""

    folder: str

    def __post_init__(self) -> None:
        _local(self.folder)

    def __call__(self, made: MicroBatchResult) -> None:
        """Write the deliveries that the folder does not have yet."""
        _Folder(_local(self.folder), ".parquet").add(made)


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

    def add(self, made: MicroBatchResult) -> None:
        """Write the deliveries of a micro-batch that the folder does not have yet."""
        if not made.deliveries.num_rows:
            return
        key = (str(self._folder.absolute()), self._suffix, made.pipeline)
        progress = _progress.pop(key, None) or self._begun(made)
        fresh = progress.unsent(made, lambda: self._sent(made))
        if fresh.num_rows:
            self._write(self._free_name(made), _encoded(fresh, self._suffix))
        progress.wrote(made, fresh)
        _progress[key] = progress

    def _begun(self, made: MicroBatchResult) -> SinkProgress:
        """The progress of the pipeline in this folder. Raises StoreError if the folder belongs to another store."""
        mark = self._folder / _MARK
        files = self._files(made.pipeline)
        if mark.exists():
            try:
                owner = json.loads(mark.read_bytes())["store"]
            except (OSError, ValueError, KeyError, TypeError):
                raise StoreError(f"{str(mark)!r} cannot be read; delete it, or choose another folder") from None
            if owner != made.store:
                raise StoreError(
                    f"the folder {str(self._folder)!r} has the deliveries of another store; choose another folder for this one"
                )
        else:
            self._write(_MARK, dumps({"store": made.store}).encode())
        return SinkProgress(
            max((file.up_to for file in files), default=-1), max((file.batch for file in files), default=-1)
        )

    def _sent(self, made: MicroBatchResult) -> set[Pair]:
        files = self._files(made.pipeline)
        paths = [file.path for file in files if file.up_to >= made.after or file.batch >= made.batch]
        return {pair for path in paths for pair in _pairs(path)}

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
        """The file name of a micro-batch. Ranges without events can have the same name, so they are numbered."""
        name = f"{made.after:012d}-{made.up_to:012d}-{made.pipeline}"
        taken = {path.name for path in self._folder.glob(f"{name}*")}
        numbered = (
            f"{name}{more}{self._suffix}" for more in ("", *(f"-{number}" for number in range(1, len(taken) + 2)))
        )
        return next(free for free in numbered if free not in taken)

    def _write(self, name: str, content: bytes) -> None:
        """Write a file completely or not at all."""
        try:
            self._folder.mkdir(parents=True, exist_ok=True)
            unfinished = self._folder / f".{name}.part"
            with open(unfinished, "wb") as file:
                file.write(content)
                file.flush()
                os.fsync(file.fileno())
            unfinished.replace(self._folder / name)
        except OSError as error:
            raise StoreError(
                f"cannot write {name!r} to {str(self._folder)!r}: {error.strerror}; nothing of the batch is lost"
            ) from error


def _encoded(deliveries: pa.Table, suffix: str) -> bytes:
    if suffix == ".jsonl":
        return "".join(f"{line}\n" for line in lines_of(deliveries)).encode()
    sink = pa.BufferOutputStream()
    pq.write_table(deliveries, sink)
    return bytes(sink.getvalue().to_pybytes())


def _pairs(path: Path) -> list[Pair]:
    """The user and event of each delivery in a file."""
    try:
        if path.suffix == ".parquet":
            return pairs_of(pq.read_table(path, columns=["user", "event"]))
        rows = [json.loads(line) for line in path.read_bytes().splitlines()]
        return [(row["user"], row["event"]) for row in rows]
    except (OSError, ValueError, KeyError, TypeError, pa.ArrowException) as error:
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
        f"a sink of files writes to a folder of this machine, not to {folder!r}; give a path, and let Spark write to "
        f'{found["scheme"]} itself: spark.readStream.format("rankcast").option("table", "deliveries"), with writeStream'
    )

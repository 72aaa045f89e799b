"""Connections from Spark's workers to the processes that match and that hold shards. The first to ask starts them."""

import fcntl
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from hashlib import blake2b
from multiprocessing.connection import Client, Connection
from pathlib import Path
from typing import TypeVar

import msgspec

from rankcast import errors
from rankcast.errors import EnvironmentProblem, RankcastError
from rankcast.pipeline.spark.blobs import MARK, TAKEN
from rankcast.pipeline.spark.executors import executor_cores
from rankcast.pipeline.spark.live.heartbeats import exchange
from rankcast.pipeline.spark.live.requests import (
    Answer,
    Frame,
    HostAnswer,
    HostSettings,
    MatchAnswer,
    MatchRequest,
    Request,
    TakeAnswer,
    TakeRequest,
    encode,
)

_START = 60.0
_Answer = TypeVar("_Answer", bound=Answer)
_connections: dict[str, Connection] = {}
_owners: dict[int, int] = {}


def ask(request: Request) -> HostAnswer:
    """Send a request to the local process that holds the shard, and return its answer.

    There are as many processes as the executor has cores, or as shards if there are fewer. Each always holds the same shards. Raises
    the error that the process reports.
    """
    processes = min(request.settings.shards, executor_cores())
    request = msgspec.structs.replace(request, processes=processes)
    return _asked(f"{request.shard % processes}", request, HostAnswer)


def ask_matches(request: MatchRequest, number: int) -> list[bytes]:
    """What each shard gets of a range of the log, from one of the local processes that match.

    Raises the error that the process reports.
    """
    return _asked(f"match{number % matchers_here()}", request, MatchAnswer).ranges


def ask_taken(request: TakeRequest) -> TakeAnswer:
    """What a shard gets of the events of another source, from the first local process that matches.

    Raises the error that the process reports.
    """
    return _asked("match0", request, TakeAnswer)


def taken_frames(
    settings: HostSettings,
    shard: int,
    frames: Sequence[Frame],
    head: bytes,
    catalog: bytes,
    ask: Callable[[TakeRequest], TakeAnswer] = ask_taken,
) -> list[Frame]:
    """The frames of a shard with what it gets of the events, instead of the events.

    `ask` asks the process that matches. `head` is the head of the shard's saved state, which has that of the intake.
    Spark gives a shard its rows in any order, so they are sorted: the first shard that asks decides for all.
    """
    marks = [frame for frame in frames if frame.kind == MARK]
    if len(marks) == len(frames):
        return marks
    ordered = sorted(frames, key=lambda frame: blake2b(frame.blob, digest_size=16).digest())
    intake = msgspec.json.encode(msgspec.msgpack.decode(head)["intake"]) if head else b""
    key = blake2b(digest_size=16)
    for part in (settings.run.encode(), intake, *(frame.blob for frame in ordered)):
        key.update(len(part).to_bytes(8) + part)
    answer = ask(TakeRequest(settings, shard, key.digest()))
    if answer.needs_frames:
        answer = ask(TakeRequest(settings, shard, key.digest(), ordered, intake, catalog))
    return [*marks, Frame(TAKEN, answer.part)]


def matchers_here() -> int:
    """The number of processes of an executor that match: one for four cores, because each holds the whole index."""
    return max(1, executor_cores() // 4)


def _exchanged(name: str, message: bytes) -> bytes:
    owner = _owner()
    path = private_folder() / f"{owner}-{name}.socket"
    try:
        return _exchange(path, owner, message)
    except (EOFError, OSError):
        # The process may have just ended, or was ended because it did not answer. A new one asks for the saved state.
        _drop(path)
        return _exchange(path, owner, message)


def _asked(name: str, request: Request | MatchRequest | TakeRequest, kind: type[_Answer]) -> _Answer:
    """The answer of a local process to a request. Raises the error that it reports."""
    answer = msgspec.msgpack.decode(_exchanged(name, encode(request)), type=kind)
    if answer.error is not None:
        named, text = answer.error
        known = getattr(errors, named, None) if named else None
        raise known(text) if isinstance(known, type) and issubclass(known, RankcastError) else RuntimeError(text)
    return answer


def _owner() -> int:
    """The process that started this worker. The processes that hold shards belong to it.

    It is remembered from the first request on, because an orphaned worker gets another parent.
    """
    return _owners.setdefault(os.getpid(), os.getppid())


def belong_to(pid: int) -> None:
    """Use the processes that belong to another one, as this process does."""
    _owners[os.getpid()] = pid


def _exchange(path: Path, owner: int, message: bytes) -> bytes:
    connection = _connections.get(str(path)) or _connected(path, owner)
    _connections[str(path)] = connection
    return exchange(connection, message)


def _drop(path: Path) -> None:
    known = _connections.pop(str(path), None)
    if known is not None:
        known.close()


def _connected(path: Path, owner: int) -> Connection:
    """A connection to the process, which is started if it is not running. Only one worker at a time checks this."""
    with open(path.with_suffix(".lock"), "w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        with suppress(OSError):
            return Client(str(path), family="AF_UNIX")
        path.unlink(missing_ok=True)
        log = path.with_suffix(".log")
        with open(log, "wb") as said:
            process = subprocess.Popen(  # noqa: S603
                [sys.executable, "-m", "rankcast.pipeline.spark.live.host", str(path), str(owner)],
                stdin=subprocess.DEVNULL,
                stdout=said,
                stderr=said,
                env={**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))},
            )
        deadline = time.monotonic() + _START
        while time.monotonic() < deadline and process.poll() is None:
            with suppress(OSError):
                return Client(str(path), family="AF_UNIX")
            time.sleep(0.02)
        raise EnvironmentProblem(f"a process of the pipeline did not start:\n{log.read_text(errors='replace')}")


def private_folder() -> Path:
    """A folder that only this user can access."""
    folder = Path(tempfile.gettempdir()) / f"rankcast-{os.getuid()}"
    folder.mkdir(mode=0o700, exist_ok=True)
    if folder.stat().st_uid != os.getuid() or folder.stat().st_mode & 0o077:
        raise EnvironmentProblem(f"{str(folder)!r} belongs to somebody else, or is open to others; remove it")
    return folder

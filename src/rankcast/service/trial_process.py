"""The child process in which trials run. It can be killed without affecting requests."""

import os
import pickle
import struct
from importlib import import_module
from traceback import format_exception
from typing import Any, NamedTuple

from rankcast.errors import CatalogError, RankcastError

READY = b"."
"""What a child writes once its imports are done. They may take seconds, and are not charged to a trial."""

LENGTH = struct.Struct(">Q")
"""The length prefix of each task and each answer."""


class TrialAnswer(NamedTuple):
    """The outcome of a task: its result, or the message of a Rankcast error. `mistake` is the traceback of a bug."""

    result: Any = None
    error: str | None = None
    is_conflict: bool = False
    mistake: str | None = None


def main() -> None:
    """Report that the child is ready, then run tasks until the input ends.

    A task is a folder, a function and its arguments. It runs in that folder, which relative names of files refer to:
    the service may be in another one than when the child was started.
    """
    import_module("rankcast.service.trial_tasks")
    _write(READY)
    while (head := _read(LENGTH.size)) is not None:
        task = _read(LENGTH.unpack(head)[0])
        if task is None:
            return
        answer = pickle.dumps(_answer(task))
        _write(LENGTH.pack(len(answer)) + answer)


def _answer(task: bytes) -> TrialAnswer:
    try:
        folder, function, arguments = pickle.loads(task)  # noqa: S301  from the service itself, over a pipe
        os.chdir(folder)
        return TrialAnswer(function(*arguments))
    except RankcastError as error:
        return TrialAnswer(error=str(error), is_conflict=isinstance(error, CatalogError))
    except Exception as error:
        return TrialAnswer(mistake="".join(format_exception(error)))


def _read(size: int) -> bytes | None:
    """Read `size` bytes of the input; None if it ends first."""
    parts: list[bytes] = []
    while size:
        part = os.read(0, min(size, 1 << 20))
        if not part:
            return None
        parts.append(part)
        size -= len(part)
    return b"".join(parts)


def _write(content: bytes) -> None:
    view = memoryview(content)
    while view:
        view = view[os.write(1, view) :]

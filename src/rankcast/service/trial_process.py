"""The child process in which trials run: it can be killed, and answers for nobody else meanwhile."""

import os
import pickle
import struct
from importlib import import_module
from traceback import format_exception
from typing import Any, NamedTuple

from rankcast.errors import CatalogError, RankcastError

__all__ = ["LENGTH", "READY", "TrialAnswer", "main"]

READY = b"."
"""What a child says once all is imported, which may take seconds on a busy machine and is nobody's trial."""

LENGTH = struct.Struct(">Q")
"""How long what follows is; so begins each task and each answer."""

_NICE = "RANKCAST_TRIAL_NICE"
"""The environment variable that says how far a trial stands back behind those who serve events and answer requests. On two
processors, two trials would otherwise take both."""


class TrialAnswer(NamedTuple):
    """What became of a task: its result, or the error to raise in its place. `mistake` is one of Rankcast's own."""

    result: Any = None
    error: str | None = None
    is_conflict: bool = False
    mistake: str | None = None


def main() -> None:
    """Say that it is ready, then work off tasks, each a function and its arguments, until the input ends."""
    os.nice(int(os.environ.get(_NICE, "15")))
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
        function, arguments = pickle.loads(task)  # noqa: S301  from the service itself, over a pipe
        return TrialAnswer(function(*arguments))
    except RankcastError as error:
        return TrialAnswer(error=str(error), is_conflict=isinstance(error, CatalogError))
    except Exception as error:
        return TrialAnswer(mistake="".join(format_exception(error)))


def _read(size: int) -> bytes | None:
    """So many bytes of the input; None if it ends."""
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

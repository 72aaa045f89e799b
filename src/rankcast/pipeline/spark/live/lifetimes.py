"""Kill a process when another one ends."""

import ctypes
import os
import select
import signal
import time
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path

_POLL = 0.5
_SET_PARENT_DEATH_SIGNAL = 1  # PR_SET_PDEATHSIG of <sys/prctl.h>


def end_with(pid: int, leaving: Sequence[Path] = ()) -> None:
    """Kill this process, and delete the files `leaving`, when the process `pid` ends. It need not be the parent.

    A second process watches, because a compiled loop may block every thread of this one. Call it before starting
    threads.
    """
    watched = os.getpid()
    if os.fork():
        return
    with suppress(OSError, AttributeError):  # not Linux: the watcher polls instead
        ctypes.CDLL(None, use_errno=True).prctl(_SET_PARENT_DEATH_SIGNAL, signal.SIGKILL)
    try:
        _wait_until_ended(pid, watched)
        if os.getppid() == watched:
            for file in leaving:
                file.unlink(missing_ok=True)
            os.kill(watched, signal.SIGKILL)
    finally:
        os._exit(0)


def _wait_until_ended(pid: int, watched: int) -> None:
    """Wait until a process ends, or the watched one does."""
    try:
        handle = os.pidfd_open(pid)
    except ProcessLookupError:
        return
    except (AttributeError, OSError):  # not Linux
        while _is_there(pid) and os.getppid() == watched:
            time.sleep(_POLL)
        return
    while os.getppid() == watched and not select.select([handle], [], [], _POLL)[0]:
        pass


def _is_there(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        pass
    return True

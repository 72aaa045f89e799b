"""Child processes that end with the process that started them, however that one ends."""

import ctypes
import os
import signal
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from importlib import import_module
from threading import Thread
from time import clock_gettime
from typing import IO, NoReturn

__all__ = ["Child", "end_with_parent", "run_child"]

_COMMAND = "from rankcast.service.children import run_child; run_child()"
_SET_PARENT_DEATH_SIGNAL = 1  # PR_SET_PDEATHSIG of <sys/prctl.h>
_CPU_CLOCK = 2  # of a process by its number, as clock_getcpuclockid of Linux makes it
_ORPHANED = 1

# Linux sends the signal when the *thread* that started the child ends. So one thread starts them all, and lives as long as
# the process does.
_starter = ThreadPoolExecutor(1, "rankcast-children")


class Child:
    """A child process that runs the function `main` of a module, with a pipe to its input and one from its output.

    The end of its input asks it to finish. The death of this process, even by ``kill -9``, ends it at once: the system kills it
    (Linux), and it watches a pipe that only this process holds open (elsewhere).
    """

    def __init__(self, module: str) -> None:
        watched, self._lifeline = os.pipe()
        command = [sys.executable, "-c", _COMMAND, module, str(os.getpid()), str(watched)]
        try:
            self._process: subprocess.Popen[bytes] = _starter.submit(
                subprocess.Popen, command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, pass_fds=(watched,)
            ).result()
        except BaseException:
            os.close(self._lifeline)
            raise
        finally:
            os.close(watched)
        self._is_let_go = False

    @property
    def pid(self) -> int:
        """The number of the process."""
        return self._process.pid

    @property
    def seconds(self) -> float | None:
        """How much processor time it has used; None where the system does not say."""
        try:
            return clock_gettime((~self.pid << 3) | _CPU_CLOCK)
        except (OSError, ValueError):
            return None

    @property
    def is_alive(self) -> bool:
        """Whether it runs."""
        return self._process.poll() is None

    @property
    def output(self) -> IO[bytes]:
        """What it writes."""
        assert self._process.stdout is not None
        return self._process.stdout

    def send(self, text: bytes) -> None:
        """Write to its input at once; OSError or ValueError if it does not read any more."""
        assert self._process.stdin is not None
        self._process.stdin.write(text)
        self._process.stdin.flush()

    def ask_to_end(self) -> None:
        """Let its input end."""
        _close(self._process.stdin)

    def end(self, patience: float) -> int:
        """Ask it to end, kill it if it has not after `patience` seconds, and let go of it; its status."""
        self.ask_to_end()
        try:
            status = self._process.wait(patience)
        except subprocess.TimeoutExpired:
            self._process.kill()
            status = self._process.wait()
        if not self._is_let_go:
            self._is_let_go = True
            os.close(self._lifeline)
            _close(self._process.stdout)
        return status

    def kill(self) -> None:
        """End it at once."""
        self._process.kill()


def run_child() -> NoReturn:
    """What a `Child` runs: the module's `main`, until it returns or the parent dies. Ends hard, whatever threads still do."""
    module, parent, watched = sys.argv[1:]
    # A terminal sends these to the parent too, and the parent says when its children end.
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, signal.SIG_IGN)
    end_with_parent(int(parent), int(watched))
    status = 0
    try:
        import_module(module).main()
    except BaseException:
        status = 70
        sys.excepthook(*sys.exc_info())
    for stream in (sys.stdout, sys.stderr):
        with suppress(OSError, ValueError):
            stream.flush()
    os._exit(status)


def end_with_parent(parent: int, watched: int | None = None) -> None:
    """Let this process be killed when its parent dies; `parent` is the parent's number as the parent itself knows it.

    `watched` is the end to read of a pipe whose other end only the parent has: it works on every system, though only as soon as a
    thread of Python gets its turn. Call it first in a process that `multiprocessing` has started, too.
    """
    with suppress(OSError, AttributeError):  # not Linux
        ctypes.CDLL(None, use_errno=True).prctl(_SET_PARENT_DEATH_SIGNAL, signal.SIGKILL)
    if os.getppid() != parent:  # it died before we asked
        os._exit(_ORPHANED)
    if watched is not None:
        Thread(target=_watch, args=[watched], name="rankcast-parent", daemon=True).start()


def _watch(pipe: int) -> None:
    while os.read(pipe, 1):
        pass
    os._exit(_ORPHANED)


def _close(stream: IO[bytes] | None) -> None:
    if stream is not None:
        with suppress(OSError):
            stream.close()

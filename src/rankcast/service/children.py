"""Child processes that end when their parent process ends, even if it is killed."""

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

_COMMAND = "from rankcast.service.children import run_child; run_child()"
_YIELDING = """\
import os
os.nice({niceness})
try:
    os.sched_setscheduler(0, os.SCHED_IDLE, os.sched_param(0))
except (AttributeError, OSError):
    pass  # not Linux, or not allowed
"""
"""What a child does that yields to others, before anything is imported: that alone takes a second of processor time.

Linux stops a process that may only run when the processor is idle as soon as another one wakes up. A process of low
priority would finish its slice of some milliseconds first.
"""
_SET_PARENT_DEATH_SIGNAL = 1  # PR_SET_PDEATHSIG of <sys/prctl.h>
_CPU_CLOCK = 2  # the clock of a process, encoded as clock_getcpuclockid of Linux does
_ORPHANED = 1

# Linux sends the signal when the *thread* that started the child ends. So a single thread starts all children and
# lives as long as the process.
_starter = ThreadPoolExecutor(1, "rankcast-children")


class Child:
    """A child process that runs the function `main` of a module, with a pipe to its input and a pipe from its output.

    Closing its input asks the child to finish. If this process dies, even by ``kill -9``, the child ends at once: on
    Linux the kernel kills it, and on other systems it watches a pipe that only this process holds open. With a
    `niceness`, the child runs while other processes leave a processor idle.
    """

    def __init__(self, module: str, niceness: int = 0) -> None:
        watched, self._lifeline = os.pipe()
        program = (_YIELDING.format(niceness=niceness) if niceness else "") + _COMMAND
        command = [sys.executable, "-c", program, module, str(os.getpid()), str(watched)]
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
        """The process id."""
        return self._process.pid

    @property
    def seconds(self) -> float | None:
        """The processor time that the child has used, in seconds; None where the system does not report it."""
        try:
            return clock_gettime((~self.pid << 3) | _CPU_CLOCK)
        except (OSError, ValueError):
            return None

    @property
    def is_alive(self) -> bool:
        """Whether the child is running."""
        return self._process.poll() is None

    @property
    def output(self) -> IO[bytes]:
        """The output of the child."""
        assert self._process.stdout is not None
        return self._process.stdout

    def send(self, text: bytes) -> None:
        """Write to the child's input and flush it. Raises OSError or ValueError if the child no longer reads."""
        assert self._process.stdin is not None
        self._process.stdin.write(text)
        self._process.stdin.flush()

    def ask_to_end(self) -> None:
        """Close the child's input."""
        _close(self._process.stdin)

    def end(self, patience: float) -> int:
        """Ask the child to end, kill it after `patience` seconds, release its resources, and return its status."""
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

    def pause(self) -> None:
        """Stop the child until `resume`, where the system can do that."""
        self._signal("SIGSTOP")

    def resume(self) -> None:
        """Let a paused child go on."""
        self._signal("SIGCONT")

    def _signal(self, name: str) -> None:
        if hasattr(signal, name):
            self._process.send_signal(getattr(signal, name))

    def kill(self) -> None:
        """Kill the child."""
        self._process.kill()


def run_child() -> NoReturn:
    """The entry point of a `Child`: run the module's `main` until it returns or the parent dies.

    The process then exits at once, without waiting for other threads.
    """
    module, parent, watched = sys.argv[1:]
    # A terminal sends these signals to the parent too, and the parent decides when its children end.
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
    """Have this process killed when its parent dies. `parent` is the parent's own process id.

    `watched` is the read end of a pipe whose write end only the parent holds. It works on every system, but only once
    a Python thread gets to run. In a process that `multiprocessing` started, call this function first.
    """
    with suppress(OSError, AttributeError):  # not Linux
        ctypes.CDLL(None, use_errno=True).prctl(_SET_PARENT_DEATH_SIGNAL, signal.SIGKILL)
    if os.getppid() != parent:  # the parent died before the request took effect
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

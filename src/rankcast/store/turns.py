"""Fair turns for the writers of a store in a file: among the threads of a process, and among processes.

SQLite's own lock goes to whoever asks at the right moment. So some writers would wait for seconds while others write all
the time.
"""

import os
from collections import deque
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from threading import Lock
from time import monotonic, sleep

_LOOK = 0.02
"""Seconds after which one who waits looks whether those before it are still held back."""
_PAUSE = 0.001


class Turns:
    """A lock for the threads of one process, who get it in the order in which they asked. Urgent ones come first.

    `hold_back` lets all others wait for a moment, so that another process can write at once.

    >>> turns = Turns()
    >>> turns.take(0.0), turns.take(0.0)
    (True, False)
    >>> turns.give_back()
    >>> turns.take(0.0)
    True
    """

    def __init__(self) -> None:
        self._begin()

    def _begin(self) -> None:
        self._process = os.getpid()
        self._lock = Lock()
        self._is_taken = False
        self._urgent: deque[Lock] = deque()
        self._waiting: deque[Lock] = deque()
        self._held_from = self._held_until = self._free_until = 0.0

    def take(self, patience: float, is_urgent: bool = False) -> bool:
        """Wait for a turn, at most `patience` seconds. Returns whether it came."""
        if self._process != os.getpid():  # forked: those who had or awaited a turn are not here
            self._begin()
        until = monotonic() + patience
        called = Lock()
        called.acquire()
        with self._lock:
            line = self._urgent if is_urgent else self._waiting
            line.append(called)
            self._call_next()
        while not called.acquire(timeout=min(_LOOK, max(0.0, until - monotonic()))):
            with self._lock:
                self._call_next()  # nobody else does so when those who are held back may go on by themselves
                if monotonic() >= until and called in line:
                    line.remove(called)
                    return False
        return True

    def give_back(self) -> None:
        """End a turn. The next in line has it at once."""
        with self._lock:
            self._is_taken = False
            self._call_next()

    def hold_back(self, seconds: float) -> bool:
        """Give turns only to urgent ones for that many seconds, or until `let_go`. Returns whether this was granted.

        It is refused until the others could write for as long as they were held back before. So they have at least half
        of the time, however often this is called.
        """
        with self._lock:
            now = monotonic()
            if now < self._free_until:
                return False
            self._held_from, self._held_until, self._free_until = now, now + seconds, now + 2 * seconds
            return True

    def let_go(self) -> None:
        """End `hold_back` early."""
        with self._lock:
            now = monotonic()
            if now < self._held_until:
                self._held_until, self._free_until = now, 2 * now - self._held_from
                self._call_next()

    def _call_next(self) -> None:
        """Give the turn, if nobody has it, to the next in line who may have it."""
        if self._is_taken:
            return
        for line in (self._urgent, self._waiting if monotonic() >= self._held_until else None):
            if line:
                self._is_taken = True
                line.popleft().release()
                return


class Turnstile:
    """The place of the process that writes next. Nobody passes it while it waits for the writer before it.

    So processes that write all the time take turns. It is a lock on an empty file beside the store, which the system
    releases if the process ends. Without such locks or such a file, everybody passes. One thread of a process may use it
    at a time.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        self._file: int | None = None
        self._process = 0

    @contextmanager
    def passing(self, patience: float) -> Iterator[bool]:
        """Wait for the place, at most `patience` seconds, and keep it for the block. Says whether it came."""
        try:
            import fcntl

            file = self._open()
        except (ImportError, OSError):  # not on this system, or not in this folder
            yield True
            return
        until = monotonic() + patience
        while True:
            try:
                fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
                break
            except BlockingIOError:
                if monotonic() >= until:
                    yield False
                    return
            except OSError:  # this file system has no locks
                yield True
                return
            sleep(_PAUSE)
        try:
            yield True
        finally:
            fcntl.flock(file, fcntl.LOCK_UN)

    def close(self) -> None:
        """Remove the file, as SQLite removes its own. Others make a new one."""
        if self._file is not None:
            with self.passing(0.0) as is_free, suppress(OSError):
                if is_free:
                    os.unlink(self._path)
            self._forget()

    def _open(self) -> int:
        if self._file is not None and (self._process != os.getpid() or not self._is_there(self._file)):
            self._forget()
        if self._file is None:
            self._file = os.open(self._path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
            self._process = os.getpid()
        return self._file

    def _is_there(self, file: int) -> bool:
        """Whether the file is still the one that others see."""
        try:
            return os.path.samestat(os.fstat(file), os.stat(self._path))
        except OSError:
            return False

    def _forget(self) -> None:
        file, self._file = self._file, None
        if file is not None:
            with suppress(OSError):
                os.close(file)

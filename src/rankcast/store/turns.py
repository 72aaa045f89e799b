"""A lock for the writers of one process, who get it in the order in which they asked."""

import os
from collections import deque
from threading import Lock

__all__ = ["Turns"]


class Turns:
    """A fair lock. SQLite's own lock goes to whoever asks at the right moment, so that some writers wait for seconds.

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
        self._waiting: deque[Lock] = deque()

    def take(self, patience: float) -> bool:
        """Wait for a turn, at most `patience` seconds. Returns whether it came."""
        if self._process != os.getpid():  # forked: those who had or awaited a turn are not here
            self._begin()
        with self._lock:
            if not self._is_taken:
                self._is_taken = True
                return True
            called = Lock()
            called.acquire()
            self._waiting.append(called)
        if called.acquire(timeout=patience):
            return True
        with self._lock:
            if called in self._waiting:
                self._waiting.remove(called)
                return False
        return True  # it came at the last moment

    def give_back(self) -> None:
        """End a turn. The next in line has it at once."""
        with self._lock:
            if self._waiting:
                self._waiting.popleft().release()
            else:
                self._is_taken = False

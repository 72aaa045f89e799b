"""A thread that repeats a task until it is stopped."""

from collections.abc import Callable
from threading import Event as Flag
from threading import Thread

from rankcast.errors import RankcastError

__all__ = ["BackgroundLoop"]


class BackgroundLoop:
    """Calls `work` in its own thread: first after `first` seconds, then again after each pause.

    Expected errors (`RankcastError`, for example from a store that another process has locked) go to `failed`, and
    the loop continues. After each round, `pause` returns how many seconds to wait.
    """

    def __init__(
        self,
        name: str,
        work: Callable[[], object],
        failed: Callable[[RankcastError], None],
        pause: Callable[[], float],
        first: float = 0.0,
    ) -> None:
        self._name = name
        self._work = work
        self._failed = failed
        self._pause = pause
        self._first = first
        self._stopping = Flag()
        self._thread: Thread | None = None

    @property
    def is_running(self) -> bool:
        """Whether the thread is alive."""
        return self._thread is not None and self._thread.is_alive()

    def is_stopping(self) -> bool:
        """Whether the current round should end early."""
        return self._stopping.is_set()

    def start(self) -> None:
        """Start the thread, unless it is running."""
        if self._thread is None:
            self._stopping.clear()
            self._thread = Thread(target=self._run, name=self._name, daemon=True)
            self._thread.start()

    def stop(self) -> None:
        """Let the current round finish, then end the thread."""
        self._stopping.set()
        if self._thread is not None:
            self._thread.join()
            self._thread = None

    def _run(self) -> None:
        wait = self._first
        while not self._stopping.wait(wait):
            try:
                self._work()
            except RankcastError as error:
                self._failed(error)
            wait = self._pause()

"""Work that a thread repeats until it is stopped."""

import logging
from abc import ABC, abstractmethod
from threading import Event as Flag
from threading import Thread

from rankcast.errors import RankcastError


class BackgroundTask(ABC):
    """Calls `round` in a thread of its own: first after `first` seconds, then again after each `pause`.

    Expected errors (`RankcastError`, for example from a store that another process has locked) are logged under the name
    of the task, after the words of `failure`, and the task continues. `error` is why the last round failed, or None.
    """

    def __init__(self, name: str, failure: str, first: float = 0.0) -> None:
        self.error: str | None = None
        self._name = name
        self._failure = failure
        self._first = first
        self._stopping = Flag()
        self._thread: Thread | None = None

    @abstractmethod
    def round(self) -> object:
        """Do the work once."""

    @abstractmethod
    def pause(self) -> float:
        """How many seconds to wait before the next round."""

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
            self._thread = Thread(target=self._run, name=f"rankcast-{self._name}", daemon=True)
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
                self.error = None
                self.round()
            except RankcastError as error:
                self.error = str(error)
                logging.getLogger(f"rankcast.service.{self._name}").warning("%s: %s", self._failure, error)
            wait = self.pause()

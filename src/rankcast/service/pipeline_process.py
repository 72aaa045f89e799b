"""The embedded pipeline in a process of its own, so that serving events and answering requests do not share one processor."""

import logging
import os
from collections.abc import Callable
from contextlib import suppress
from threading import Event as Flag
from threading import Lock, Thread

import msgspec

from rankcast.errors import RankcastError, StoreError
from rankcast.pipeline.local import CommittedBatch
from rankcast.service.children import Child
from rankcast.service.runner import Runner
from rankcast.store import Store

__all__ = ["PipelineProcess", "main"]

_log = logging.getLogger("rankcast.service.pipeline")
_PATIENCE = 10.0
"""How many seconds a child may take to finish its batch before it is killed; the batch is then served again at the next start."""
_REST = 1.0
_OTHERS = 3.0
"""How long a child waits for that of a service that was killed to finish its batch."""


class _Task(msgspec.Struct):
    """What a child is started for."""

    store: str
    shards: int | None
    poll: float


class _Report(msgspec.Struct):
    """What a child says: once it has begun, or why it does not; then after each batch and each failure."""

    batches: int = 0
    events: int = 0
    delivered: int = 0
    set_aside: int = 0
    error: str | None = None
    refused: str | None = None
    last: CommittedBatch | None = None
    """What the last batch did, if this says so for the first time."""


class PipelineProcess:
    """As `Runner`, but at work in a child process, which ends with this one, however that ends.

    The child gets its task by its input; later lines of it wake the child, and its end ends it. The child's output is reports.
    One that dies is replaced: what it had not committed is served again, and nothing twice.
    """

    def __init__(
        self,
        store: str,
        shards: int | None = None,
        poll: float = 0.5,
        told: Callable[[], None] = lambda: None,
        served: Callable[[CommittedBatch], None] = lambda batch: None,
    ) -> None:
        self.error: str | None = None
        self._task = _Task(store, shards, poll)
        self._told = told
        self._served = served
        self._report = _Report()
        self._child: Child | None = None
        self._stopping = Flag()
        self._lock = Lock()
        self._thread: Thread | None = None
        self._before = _Report()

    @property
    def batches(self) -> int:
        """How many batches were committed since the start."""
        return self._before.batches + self._report.batches

    @property
    def events(self) -> int:
        """How many events were served since the start."""
        return self._before.events + self._report.events

    @property
    def delivered(self) -> int:
        """How many deliveries were committed since the start."""
        return self._before.delivered + self._report.delivered

    @property
    def set_aside(self) -> int:
        """How much could not be served since the start, and was set aside."""
        return self._before.set_aside + self._report.set_aside

    @property
    def is_running(self) -> bool:
        """Whether a child is alive."""
        return self._child is not None and self._child.is_alive

    def start(self) -> None:
        """Begin serving; refused if another pipeline serves the store, or its state is in another number of shards."""
        if self._thread is None:
            self._stopping.clear()
            self._thread = Thread(target=self._follow, args=[self._begun()], name="rankcast-pipeline", daemon=True)
            self._thread.start()

    def stop(self) -> None:
        """Let the child finish the batch at hand, and end."""
        self._stopping.set()
        with self._lock:
            child = self._child
            if child is not None:
                child.ask_to_end()
        if self._thread is not None:
            self._thread.join(_PATIENCE)
            if child is not None and self._thread.is_alive():
                child.kill()
                self._thread.join()
            self._thread = None

    def wake(self) -> None:
        """Say that there is something to serve; returns at once."""
        with self._lock:
            if self._child is not None:
                with suppress(OSError, ValueError):  # it has just ended
                    self._child.send(b"\n")

    def _begun(self) -> Child:
        """A child that serves the store, after its first report."""
        child = Child(__name__)
        with suppress(OSError):  # it has ended already; then it says nothing either
            child.send(msgspec.json.encode(self._task))
        line = child.output.readline()
        report = msgspec.json.decode(line, type=_Report) if line else _Report(refused="the pipeline does not start")
        if report.refused is not None:
            child.end(_PATIENCE)
            raise StoreError(report.refused)
        with self._lock:
            self._child = child
            if self._stopping.is_set():  # meanwhile
                child.ask_to_end()
        self.wake()  # for what came between the child's first look and now
        return child

    def _follow(self, child: Child | None) -> None:
        """Read what the child says; replace it if it dies."""
        while child is not None:
            for line in child.output:
                self._report = msgspec.json.decode(line, type=_Report)
                self.error = self._report.error
                if self._report.last is not None:
                    self._served(self._report.last)
                self._told()
            with self._lock:
                self._child = None
            status = child.end(_PATIENCE)
            self._before, self._report = _Report(self.batches, self.events, self.delivered, self.set_aside), _Report()
            child = None
            if not self._stopping.is_set():
                self.error = f"the pipeline ended with status {status}, and is started again"
                _log.error("%s", self.error)
            while child is None and not self._stopping.wait(_REST):
                try:
                    child = self._begun()
                    self.error = None
                except RankcastError as error:
                    self.error = str(error)


def main() -> None:
    """The child: serve the store that the input names, whenever there is more input, until that ends."""
    task = msgspec.json.decode(os.read(0, 1 << 16), type=_Task)
    try:
        with Store.open(task.store) as store:
            last: list[CommittedBatch] = []

            def told() -> None:
                counts = runner.batches, runner.events, runner.delivered, runner.set_aside, runner.error
                _say(_Report(*counts, last=last.pop() if last else None))

            runner = Runner(store, task.shards, task.poll, told, last.append, is_warming=True)
            runner.start(_OTHERS)
            _say(_Report())
            while os.read(0, 1 << 16):
                runner.wake()
            runner.stop()
    except RankcastError as error:
        _say(_Report(refused=str(error)))


def _say(report: _Report) -> None:
    with suppress(BrokenPipeError):  # nobody listens any more: the input ends soon
        os.write(1, msgspec.json.encode(report) + b"\n")

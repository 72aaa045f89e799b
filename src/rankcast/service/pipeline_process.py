"""The embedded pipeline in its own process, so that events and requests do not share a processor."""

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

_log = logging.getLogger("rankcast.service.pipeline")
_PATIENCE = 10.0
"""Seconds that a child has to finish its batch before it is killed. The next child serves the batch again."""
_LOADING = 15.0
"""Seconds that a service waits for its pipeline to load before it listens. Events are logged even before that."""
_REST = 1.0
_HASTEN = b"+"
_OTHERS = 3.0
"""Seconds that a child waits for the child of a killed service to finish its batch."""


class _Task(msgspec.Struct):
    """The task that a child receives when it starts."""

    store: str
    shards: int | None
    poll: float


class _Report(msgspec.Struct):
    """A report of the child: once when it has begun or could not begin, then after each batch and each failure."""

    batches: int = 0
    events: int = 0
    delivered: int = 0
    set_aside: int = 0
    error: str | None = None
    refused: str | None = None
    last: CommittedBatch | None = None
    """The last batch, if this report is the first to mention it."""


class PipelineProcess:
    """Like `Runner`, but works in a child process that ends with this one, even if this one is killed.

    The child reads its task from its input. Later input lines wake the child; they may have the offset of an urgent
    event. A line with a plus sign says that a publisher waits. The end of the input stops it. The child writes reports
    to its output. A child that dies is replaced: the new one serves again what was not committed, and nothing is
    delivered twice.
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
        """Batches committed since the start."""
        return self._before.batches + self._report.batches

    @property
    def events(self) -> int:
        """Events served since the start."""
        return self._before.events + self._report.events

    @property
    def delivered(self) -> int:
        """Deliveries committed since the start."""
        return self._before.delivered + self._report.delivered

    @property
    def set_aside(self) -> int:
        """Entries set aside since the start because they could not be served."""
        return self._before.set_aside + self._report.set_aside

    @property
    def is_running(self) -> bool:
        """Whether a child is running."""
        return self._child is not None and self._child.is_alive

    def start(self) -> None:
        """Start serving. Refused if another pipeline serves the store, or its state has another number of shards."""
        if self._thread is None:
            self._stopping.clear()
            self._thread = Thread(target=self._follow, args=[self._begun()], name="rankcast-pipeline", daemon=True)
            self._thread.start()

    def stop(self) -> None:
        """Let the child finish the current batch, then end it."""
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

    def wake(self, urgent: int | None = None) -> None:
        """Like `Runner.wake`."""
        with self._lock:
            if self._child is not None:
                with suppress(OSError, ValueError):  # the child has just ended
                    self._child.send(b"\n" if urgent is None else b"%d\n" % urgent)

    def hasten(self) -> None:
        """Like `Runner.hasten`."""
        with self._lock:
            if self._child is not None:
                with suppress(OSError, ValueError):
                    self._child.send(_HASTEN + b"\n")

    def _begun(self) -> Child:
        """Start a child that serves the store, and return it after its first report."""
        child = Child(__name__)
        with suppress(OSError):  # the child has ended already, so it will not report either
            child.send(msgspec.json.encode(self._task))
        line = child.output.readline()
        report = msgspec.json.decode(line, type=_Report) if line else _Report(refused="the pipeline does not start")
        if report.refused is not None:
            child.end(_PATIENCE)
            raise StoreError(report.refused)
        with self._lock:
            self._child = child
            if self._stopping.is_set():  # stopped meanwhile
                child.ask_to_end()
        self.wake()  # for events that arrived between the child's first read and now
        return child

    def _follow(self, child: Child | None) -> None:
        """Read the child's reports, and replace the child if it dies."""
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
    """Entry point of the child: serve the store that the first input line names; each further line wakes it."""
    task = msgspec.json.decode(os.read(0, 1 << 16), type=_Task)
    try:
        with Store.open(task.store, is_served=True) as store:
            last: list[CommittedBatch] = []

            def told() -> None:
                counts = runner.batches, runner.events, runner.delivered, runner.set_aside, runner.error
                _say(_Report(*counts, last=last.pop() if last else None))

            runner = Runner(store, task.shards, task.poll, told, last.append, owns_process=True)
            runner.start(_OTHERS)
            runner.wait_until_ready(_LOADING)
            _say(_Report())
            rest = b""
            while calls := os.read(0, 1 << 16):
                *lines, rest = (rest + calls).split(b"\n")
                for line in filter(None, lines):
                    if line == _HASTEN:
                        runner.hasten()
                    else:
                        runner.wake(int(line))
                if any(line != _HASTEN for line in lines):
                    runner.wake()
            runner.stop()
    except RankcastError as error:
        _say(_Report(refused=str(error)))


def _say(report: _Report) -> None:
    with suppress(BrokenPipeError):  # nobody reads the reports any more; the input will end soon
        os.write(1, msgspec.json.encode(report) + b"\n")

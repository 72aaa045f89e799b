"""The embedded pipeline: a thread that serves published events, as `rankcast run` does in its own process."""

from collections import deque
from collections.abc import Callable
from contextlib import suppress
from functools import partial
from threading import Event as Flag
from threading import Thread
from time import monotonic

import msgspec

from rankcast.engine.choice import LIVE_BATCH
from rankcast.errors import RankcastError, StoreError
from rankcast.pipeline import saved_catalog
from rankcast.pipeline.local import CommittedBatch, LocalPipeline
from rankcast.service.children import Child
from rankcast.service.compiled_loops import CompiledLoops
from rankcast.service.garbage import GarbageCollection
from rankcast.store import SPARK, Store
from rankcast.store.store_lock import StoreLock

_LONGEST_WAIT = 30.0
_URGENT = 1_000
_BEAT = 0.05
_BATCH = 1_000
"""The most events that are committed together."""
_PREPARING = 10.0
"""Seconds in which a start compares the subscriptions of users who have many: 10,000 take up to 4 s. The first event
would wait for it. What is left is compared while nothing is pending."""
_COMPARING = 0.005
"""Seconds after each batch for new subscriptions of users who have many: without a pause between events, the first that
matches all of them would otherwise wait until all are compared."""
_SLICE = 0.03
"""Seconds of serving after which a batch is committed, so that deliveries do not wait for a long batch."""

_LARGE = 20_000
"""Records from which on a catalog is saved with its index. To read and compile fewer takes a second."""
_SAVING = 3600.0
_NICENESS = 15


class Runner:
    """Serves the pending events of a store when it is woken, and every `poll` seconds for events of other processes.

    `batches`, `events`, `delivered` and `set_aside` count what was committed since the start. `error` is the last
    failure, or None once a batch has succeeded again. Periods end by the clock of the store, even if nothing more is
    published. Each batch is one transaction, so neither stopping nor a crash loses or repeats anything.

    With `owns_process`, the reference engine serves until the compiled loops are loaded, and garbage is collected
    between batches. The runner's thread calls `served` with each batch, and `told` after each batch and each
    failure.
    """

    def __init__(
        self,
        store: Store,
        shards: int | None = None,
        poll: float = 0.5,
        told: Callable[[], None] = lambda: None,
        served: Callable[[CommittedBatch], None] = lambda batch: None,
        owns_process: bool = False,
    ) -> None:
        self.batches = 0
        self.events = 0
        self.delivered = 0
        self.set_aside = 0
        self.error: str | None = None
        self._store = store
        self._shards = shards
        self._poll = poll
        self._told = told
        self._served = served
        self._loops = CompiledLoops() if owns_process else None
        self._garbage = GarbageCollection() if owns_process else None
        self._serving: LocalPipeline | None = None
        self._lock = StoreLock(store, "end that one, or start with --no-pipeline")
        self._woken = Flag()
        self._hurried = Flag()
        self._hastened = Flag()
        self._urgent: deque[int] = deque(maxlen=_URGENT)
        self._stopping = Flag()
        self._ready = Flag()
        self._thread: Thread | None = None
        self._writer: Child | None = None
        self._next_saving = 0.0

    @property
    def is_running(self) -> bool:
        """Whether the thread is alive."""
        return self._thread is not None and self._thread.is_alive()

    def start(self, patience: float = 0.0) -> None:
        """Start serving.

        Refused if another pipeline still serves the store after `patience` seconds, or if its state has a different
        number of shards.
        """
        if self.is_running:
            return
        self._refuse_beside_spark()
        self._lock.take(patience)
        present = self._store.progress().shards
        if present and self._shards not in (None, present):
            raise RankcastError(f"the delivery state of this store is in {present} shards, and stays so")
        self._shards = present or self._shards or 1
        self._stopping.clear()
        self._woken.set()
        self._thread = Thread(target=self._run, name="rankcast-pipeline", daemon=True)
        self._thread.start()

    def wait_until_ready(self, patience: float) -> bool:
        """Wait until the state is loaded, so that the first event is served as fast as later ones; or until an error.

        Returns whether this took less than `patience` seconds.
        """
        return self._ready.wait(patience)

    def stop(self) -> None:
        """Let the current batch finish, then end the thread."""
        self._stopping.set()
        self._hurried.set()
        self._hastened.set()
        self._woken.set()
        if self._thread is not None:
            self._thread.join()
            self._thread = None
        self._end_writer()
        self._lock.give_back()

    def wake(self, urgent: int | None = None) -> None:
        """Report that there are events to serve. Returns at once.

        `urgent` is the offset of an event for which somebody waits who published little. The pause after a batch then
        ends, and so does the batch with this event.
        """
        if urgent is not None:
            self._urgent.append(urgent)
            self._hurried.set()
            self._hastened.set()
        self._woken.set()

    def hasten(self) -> None:
        """Report that a publisher waits until events are served. The pause after a batch is then short."""
        self._hastened.set()

    def _run(self) -> None:
        failures = 0
        while True:
            self._woken.clear()
            self._hurried.clear()
            self._hastened.clear()
            if self._stopping.is_set():
                break
            begun, before = monotonic(), self.batches
            try:
                self._serve()
                self.error, failures = None, 0
            except Exception as error:  # the thread must survive any failure of a batch
                self._serving = None  # the state in memory may be ahead of what was committed
                self.error = str(error) or type(error).__name__
                failures += 1
                self._ready.set()
                self._tell()
                self._stopping.wait(min(_LONGEST_WAIT, self._poll * 2**failures))
                continue
            if self._garbage is not None:
                self._garbage.collect()
            if self.batches > before:
                self._rest(monotonic() - begun)
            self._woken.wait(self._poll)
        if self._serving is not None:
            with suppress(StoreError):  # the next start restores the state from what was saved before
                self._serving.save()

    def _serve(self) -> None:
        if self._serving is None:
            self._lock.take()  # a database server that was restarted has forgotten the lock
            self._serving = LocalPipeline(
                self._store, self._shards or 1, _BATCH, LIVE_BATCH, _SLICE, self._has_loops, self._next_urgent
            )
            self._serving.load()
            until = monotonic() + _PREPARING
            self._serving.prepare(lambda: self._stopping.is_set() or monotonic() >= until)
            if self._garbage is not None:
                self._garbage.settle()
            self._ready.set()
            self._next_saving = monotonic() + (0.0 if self._serving.saved_version is None else _SAVING)
        for batch in self._serving.serve():
            self._count(batch)
            if self._stopping.is_set():
                return
            self._serving.compare(partial(self._goes_on, monotonic() + _COMPARING))
        ended = self._serving.advance()
        if ended is not None:
            self._count(ended)
        self._serving.save(is_idle=True)
        self._save_catalog(self._serving)
        self._serving.prepare(self._woken.is_set)

    def _save_catalog(self, serving: LocalPipeline) -> None:
        """Let a child save a large catalog with its index, at most once an hour, so that the next start is quick."""
        path = self._store.database.catalog_file
        if self._garbage is None or path is None or monotonic() < self._next_saving:
            return
        self._next_saving = monotonic() + _SAVING
        version = serving.first_version
        if version != serving.saved_version and self._store.has_records(_LARGE):
            self._end_writer()
            self._writer = Child(saved_catalog.__name__, _NICENESS)
            self._writer.send(msgspec.json.encode([self._store.database.place, str(path), version]))
            self._writer.ask_to_end()
            serving.saved_version = version

    def _end_writer(self) -> None:
        if self._writer is not None:
            self._writer.end(0.0)
            self._writer = None

    def _rest(self, worked: float) -> None:
        """Wait before the next batch, given how many seconds the last one took.

        Every batch costs a disk flush and a message to most feeds, however few events it has, so twenty batches a
        second are enough, unless publishers wait for them. The pause also leaves processor time for publishers and
        listeners.
        """
        short = min(worked / 2, _BEAT)
        if not self._hurried.wait(short):
            self._hastened.wait(max(0.0, _BEAT - worked - short))

    def _goes_on(self, at: float) -> bool:
        """Whether the next batch begins: at a time, or because somebody waits for it."""
        return self._hurried.is_set() or monotonic() >= at

    def _has_loops(self) -> bool:
        """Whether arrays can serve. At the start, this waits for loops that were compiled before."""
        return self._loops is None or self._loops.are_ready(0.0 if self._ready.is_set() else _PREPARING)

    def _next_urgent(self, after: int) -> int | None:
        """The offset of the next urgent event after one; None if there is none."""
        while self._urgent and self._urgent[0] <= after:
            self._urgent.popleft()
        return self._urgent[0] if self._urgent else None

    def _count(self, batch: CommittedBatch) -> None:
        self.batches += 1
        self.events += batch.events
        self.delivered += batch.delivered
        self.set_aside += batch.set_aside
        self._served(batch)
        self._tell()

    def _refuse_beside_spark(self) -> None:
        served = self._store.pipeline()
        if served is not None and served.engine == SPARK and served.last_batch >= 0:
            raise StoreError(
                f"the store {self._store.database.place!r} is served by a pipeline on Spark, with the checkpoint "
                f"{served.place!r}; start with --no-pipeline beside it"
            )

    def _tell(self) -> None:
        with suppress(RuntimeError):  # nobody listens any more: the loop was closed
            self._told()

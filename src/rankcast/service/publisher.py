"""Group commit for publishing: concurrent requests share one transaction, and so one disk flush."""

import asyncio
from asyncio import AbstractEventLoop
from collections import defaultdict
from collections.abc import Callable, Sequence
from contextlib import suppress
from queue import SimpleQueue
from threading import Lock, Thread
from time import monotonic, sleep
from typing import NamedTuple, TypeAlias

from rankcast.errors import ModelError, StoreError
from rankcast.model import Event
from rankcast.store import PublishReceipt, Store

__all__ = ["LogPublisher", "Results"]

Results: TypeAlias = list[PublishReceipt | ModelError]
"""The results for the events of one request, in order: a receipt, or the error for which the event was refused."""

_TOGETHER = 1000
_BEAT = 0.02


class _Request(NamedTuple):
    events: Sequence[Event]
    future: "asyncio.Future[Results]"


class _Answer(NamedTuple):
    future: "asyncio.Future[Results]"
    outcome: Results | Exception


class LogPublisher:
    """Logs events in one thread: all requests that are waiting, up to 1,000 events, in one transaction.

    `logged` is called after each transaction. Each transaction flushes the disk once, so a single publish stays fast
    and many concurrent ones cost little more. While several requests arrive together, there are at most 50
    transactions a second: each is then larger, and other writers, above all the pipeline, get access to the store in
    between.
    """

    def __init__(self, store: Store, logged: Callable[[], None] = lambda: None) -> None:
        self._store = store
        self._logged = logged
        self._queue: SimpleQueue[_Request | None] = SimpleQueue()
        self._thread: Thread | None = None
        self._lock = Lock()
        self._is_closed = False

    def publish(self, events: Sequence[Event]) -> "asyncio.Future[Results]":
        """Log events in order. The future belongs to the running loop, and is done when the events are on disk."""
        future: asyncio.Future[Results] = asyncio.get_running_loop().create_future()
        with self._lock:
            if self._is_closed:
                raise StoreError("the service is stopping")
            if self._thread is None:
                self._thread = Thread(target=self._run, name="rankcast-publisher", daemon=True)
                self._thread.start()
            self._queue.put(_Request(events, future))
        return future

    def close(self) -> None:
        """Log what is still queued, then end the thread."""
        with self._lock:
            self._is_closed = True
            thread, self._thread = self._thread, None
        if thread is not None:
            self._queue.put(None)
            thread.join()

    def _run(self) -> None:
        while True:
            request = self._queue.get()
            if request is None:
                return
            together, count = [request], len(request.events)
            ending = False
            while count < _TOGETHER and not self._queue.empty():
                request = self._queue.get()
                if request is None:
                    ending = True
                    break
                together.append(request)
                count += len(request.events)
            # Cancelling after this point does not undo the publish; cancelling earlier prevents it.
            begun = monotonic()
            self._log([one for one in together if not one.future.cancelled()])
            if ending:
                return
            if len(together) > 1:
                sleep(max(0.0, begun + _BEAT - monotonic()))

    def _log(self, requests: Sequence[_Request]) -> None:
        refused: dict[int, ModelError] = {}
        try:
            published = iter(
                self._store.publish(
                    (event for request in requests for event in request.events),
                    refuse=lambda event, error: refused.__setitem__(id(event), error),
                )
            )
        except Exception as error:  # report it to the caller
            _give([_Answer(request.future, error) for request in requests])
            return
        self._logged()
        _give(
            [
                _Answer(request.future, [refused.get(id(event)) or next(published) for event in request.events])
                for request in requests
            ]
        )


def _give(answers: Sequence[_Answer]) -> None:
    """Hand results to the event loops that wait for them, with one call per loop."""
    of_loop: dict[AbstractEventLoop, list[_Answer]] = defaultdict(list)
    for answer in answers:
        of_loop[answer.future.get_loop()].append(answer)
    for loop, own in of_loop.items():
        with suppress(RuntimeError):  # the loop was closed meanwhile, so nobody waits
            loop.call_soon_threadsafe(_settle, own)


def _settle(answers: Sequence[_Answer]) -> None:
    for future, outcome in answers:
        if future.done():  # cancelled
            continue
        if isinstance(outcome, Exception):
            future.set_exception(outcome)
        else:
            future.set_result(outcome)

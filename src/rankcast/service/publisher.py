"""Publishing for many at once: requests that wait together share a transaction, and with it a flush of the disk."""

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
"""What became of the events of one request, in their order: acknowledged, or why not."""

_TOGETHER = 1000
_BEAT = 0.02


class _Request(NamedTuple):
    events: Sequence[Event]
    future: "asyncio.Future[Results]"


class _Answer(NamedTuple):
    future: "asyncio.Future[Results]"
    outcome: Results | Exception


class LogPublisher:
    """One thread that logs what others hand to it: all that waits at the moment, up to 1,000 events, in one transaction.

    `logged` is called after each. A flush costs the disk's time once per transaction; so a single publish is as quick as ever, and many at the same time
    cost little more than one. While several publish at the same time there are at most 50 transactions a second: they share more, and
    others who write to the store, the pipeline above all, find it free in between.
    """

    def __init__(self, store: Store, logged: Callable[[], None] = lambda: None) -> None:
        self._store = store
        self._logged = logged
        self._queue: SimpleQueue[_Request | None] = SimpleQueue()
        self._thread: Thread | None = None
        self._lock = Lock()
        self._is_closed = False

    def publish(self, events: Sequence[Event]) -> "asyncio.Future[Results]":
        """Log events in order; the future, of the loop that runs, is done when they are on disk."""
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
        """Log what was handed in, and end."""
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
            # Who gives up from here on has published all the same; who did so before has not.
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
        except Exception as error:  # it is whoever asked that has to know
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
    """Hand answers to the loops that wait for them, to each with one call."""
    of_loop: dict[AbstractEventLoop, list[_Answer]] = defaultdict(list)
    for answer in answers:
        of_loop[answer.future.get_loop()].append(answer)
    for loop, own in of_loop.items():
        with suppress(RuntimeError):  # closed meanwhile: nobody waits
            loop.call_soon_threadsafe(_settle, own)


def _settle(answers: Sequence[_Answer]) -> None:
    for future, outcome in answers:
        if future.done():  # given up
            continue
        if isinstance(outcome, Exception):
            future.set_exception(outcome)
        else:
            future.set_result(outcome)

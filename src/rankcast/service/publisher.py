"""Group commit for publishing: concurrent requests share one transaction, and so one disk flush."""

import asyncio
from asyncio import AbstractEventLoop
from collections import defaultdict, deque
from collections.abc import Callable, Sequence
from contextlib import suppress
from threading import Condition, Thread
from time import monotonic
from typing import NamedTuple, TypeAlias

from rankcast.errors import ModelError, StoreError
from rankcast.model import Event
from rankcast.store import PublishReceipt, Store

Results: TypeAlias = list[PublishReceipt | ModelError]
"""The results for the events of one request, in order: a receipt, or the error for which the event was refused."""

_TOGETHER = 1000
_BYTES = 128 * 1024
"""Bytes of a transaction, unless one request has more: nobody else can write meanwhile."""
_BEAT = 0.02
_QUIET = 0.1
"""A publisher is quiet again after this many seconds without an event."""


class _Request(NamedTuple):
    events: Sequence[Event]
    future: "asyncio.Future[Results]"
    who: str
    size: int


class _Answer(NamedTuple):
    future: "asyncio.Future[Results]"
    outcome: Results | Exception


class LogPublisher:
    """Logs events in one thread: requests that are waiting, up to 1,000 events or 128 KiB, in one transaction.

    Publishers take turns, so that nobody waits for all that another one has sent. Those who had no turn for a while
    come first, in a transaction of their own, which is short. Each transaction flushes the disk
    once, so a single publish stays fast and many concurrent ones cost little more. While several requests arrive
    together, there are at most 50 transactions a second, unless somebody else begins to publish: each is then larger,
    and other writers, above all the pipeline, get access to the store in between.

    `logged` is called after each transaction. If it has events of publishers who were quiet before, and no others,
    `logged` is told the offset of the last one.
    """

    def __init__(self, store: Store, logged: Callable[[int | None], None] = lambda urgent: None) -> None:
        self._store = store
        self._logged = logged
        self._waiting: dict[str, deque[_Request]] = {}
        """The requests of each publisher. The publisher whose turn is next comes first."""
        self._changed = Condition()
        self._last: dict[str, float] = {}
        """When each publisher of the last moments had a turn."""
        self._thread: Thread | None = None
        self._is_closed = False

    def publish(self, events: Sequence[Event], who: str = "", size: int = 0) -> "asyncio.Future[Results]":
        """Log events of a publisher in order; `size` is how many bytes they have, about.

        The future belongs to the running loop, and is done when the events are on disk.
        """
        future: asyncio.Future[Results] = asyncio.get_running_loop().create_future()
        with self._changed:
            if self._is_closed:
                raise StoreError("the service is stopping")
            if self._thread is None:
                self._thread = Thread(target=self._run, name="rankcast-publisher", daemon=True)
                self._thread.start()
            self._waiting.setdefault(who, deque()).append(_Request(events, future, who, size))
            self._changed.notify_all()
        return future

    def is_quiet(self, who: str) -> bool:
        """Whether a publisher has had no turn for a while."""
        return monotonic() - self._last.get(who, float("-inf")) > _QUIET

    def close(self) -> None:
        """Log what is still queued, then end the thread."""
        with self._changed:
            self._is_closed = True
            thread, self._thread = self._thread, None
            self._changed.notify_all()
        if thread is not None:
            thread.join()

    def _run(self) -> None:
        while together := self._next():
            begun = monotonic()
            quiet = {one.who for one in together if begun - self._last.get(one.who, float("-inf")) > _QUIET}
            # Cancelling after this point does not undo the publish; cancelling earlier prevents it.
            self._log([one for one in together if not one.future.cancelled()], is_quiet=bool(quiet))
            self._last = {who: at for who, at in self._last.items() if begun - at <= _QUIET}
            self._last.update(dict.fromkeys([one.who for one in together], monotonic()))
            if len(together) > 1:
                self._rest(begun + _BEAT)

    def _next(self) -> list[_Request]:
        """Wait for requests, and take those of the next transaction, one of each publisher in turn; none at the end."""
        together, count, size = list[_Request](), 0, 0
        with self._changed:
            self._changed.wait_for(lambda: self._waiting or self._is_closed)
            now = monotonic()
            quiet = [who for who in self._waiting if now - self._last.get(who, float("-inf")) > _QUIET]
            line = deque(quiet or self._waiting)
            while line and count < _TOGETHER and size < _BYTES:
                who = line.popleft()
                own = self._waiting.pop(who)
                together.append(request := own.popleft())
                count, size = count + len(request.events), size + request.size
                if own:
                    self._waiting[who] = own  # at the end of the line
                    if not quiet:
                        line.append(who)
        return together

    def _rest(self, until: float) -> None:
        """Wait, unless a publisher has a request who had no turn for a while."""
        with self._changed:
            self._changed.wait_for(
                lambda: self._is_closed or not self._waiting.keys() <= self._last.keys(), until - monotonic()
            )

    def _log(self, requests: Sequence[_Request], is_quiet: bool) -> None:
        refused: dict[int, ModelError] = {}
        try:
            receipts = self._store.publish(
                (event for request in requests for event in request.events),
                refuse=lambda event, error: refused.__setitem__(id(event), error),
                is_urgent=is_quiet,
            )
        except Exception as error:  # report it to the caller
            _give([_Answer(request.future, error) for request in requests])
            return
        self._logged(receipts[-1].offset if is_quiet and receipts else None)
        published = iter(receipts)
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

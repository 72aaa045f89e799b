"""Live deliveries: one reader of the delivery log, fanned out to many listeners."""

import asyncio
from asyncio import AbstractEventLoop
from collections.abc import AsyncGenerator, Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass
from functools import cached_property
from threading import Event as Flag

import msgspec

from rankcast.errors import StoreError
from rankcast.language import encode_delivery
from rankcast.model import Delivery
from rankcast.store import Store
from rankcast.store.delivery_log import StoredDelivery

_PAGE = 1000
_ROOM = 1000


@dataclass(eq=False)
class FeedItem:
    """A delivery on its way to the listeners."""

    stored: StoredDelivery

    @property
    def number(self) -> int:
        """The number of the delivery in the log."""
        return self.stored.number

    @property
    def delivery(self) -> Delivery:
        """The delivery, decoded once for all listeners."""
        return self.stored.delivery

    @cached_property
    def text(self) -> bytes:
        """The delivery with its number as JSON, encoded once for all listeners."""
        return msgspec.json.encode({"number": self.number, **encode_delivery(self.delivery)})


class _Listener:
    """A listener with its queue of at most `_ROOM` deliveries; `missed` says that the queue overflowed."""

    def __init__(self, user: str | None) -> None:
        self.user = user
        self.waiting: list[FeedItem] = []
        self.missed = False
        self.called = asyncio.Event()

    def give(self, fed: FeedItem) -> None:
        # After an overflow, a later delivery must not overtake the missed ones.
        self.missed = self.missed or len(self.waiting) >= _ROOM
        if not self.missed:
            self.waiting.append(fed)
        self.called.set()

    async def take(self, patience: float | None) -> list[FeedItem]:
        """Take all queued deliveries. Returns an empty list if none arrives within `patience` seconds."""
        if not self.waiting:
            self.called.clear()
            loop = asyncio.get_running_loop()
            timer = None if patience is None else loop.call_later(patience, self.called.set)
            await self.called.wait()
            if timer is not None:
                timer.cancel()
        taken, self.waiting = self.waiting, []
        return taken


class Feeds:
    """Sends deliveries to any number of listeners as they are committed. Each listener chooses where to start.

    One task reads the log once and hands each delivery to the listeners it concerns. Deliveries that concern no
    listener are not decoded. A listener first reads from the log what it has missed. A listener that falls more than
    1,000 deliveries behind goes back to the log. So nothing is lost or repeated, and memory stays bounded however slow
    a listener is. The reader runs while there are listeners. `wake` wakes it, and it polls every `poll` seconds for
    deliveries that other processes commit. After each reading, it calls `handed_out`.
    """

    def __init__(self, store: Store, poll: float = 0.5, handed_out: Callable[[], None] = lambda: None) -> None:
        self._store = store
        self._handed_out = handed_out
        self._poll = poll
        self._loop: AbstractEventLoop | None = None
        self._reader: asyncio.Task[None] | None = None
        self._woken = Flag()
        self._at = 0
        self._ended = Flag()
        self._thread = ThreadPoolExecutor(1, "rankcast-feeds")
        """Its own, so that no other request delays the deliveries."""
        self._of_user: dict[str | None, set[_Listener]] = {}

    @property
    def listeners(self) -> int:
        """The number of listeners."""
        return sum(len(group) for group in self._of_user.values())

    def wake(self) -> None:
        """Report that deliveries were committed. Safe from any thread."""
        self._woken.set()

    def end(self) -> None:
        """End the streams of all listeners. Safe from any thread."""
        self._ended.set()
        loop = self._loop
        if loop is not None and not loop.is_closed():
            with suppress(RuntimeError):
                loop.call_soon_threadsafe(self._call_all)

    async def listen(
        self, user: str | None = None, after: int | None = None
    ) -> AsyncGenerator[tuple[int, Delivery], None]:
        """Deliveries of a user, or of all, with their numbers, after `after` (None: from now on), without end."""
        pages = self.pages(user, after)
        try:
            async for page in pages:
                for fed in page:
                    yield fed.number, fed.delivery
        finally:
            await pages.aclose()

    async def pages(
        self, user: str | None = None, after: int | None = None, patience: float | None = None
    ) -> AsyncGenerator[list[FeedItem], None]:
        """Like `listen`, but yields all available deliveries together; an empty page after `patience` seconds."""
        listener = _Listener(user)
        at = after if after is not None else await asyncio.to_thread(self._store.last_delivery)
        try:
            while not self._ended.is_set():
                newest = await asyncio.to_thread(self._store.last_delivery)
                since = self._enter(listener, newest)
                while at < since:
                    page = await asyncio.to_thread(self._stored, user, at, since)
                    at = page[-1].number if len(page) == _PAGE else since
                    if page:
                        yield page
                while not self._ended.is_set() and (listener.waiting or not listener.missed):
                    page = [fed for fed in await listener.take(patience) if fed.number > at]
                    if self._ended.is_set():
                        return
                    at = page[-1].number if page else at
                    if page or not listener.missed:
                        yield page
                self._leave(listener)
                listener.missed = False
        finally:
            self._leave(listener)

    def _stored(self, user: str | None, after: int, up_to: int) -> list[FeedItem]:
        found = self._store.stored_deliveries(user, after, _PAGE)
        return [FeedItem(stored) for stored in found if stored.number <= up_to]

    def _enter(self, listener: _Listener, newest: int) -> int:
        """Add a listener and return the number after which it receives every delivery from the reader.

        `newest` is the last known delivery. If the reader is not running yet, it starts after that one.
        """
        loop = asyncio.get_running_loop()
        if self._loop is not loop or self._reader is None or self._reader.done():
            self._loop = loop
            self._woken.set()  # a reader of an earlier loop ends
            self._of_user = {}
            self._reader = loop.create_task(self._read(), name="rankcast-feeds")
            self._at = newest
        self._of_user.setdefault(listener.user, set()).add(listener)
        return self._at

    def _leave(self, listener: _Listener) -> None:
        group = self._of_user.get(listener.user)
        if group is not None:
            group.discard(listener)
            if not group:
                del self._of_user[listener.user]
        if not self._of_user:
            self._woken.set()

    def _call_all(self) -> None:
        self._woken.set()
        for group in self._of_user.values():
            for listener in group:
                listener.called.set()

    async def _read(self) -> None:
        """Read the log and hand out deliveries until nobody listens."""
        while self._of_user and not self._ended.is_set():
            page = await asyncio.get_running_loop().run_in_executor(self._thread, self._following)
            for fed in page:
                self._at = fed.number
                for name in (fed.stored.user, None):
                    for listener in self._of_user.get(name, ()):
                        listener.give(fed)
            self._handed_out()

    def _following(self) -> list[FeedItem]:
        """Wait until there may be new deliveries, and read them.

        The thread itself waits: a busy loop would wake it late.
        """
        self._woken.wait(self._poll)
        self._woken.clear()
        try:
            page = [FeedItem(stored) for stored in self._store.stored_deliveries(None, self._at, _PAGE)]
        except StoreError:  # the store is busy; try again in the next round
            return []
        if len(page) == _PAGE:
            self._woken.set()
        return page

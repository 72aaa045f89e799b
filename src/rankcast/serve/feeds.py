"""Live deliveries: one reader of the delivery log, fanned out to many listeners."""

import asyncio
from asyncio import AbstractEventLoop
from collections import deque
from collections.abc import AsyncGenerator
from contextlib import suppress
from threading import Event as Flag

from rankcast.errors import StoreError
from rankcast.model import Delivery
from rankcast.store import Store

__all__ = ["Feeds"]

_PAGE = 1000
_ROOM = 1000


class _Listener:
    """One who listens: what is for them and not taken yet, at most `_ROOM`; `missed` if there was no room."""

    def __init__(self, user: str | None) -> None:
        self.user = user
        self.waiting: deque[tuple[int, Delivery]] = deque()
        self.missed = False
        self.called = asyncio.Event()

    def take(self, number: int, delivery: Delivery) -> None:
        # Once something was missed nothing later may come before it.
        self.missed = self.missed or len(self.waiting) >= _ROOM
        if not self.missed:
            self.waiting.append((number, delivery))
        self.called.set()


class Feeds:
    """Deliveries as they are committed, to any number of listeners, each from where they want.

    One task reads the log, once, and hands each delivery to those whom it concerns. A listener first reads from the log
    what it lacks, and one that is too slow for its room of 1,000 goes back to the log; so nothing is lost or repeated and
    memory stays bounded, however slow a listener is. The reader runs while somebody listens, woken by `wake` and
    every `poll` seconds for what other processes commit.
    """

    def __init__(self, store: Store, poll: float = 0.5) -> None:
        self._store = store
        self._poll = poll
        self._loop: AbstractEventLoop | None = None
        self._reader: asyncio.Task[None] | None = None
        self._woken = asyncio.Event()
        self._at = 0
        self._ended = Flag()
        self._of_user: dict[str | None, set[_Listener]] = {}

    @property
    def listeners(self) -> int:
        """How many listen."""
        return sum(len(group) for group in self._of_user.values())

    def wake(self) -> None:
        """Say that deliveries were committed; from any thread."""
        loop = self._loop
        if loop is not None and not loop.is_closed():
            with suppress(RuntimeError):  # closed in between
                loop.call_soon_threadsafe(self._woken.set)

    def end(self) -> None:
        """Let all who listen come to an end; from any thread."""
        self._ended.set()
        loop = self._loop
        if loop is not None and not loop.is_closed():
            with suppress(RuntimeError):
                loop.call_soon_threadsafe(self._call_all)

    async def listen(
        self, user: str | None = None, after: int | None = None
    ) -> AsyncGenerator[tuple[int, Delivery], None]:
        """Deliveries of a user, or of all, after a number (None: from now on), with their numbers, without end."""
        pages = self.pages(user, after)
        try:
            async for page in pages:
                for numbered in page:
                    yield numbered
        finally:
            await pages.aclose()

    async def pages(
        self, user: str | None = None, after: int | None = None, patience: float | None = None
    ) -> AsyncGenerator[list[tuple[int, Delivery]], None]:
        """As `listen`, but as many at a time as there are; an empty page if there was nothing for `patience` seconds."""
        listener = _Listener(user)
        at = after if after is not None else await asyncio.to_thread(self._store.last_delivery)
        try:
            while not self._ended.is_set():
                since = self._enter(listener)
                while at < since:
                    page = await asyncio.to_thread(self._stored, user, at, since)
                    at = page[-1][0] if len(page) == _PAGE else since
                    if page:
                        yield page
                async for page in self._waiting(listener, patience):
                    page = [numbered for numbered in page if numbered[0] > at]
                    at = page[-1][0] if page else at
                    yield page
                self._leave(listener)
                listener.missed = False
        finally:
            self._leave(listener)

    async def _waiting(
        self, listener: _Listener, patience: float | None
    ) -> AsyncGenerator[list[tuple[int, Delivery]], None]:
        """What comes in, until something was missed or all is over."""
        while not self._ended.is_set() and (listener.waiting or not listener.missed):
            if not listener.waiting:
                listener.called.clear()
                timer = (
                    None if patience is None else asyncio.get_running_loop().call_later(patience, listener.called.set)
                )
                await listener.called.wait()
                if timer is not None:
                    timer.cancel()
            page = list(listener.waiting)
            listener.waiting.clear()
            if not self._ended.is_set() and (page or not listener.missed):
                yield page

    def _stored(self, user: str | None, after: int, up_to: int) -> list[tuple[int, Delivery]]:
        found = self._store.deliveries(user, after, _PAGE)
        return [(number, delivery) for number, delivery in found if number <= up_to]

    def _enter(self, listener: _Listener) -> int:
        """Join those who listen; the number after which everything will be handed over."""
        loop = asyncio.get_running_loop()
        if self._loop is not loop or self._reader is None or self._reader.done():
            self._loop = loop
            self._woken = asyncio.Event()
            self._of_user = {}
            self._reader = loop.create_task(self._read(), name="rankcast-feeds")
            self._at = self._store.last_delivery()
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
        """Read the log on and hand it out, until nobody listens."""
        while self._of_user and not self._ended.is_set():
            with suppress(asyncio.TimeoutError):
                await asyncio.wait_for(self._woken.wait(), self._poll)
            self._woken.clear()
            page: list[tuple[int, Delivery]] = []
            while self._of_user and (not page or len(page) == _PAGE):
                try:
                    page = await asyncio.to_thread(lambda: list(self._store.deliveries(None, self._at, _PAGE)))
                except StoreError:  # a store that is busy now will be read again
                    break
                if not page:
                    break
                for number, delivery in page:
                    self._at = number
                    for name in (delivery.user, None):
                        for listener in self._of_user.get(name, ()):
                            listener.take(number, delivery)

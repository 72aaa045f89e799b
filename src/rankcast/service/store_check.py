"""Checks in a separate thread whether the store responds."""

import asyncio
from threading import Thread

from rankcast.errors import StoreError
from rankcast.store import Store


class StoreCheck:
    """Asks the store how many events wait to be served. Concurrent callers share one query.

    A store that hangs blocks only this thread: not one thread per probe, and no thread that serves requests.
    """

    def __init__(self, store: Store) -> None:
        self._store = store
        self._asked: asyncio.Future[int | None] | None = None

    async def pending(self, patience: float) -> int | None:
        """The number of waiting events, or None if the store fails or does not answer within `patience` seconds."""
        loop = asyncio.get_running_loop()
        if self._asked is None or self._asked.done() or self._asked.get_loop() is not loop:
            self._asked = loop.create_future()
            Thread(target=self._ask, args=[loop, self._asked], name="rankcast-store-check", daemon=True).start()
        asked = self._asked
        await asyncio.wait([asked], timeout=patience)
        return asked.result() if asked.done() else None

    def _ask(self, loop: asyncio.AbstractEventLoop, asked: "asyncio.Future[int | None]") -> None:
        try:
            found: int | None = self._store.last_offset() - self._store.reached()
        except StoreError:
            found = None
        if not loop.is_closed():
            loop.call_soon_threadsafe(_settle, asked, found)


def _settle(asked: "asyncio.Future[int | None]", found: int | None) -> None:
    if not asked.done():
        asked.set_result(found)

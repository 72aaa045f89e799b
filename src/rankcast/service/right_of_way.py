"""The right of way of a quiet publisher's event: the service begins no other work while the event is on its way."""

import asyncio
from collections.abc import Callable
from contextlib import suppress
from threading import Lock
from time import monotonic

from starlette.types import ASGIApp, Receive, Scope, Send

from rankcast.service.settings import PUBLISHING

_MOST = 0.05


class RightOfWay:
    """Lets others wait while something urgent is on its way, for at most `most` seconds.

    A delivery wakes several threads in turn. Each waits for the interpreter and for a processor, and so for whatever
    else is worked on at the same time.

    Parameters
    ----------
    begun
        Called when the others begin to wait. Returns at once.
    ended
        Called when they may go on. Returns at once.
    """

    def __init__(
        self,
        most: float = _MOST,
        clock: Callable[[], float] = monotonic,
        begun: Callable[[], None] = lambda: None,
        ended: Callable[[], None] = lambda: None,
    ) -> None:
        self._most = most
        self._clock = clock
        self._begun = begun
        self._ended = ended
        self._since = self._until = self._free_until = 0.0
        self._waiting: set[asyncio.Future[None]] = set()
        self._lock = Lock()

    @property
    def is_taken(self) -> bool:
        """Whether others have to wait."""
        return self._clock() < self._until

    def take(self) -> bool:
        """Let others wait until `give_back`. Returns whether this was granted. Call it on an event loop.

        It is refused until the others could work for as long as they waited before. So they have at least half of the
        time, however often this is called.
        """
        with self._lock:
            now = self._clock()
            if now < self._free_until:
                return False
            self._since, self._until, self._free_until = now, now + self._most, now + 2 * self._most
            self._begun()
        asyncio.get_running_loop().call_later(self._most, self._end, now)
        return True

    def give_back(self) -> None:
        """Let the others go on. Safe from any thread."""
        if self.is_taken:
            self._end(self._since)

    def _end(self, since: float) -> None:
        """End what was taken at a time, unless it has ended already."""
        with self._lock:
            if self._since != since or not self._until:
                return
            now = self._clock()
            if now < self._until:
                self._free_until = 2 * now - since
            self._until = 0.0
            self._ended()
            waiting = list(self._waiting)
        for one in waiting:
            with suppress(RuntimeError):  # its loop was closed meanwhile, so nobody waits
                one.get_loop().call_soon_threadsafe(_settle, one)

    async def wait(self) -> None:
        """Wait while something urgent is on its way."""
        while (left := self._until - self._clock()) > 0:
            ended: asyncio.Future[None] = asyncio.get_running_loop().create_future()
            self._waiting.add(ended)
            try:
                await asyncio.wait([ended], timeout=left)
            finally:
                self._waiting.discard(ended)


class GivesWay:
    """Begins no request while something urgent is on its way. Events are let in: theirs is the way."""

    def __init__(self, app: ASGIApp, right_of_way: RightOfWay) -> None:
        self._app = app
        self._right_of_way = right_of_way

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass the request on, as soon as nothing urgent is on its way."""
        if scope["type"] == "http" and scope["path"] != PUBLISHING:
            await self._right_of_way.wait()
        await self._app(scope, receive, send)


def _settle(future: "asyncio.Future[None]") -> None:
    if not future.done():
        future.set_result(None)

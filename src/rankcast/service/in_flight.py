"""A limit on the bytes of request bodies in memory, over all senders."""

import asyncio
from collections import Counter
from typing import NamedTuple

from rankcast.errors import ModelError

_MOST_WAITING = 1_000


class _Waiting(NamedTuple):
    sender: str
    amount: int
    has_room: "asyncio.Future[None]"


class BytesInFlight:
    """A budget of `most` bytes, of which one sender may use `share`. For use on one event loop.

    A sender can exhaust only its own share, so the others continue.
    """

    def __init__(self, most: int, share: int) -> None:
        if not 0 < share <= most:
            raise ModelError(
                f"one sender may have {share:,} bytes in flight of {most:,} in all; it must be 1 to {most:,}"
            )
        self._most = most
        self._share = share
        self._taken = 0
        self._of: Counter[str] = Counter()
        self._waiting: list[_Waiting] = []

    @property
    def taken(self) -> int:
        """The number of bytes in use."""
        return self._taken

    async def take(self, sender: str, amount: int, patience: float = 0.0) -> bool:
        """Take bytes as soon as enough are free. Returns False if that takes longer than `patience` seconds."""
        if self._try(sender, amount):
            return True
        if patience <= 0 or amount > self._share or len(self._waiting) >= _MOST_WAITING:
            return False
        waiting = _Waiting(sender, amount, asyncio.get_running_loop().create_future())
        self._waiting.append(waiting)
        try:
            async with asyncio.timeout(patience):
                await waiting.has_room
        except TimeoutError:
            return _is_settled(waiting)
        except asyncio.CancelledError:
            if _is_settled(waiting):
                self.give_back(sender, amount)
            raise
        finally:
            if waiting in self._waiting:
                self._waiting.remove(waiting)
        return True

    def give_back(self, sender: str, amount: int) -> None:
        """Return bytes that were taken."""
        self._taken -= amount
        self._of[sender] -= amount
        if not self._of[sender]:
            del self._of[sender]
        for waiting in list(self._waiting):
            if not waiting.has_room.done() and self._try(waiting.sender, waiting.amount):
                self._waiting.remove(waiting)
                waiting.has_room.set_result(None)

    def _try(self, sender: str, amount: int) -> bool:
        if self._taken + amount > self._most or self._of.get(sender, 0) + amount > self._share:
            return False
        self._taken += amount
        self._of[sender] += amount
        return True


def _is_settled(waiting: _Waiting) -> bool:
    return waiting.has_room.done() and not waiting.has_room.cancelled()

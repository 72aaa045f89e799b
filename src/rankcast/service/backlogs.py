"""Limits on the unserved events of each publisher, so that the pipeline can always catch up in a short time."""

import asyncio
from collections import Counter
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field
from heapq import heappop, heappush
from threading import Lock
from time import monotonic
from typing import NamedTuple

from rankcast.pipeline.local import CommittedBatch
from rankcast.service.problems import Problem

_GUESS = 0.001
"""Assumed cost of an event in seconds, before any was measured."""
_LEAST = 20e-6
_FIXED = 0.005
"""The most of a batch that counts as its fixed cost, in seconds, and is charged to no publisher. It is as much as the
shortest batch takes."""
_FORGETTING = 1.001
"""The factor by which the shortest batch grows with each other one, so that it is one of the last few thousand."""
_REMEMBERED = 50
"""Events after which the mean cost of a publisher's events has followed a change by two thirds."""
_HALF_LIFE = 5.0
"""Half-life of the highest cost in seconds. It rises at once and falls slowly."""
_PEAK = 4.0
"""If all active publishers are held up, their unserved events may take this many times as long by the highest cost as
by the mean: nobody who publishes little waits for them."""
_ALONE = 3.0
"""A publisher who is the only active one may have so many times the unserved events: nobody else waits for them."""
_UNEVEN = 4.0
"""In a batch of several publishers, no event is charged more than this multiple of the average cost."""
_ACTIVE = 60.0
"""Seconds for which a publisher who has published something counts as active."""
_HELD_UP = 1.0
"""Seconds for which a publisher who had to wait counts as held up."""
_MANY_ACTIVE = 100
_PATIENCE = 10.0
_STUCK = 60.0
"""If the pipeline serves nothing for this many seconds, publishers no longer wait for it."""
_LOOK = 0.5
_MANY = 10_000


class _Entry(NamedTuple):
    """A number of events of one publisher in the log, up to an offset."""

    offset: int
    who: str
    events: int


@dataclass
class _Account:
    """The state of one publisher: the number of unserved events, and the mean and highest cost of an event lately."""

    mean: float = _GUESS
    highest: float = _GUESS
    as_of: float = 0.0
    is_measured: bool = False
    unserved: int = 0
    waiting: int = 0
    held_until: float = float("-inf")
    turn: asyncio.Lock = field(default_factory=asyncio.Lock)
    called: "asyncio.Future[None] | None" = None

    def cost_at(self, now: float, is_mean: bool = False) -> float:
        """The estimated cost of one event, in seconds."""
        highest = self.highest * 0.5 ** ((now - self.as_of) / _HALF_LIFE)
        return float(max(_LEAST, self.mean, highest / _PEAK if is_mean else highest))

    def learn(self, found: float, count: int, now: float) -> None:
        """Take note of the mean cost of some events."""
        if not self.is_measured and count > 1:
            self.mean, self.is_measured = found, True
        else:
            self.mean += (found - self.mean) * count / (count + _REMEMBERED)
        # The first few may be cheap by chance, as long as windows fill, so the guess is only forgotten with time.
        self.highest = max(found, self.highest * 0.5 ** ((now - self.as_of) / _HALF_LIFE))
        self.as_of = now


class PublisherBacklogs:
    """Lets publishers log events as fast as the pipeline serves them, but no faster.

    The pipeline serves the log in order, so every event waits for those published before it. The unserved events of all
    publishers together may take `seconds` of processor time, of which each active publisher has an equal share. One who is
    the only one may have three times as much, so that the pipeline need not wait for the next events. What
    they take is estimated from the highest cost of the publisher's recent events. If all other active publishers are
    held up as well, it is the mean cost, and by the highest cost it may be four times as much. One publisher may have
    `events` unserved ones at most. One event is always allowed. To log more, a publisher waits until some events are
    served. Nobody waits while no pipeline is serving.

    Parameters
    ----------
    waiting
        The most requests of one publisher that may wait. Further ones are refused, and so are those that wait 10 s.
    is_serving
        Whether a pipeline serves the log and reports its batches to `served`.
    held
        Called whenever a publisher has to wait for the pipeline, if all others who are active wait too. Returns at
        once.
    """

    def __init__(
        self,
        seconds: float,
        events: int,
        waiting: int,
        is_serving: Callable[[], bool],
        clock: Callable[[], float] = monotonic,
        held: Callable[[], None] = lambda: None,
    ) -> None:
        self._seconds = seconds
        self._events = events
        self._waiting = waiting
        self._is_serving = is_serving
        self._clock = clock
        self._held = held
        self._accounts: dict[str, _Account] = {}
        self._active: dict[str, float] = {}
        """When each active publisher last published; the latest is the last."""
        self._entries: list[_Entry] = []
        self._reached = 0
        self._last_served = clock()
        self._fixed = _FIXED
        self._lock = Lock()

    async def take(self, who: str, wanted: int, is_begun: bool = False) -> int:
        """Wait until events may be logged, and return how many of `wanted` may be logged now: at least one.

        Report the outcome to `logged`. With `is_begun`, other events of the same request are in the log already, so
        the request is no longer refused.
        """
        with self._lock:
            account = self._account(who)
            if account.waiting >= self._waiting:
                raise self._refusal(account, f"{account.waiting} requests of this token wait already")
            account.waiting += 1
        until = self._clock() + (_STUCK if is_begun else _PATIENCE)
        try:
            try:
                async with asyncio.timeout(_STUCK if is_begun else _PATIENCE), account.turn:
                    while not isinstance(taken := self._reserve(who, account, wanted), int):
                        if self._clock() >= until:
                            raise TimeoutError
                        await asyncio.wait([taken], timeout=_LOOK)
                    return taken
            except TimeoutError:
                if is_begun:
                    return wanted
                raise self._refusal(account, f"the request has waited for {_PATIENCE:g} s") from None
        finally:
            with self._lock:
                account.waiting -= 1

    def logged(self, who: str, taken: int, count: int, offset: int) -> None:
        """Report that `count` of the `taken` events are new in the log, the last of them at `offset`."""
        with self._lock:
            account = self._account(who)
            account.unserved = max(0, account.unserved - taken)
            if count and offset > self._reached and self._is_serving():
                account.unserved += count
                heappush(self._entries, _Entry(offset, who, count))
            else:
                self._call(account)

    def served(self, batch: CommittedBatch) -> None:
        """Report a batch that the pipeline has committed. Safe from any thread."""
        now = self._clock()
        with self._lock:
            self._reached, self._last_served = batch.offset, now
            counts: Counter[str] = Counter()
            while self._entries and self._entries[0].offset <= batch.offset:
                entry = heappop(self._entries)
                counts[entry.who] += entry.events
            self._charge(counts, batch, now)
            for who, count in counts.items():
                account = self._account(who)
                account.unserved = max(0, account.unserved - count)
            for account in self._accounts.values():
                if account.called is not None:
                    self._call(account)

    def _charge(self, counts: Counter[str], batch: CommittedBatch, now: float) -> None:
        """Divide the cost of a batch among its publishers, in proportion to their expected costs."""
        if not counts:
            return
        known = {who: self._account(who) for who in counts}
        others = max(0, batch.events - counts.total())
        expected = sum(count * known[who].cost_at(now) for who, count in counts.items()) + others * _GUESS
        self._fixed = min(self._fixed * _FORGETTING, _FIXED, batch.seconds)
        cost = batch.seconds - self._fixed
        most = cost / max(batch.events, 1) * (_UNEVEN if others or len(counts) > 1 else 1.0)
        for who, account in known.items():
            before = account.cost_at(now)
            account.learn(max(_LEAST, min(most, cost * before / expected)), counts[who], now)

    def _reserve(self, who: str, account: _Account, wanted: int) -> "int | asyncio.Future[None]":
        """Reserve room for events. Returns how many may be logged; if none, a future that waits for room."""
        now = self._clock()
        with self._lock:
            if not self._is_serving() or (self._entries and now - self._last_served > _STUCK):
                for one in self._accounts.values():
                    one.unserved = 0
                self._entries.clear()
                return wanted
            self._active.pop(who, None)
            self._active[who] = now
            while next(iter(self._active.values())) < now - _ACTIVE:
                del self._active[next(iter(self._active))]
            is_rush = self._is_rush(who, now)
            each = account.cost_at(now, is_mean=is_rush)
            share = self._seconds / len(self._active) if len(self._active) > 1 else self._seconds * _ALONE
            most = max(1, min(self._events, int(share / each)))
            taken = max(0, min(wanted, most - account.unserved))
            account.unserved += taken
            if taken:
                return taken
            account.called = asyncio.get_running_loop().create_future()
            account.held_until = now + _HELD_UP
            if is_rush:
                self._held()
            return account.called

    def _is_rush(self, who: str, now: float) -> bool:
        """Whether all other active publishers are held up too."""
        if len(self._active) > _MANY_ACTIVE:
            return False
        others = [self._accounts.get(other) for other in self._active if other != who]
        return all(other is not None and other.held_until > now for other in others)

    def _call(self, account: _Account) -> None:
        called, account.called = account.called, None
        if called is not None:
            with suppress(RuntimeError):  # its loop was closed meanwhile, so nobody waits
                called.get_loop().call_soon_threadsafe(_settle, called)

    def _account(self, who: str) -> _Account:
        account = self._accounts.get(who)
        if account is None:
            if len(self._accounts) >= _MANY:
                self._accounts = {
                    name: one for name, one in self._accounts.items() if one.waiting or one.unserved or one.called
                }
            account = self._accounts[who] = _Account(as_of=self._clock())
        return account

    def _refusal(self, account: _Account, why: str) -> Problem:
        cost = account.cost_at(self._clock())
        wait = max(1, round(account.unserved * cost))
        return Problem(
            429,
            "backlog",
            f"{why}: {account.unserved:,} events of this token are not served yet, at {cost * 1000:.1f} ms each, and all publishers "
            f"may have as many waiting as are served in {self._seconds * 1000:g} ms; publish more slowly, and this again in {wait} s",
            {"Retry-After": str(wait)},
        )


def _settle(future: "asyncio.Future[None]") -> None:
    if not future.done():
        future.set_result(None)

"""The processor time of requests, shared among callers: whoever causes much work waits, and nobody else does."""

import asyncio
from collections import OrderedDict
from collections.abc import Callable
from contextvars import ContextVar
from dataclasses import dataclass, field
from functools import partial, wraps
from inspect import iscoroutinefunction
from time import monotonic, thread_time
from typing import Any, ParamSpec, TypeVar

from starlette.concurrency import run_in_threadpool

from rankcast.service.problems import Problem
from rankcast.service.rates import RateLimits
from rankcast.service.right_of_way import RightOfWay

_P = ParamSpec("_P")
_T = TypeVar("_T")
_LEAST = 1e-6
_MANY = 10_000
_ACTIVE = 10.0
"""A caller is active for this many seconds after a request."""
_AT_ONCE = 1
"""Requests of one caller that are worked on at a time. The threads of a process share one processor anyway, and every
further one makes the event loop wait for its turn longer."""
_MOST_WAITING = 64
_PATIENCE = 5.0


@dataclass
class _Queue:
    """The requests of one caller that are worked on or wait."""

    turns: asyncio.Semaphore = field(default_factory=lambda: asyncio.Semaphore(_AT_ONCE))
    requests: int = 0


class RequestShares:
    """Runs the work of requests in threads, within each caller's share of the processor.

    While other callers are active, a caller may use `rate` seconds of one core per second, and `burst` seconds at
    once. Further requests wait. A request that would wait longer than 5 s is refused, and so is one beyond 64 that
    wait. A caller who is alone may use everything. No work begins while something has the right of way.
    """

    def __init__(
        self,
        rate: float,
        burst: float,
        clock: Callable[[], float] = monotonic,
        right_of_way: RightOfWay | None = None,
    ) -> None:
        self._clock = clock
        self._right_of_way = right_of_way or RightOfWay()
        self._seconds = RateLimits(rate, burst, clock)
        self._queues: dict[str, _Queue] = {}
        self._active: OrderedDict[str, float] = OrderedDict()
        """The last two callers and their last requests, the latest one last."""

    def note(self, who: str) -> None:
        """Note a request of a caller, which makes the caller active."""
        self._active[who] = self._clock()
        self._active.move_to_end(who)
        if len(self._active) > 2:
            self._active.popitem(last=False)

    def wait_of(self, who: str) -> float:
        """Seconds until a caller may use the processor again."""
        others = (at for other, at in self._active.items() if other != who)
        if self._clock() - max(others, default=float("-inf")) > _ACTIVE:
            return 0.0
        return self._seconds.take(who, _LEAST)

    async def run(self, who: str, work: Callable[[], _T]) -> _T:
        """Run work of a caller's request in a thread when it is the caller's turn, and charge the caller for it."""
        queue = self._queues.get(who)
        if queue is None:
            if len(self._queues) >= _MANY:
                self._queues = {name: one for name, one in self._queues.items() if one.requests}
            queue = self._queues[who] = _Queue()
        if queue.requests >= _MOST_WAITING:
            raise _refusal(f"{queue.requests} requests of this token wait already", 1.0)
        queue.requests += 1
        try:
            async with queue.turns:
                while wait := self.wait_of(who):
                    if wait > _PATIENCE:
                        raise _refusal(
                            f"requests of this token have used up their processor time, {self._seconds.rate:g} s per second",
                            wait,
                        )
                    await asyncio.sleep(wait)
                await self._right_of_way.wait()
                return await run_in_threadpool(self.charged, who, work)
        finally:
            queue.requests -= 1

    def charged(self, who: str, work: Callable[[], _T]) -> _T:
        """Run work in this thread, and charge the caller for it."""
        begun = thread_time()
        try:
            return work()
        finally:
            self._seconds.charge(who, thread_time() - begun)


@dataclass(frozen=True, slots=True)
class RequestCaller:
    """Who sent the current request, and the shares in which it is worked on."""

    who: str
    shares: RequestShares


CALLER: ContextVar[RequestCaller | None] = ContextVar("rankcast_caller", default=None)


async def by_turn(function: Callable[_P, _T], *arguments: _P.args, **named: _P.kwargs) -> _T:
    """Run a part of a request in a thread when it is the turn of the request's caller."""
    caller = CALLER.get()
    if caller is None:
        return await run_in_threadpool(function, *arguments, **named)
    return await caller.shares.run(caller.who, partial(function, *arguments, **named))


def in_turn(endpoint: Callable[..., Any]) -> Callable[..., Any]:
    """An endpoint that runs in a thread when it is its caller's turn. Asynchronous endpoints stay as they are."""
    if iscoroutinefunction(endpoint):
        return endpoint

    @wraps(endpoint)
    async def run(*arguments: Any, **named: Any) -> Any:
        return await by_turn(endpoint, *arguments, **named)

    return run


def _refusal(why: str, wait: float) -> Problem:
    return Problem(429, "processor", f"{why}; try again in {wait:.1f} s", {"Retry-After": str(max(1, round(wait)))})

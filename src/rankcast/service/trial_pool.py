"""The pool for trials, backtests and explanations: a few child processes, shared fairly, with a time limit."""

import asyncio
import os
import pickle
import select
from collections import Counter
from collections.abc import Awaitable, Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from threading import Condition, Lock
from threading import Event as Flag
from time import monotonic
from typing import Any, NoReturn, ParamSpec, TypeVar

from rankcast.errors import CatalogError, RankcastError
from rankcast.service.children import Child
from rankcast.service.problems import Problem
from rankcast.service.trial_process import LENGTH, READY, TrialAnswer

_P = ParamSpec("_P")
_T = TypeVar("_T")
_MODULE = "rankcast.service.trial_process"
_NICE = "RANKCAST_TRIAL_NICE"
"""The environment variable for the niceness of a trial. Otherwise two trials would occupy both of two processors."""
_START = 60.0
"""Seconds that a child may take to start. They do not count towards the time of the trial."""
_LOOK = 0.05
_LOOK_AT_CLIENT = 0.25

# Children do not belong to one service: each task says which store it uses. So all services share the idle children.
_idle: list[Child] = []
_idle_lock = Lock()


class TrialPool:
    """Runs functions in child processes. Kills a child that takes too long, or for which nobody waits any more.

    Parameters
    ----------
    slots
        The number of trials that run at a time.
    waiting
        The most trials of one user that may run or wait. While another user waits, a user has one slot at most.
    seconds
        The processor time that a trial may take. On a busy machine it may last up to three times as long.
    """

    def __init__(self, slots: int = 2, waiting: int = 4, seconds: float = 10.0) -> None:
        self._slots = slots
        self._most_of_one = waiting
        self._seconds = seconds
        self._state = Condition()
        self._queue: list[tuple[str, object]] = []
        self._running: Counter[str] = Counter()
        self._asked: Counter[str] = Counter()
        self._children: set[Child] = set()
        self._paused: list[Child] = []
        self._stopping = Flag()
        self._threads = ThreadPoolExecutor(64, "rankcast-trials")
        self.killed = 0
        """The number of trials that were ended before they were done."""

    def run(self, user: str, function: Callable[_P, _T], *arguments: _P.args, **_none: _P.kwargs) -> _T:
        """Run a module-level function and wait for its result. Raises a problem if it does not finish."""
        return self._run(user, function, arguments, Flag())

    async def run_for(
        self,
        user: str,
        is_gone: Callable[[], Awaitable[bool]],
        function: Callable[_P, _T],
        *arguments: _P.args,
        **_none: _P.kwargs,
    ) -> _T:
        """Like `run`, but without a thread of the caller. Ends when `is_gone` says that the caller is gone."""
        ended = Flag()
        loop = asyncio.get_running_loop()
        work: asyncio.Future[_T] = loop.run_in_executor(self._threads, self._run, user, function, arguments, ended)
        try:
            while True:
                done, _ = await asyncio.wait({work}, timeout=_LOOK_AT_CLIENT)
                if done:
                    return work.result()
                if await is_gone():
                    raise Problem(499, "gone", "whoever asked is gone")
        finally:
            ended.set()

    def stop(self) -> None:
        """End all running trials at once. Later ones are refused."""
        self._stopping.set()
        self.resume()
        with self._state:
            for child in self._children:
                child.kill()
            self._state.notify_all()
        self._threads.shutdown(wait=False, cancel_futures=True)

    def pause(self) -> None:
        """Stop all running trials until `resume`.

        Even a process that runs only while a processor is idle delays others: no processor is then idle that could
        take over a thread which waits behind another one.
        """
        with self._state:
            for child in self._children.difference(self._paused):
                child.pause()
                self._paused.append(child)

    def resume(self) -> None:
        """Let the paused trials go on."""
        with self._state:
            for child in self._paused:  # one whose trial has ended meanwhile runs the next
                child.resume()
            self._paused.clear()

    def _run(self, user: str, function: Callable[..., _T], arguments: tuple[Any, ...], ended: Flag) -> _T:
        ticket = object()
        self._take_turn(user, ticket, ended)
        try:
            answer = self._ask(pickle.dumps((_folder(), function, arguments)), ended)
        finally:
            with self._state:
                self._running[user] -= 1
                self._asked[user] -= 1
                self._running, self._asked = +self._running, +self._asked
                self._state.notify_all()
        if answer.mistake is not None:
            raise RuntimeError(f"a trial failed in its process:\n{answer.mistake}")
        if answer.error is not None:
            raise (CatalogError if answer.is_conflict else RankcastError)(answer.error)
        result: _T = answer.result
        return result

    def _take_turn(self, user: str, ticket: object, ended: Flag) -> None:
        with self._state:
            if self._asked[user] >= self._most_of_one:
                raise Problem(
                    503,
                    "trials",
                    f"{self._most_of_one} trials of user {user!r} run or wait already; wait for one of them to end",
                    {"Retry-After": "2"},
                )
            self._asked[user] += 1
            self._queue.append((user, ticket))
            until = monotonic() + self._seconds * self._most_of_one
            try:
                while self._next() is not ticket:
                    if ended.is_set() or self._stopping.is_set() or monotonic() > until:
                        self._asked[user] -= 1
                        self._refuse(ended)
                    self._state.wait(_LOOK_AT_CLIENT)
                self._running[user] += 1
            finally:
                self._queue.remove((user, ticket))
                self._state.notify_all()

    def _next(self) -> object | None:
        """The next to run: among the users with the fewest running trials, the request that came first."""
        if not self._queue or sum(self._running.values()) >= self._slots:
            return None
        return min(self._queue, key=lambda waiting: self._running[waiting[0]])[1]

    def _ask(self, task: bytes, ended: Flag) -> TrialAnswer:
        child, is_new = _child()
        with self._state:
            self._children.add(child)
        try:
            if is_new:
                self._read(child, len(READY), _TimeLimit(child, _START, 1), ended)
            until = _TimeLimit(child, self._seconds)
            child.send(LENGTH.pack(len(task)) + task)
            size = LENGTH.unpack(self._read(child, LENGTH.size, until, ended))[0]
            answer = pickle.loads(self._read(child, size, until, ended))  # noqa: S301  from our own child
        except BaseException as error:
            self.killed += 1
            child.kill()
            child.end(0)
            if isinstance(error, OSError):
                self._refuse(ended)
            raise
        finally:
            with self._state:
                self._children.discard(child)
        with _idle_lock:
            _idle.append(child)
        assert isinstance(answer, TrialAnswer)
        return answer

    def _read(self, child: Child, size: int, until: "_TimeLimit", ended: Flag) -> bytes:
        file, parts = child.output.fileno(), list[bytes]()
        while size:
            if ended.is_set() or self._stopping.is_set():
                self._refuse(ended)
            if until.is_over():
                raise Problem(
                    504,
                    "trial-time",
                    f"the trial was ended after {self._seconds:g} s; try fewer events, or a policy or expression that costs less",
                )
            if select.select([file], [], [], _LOOK)[0]:
                part = os.read(file, min(size, 1 << 20))
                if not part:
                    raise OSError("the child has ended")
                parts.append(part)
                size -= len(part)
        return b"".join(parts)

    def _refuse(self, ended: Flag) -> NoReturn:
        if ended.is_set():
            raise Problem(499, "gone", "whoever asked is gone")
        why = "the service is stopping" if self._stopping.is_set() else "trials cannot be run just now"
        raise Problem(503, "trials", f"{why}; try again", {"Retry-After": "5"})


class _TimeLimit:
    """A limit on the processor time of a child, and on its elapsed time as a multiple of that."""

    def __init__(self, child: Child, seconds: float, stretch: float = 3.0) -> None:
        self._child = child
        self._seconds = seconds
        self._begun = child.seconds
        self._end = monotonic() + seconds * (1.0 if self._begun is None else stretch)

    def is_over(self) -> bool:
        """Whether the child has exceeded the limit."""
        if monotonic() > self._end:
            return True
        used = self._child.seconds
        return used is not None and self._begun is not None and used - self._begun > self._seconds


def _child() -> tuple[Child, bool]:
    """An idle child or a new one, and whether it is new."""
    with _idle_lock:
        while _idle:
            child = _idle.pop()
            if child.is_alive:
                return child, False
            with suppress(OSError):
                child.end(0)
    return Child(_MODULE, int(os.environ.get(_NICE, "15"))), True


def _folder() -> str:
    """The folder of this process, or the root if it was deleted."""
    try:
        return os.getcwd()
    except FileNotFoundError:
        return os.sep

"""A connection to PostgreSQL that does not wait for ever.

The server's own `statement_timeout` is of no use where the server itself hangs (a stopped process, a frozen machine, a
network that drops packets); so the client has a limit, too.
"""

import asyncio
from collections.abc import Generator, Mapping, Sequence
from time import monotonic
from typing import Any, TypeVar

from psycopg import Connection, OperationalError

__all__ = ["LimitedConnection", "Opener"]

_Result = TypeVar("_Result")

_SHORTEST = 2
"""The least that the driver takes as a time limit for connecting."""
_SILENCE = 5.0
ON_EVENT_LOOP = 1.0
"""For how many seconds a statement may keep an event loop, and with it all that the process does there, from going on."""


class LimitedConnection(Connection[Any]):
    """Gives up on a server that does not answer within `limit` seconds, and is closed then."""

    limit: float | None = None

    def wait(self, gen: Generator[Any, Any, _Result], *args: Any, **options: Any) -> _Result:
        """Wait for the answer to one statement."""
        limit = self.limit
        if _is_on_event_loop():
            limit = ON_EVENT_LOOP if limit is None else min(limit, ON_EVENT_LOOP)
        if limit is None:
            return super().wait(gen, *args, **options)
        return super().wait(self._limited(gen, limit), *args, **options)

    def _limited(self, gen: Generator[Any, Any, _Result], limit: float) -> Generator[Any, Any, _Result]:
        """Pass everything on to the generator, until the time is over. The driver asks at least ten times a second."""
        until = monotonic() + limit
        try:
            state = next(gen)
            while True:
                ready = yield state
                if not ready and monotonic() > until:
                    gen.close()
                    self.pgconn.finish()
                    raise OperationalError(f"the server did not answer within {limit:g} s")
                state = gen.send(ready)
        except StopIteration as end:
            result: _Result = end.value
            return result


class Opener:
    """Opens connections with a limit in seconds for each statement; None waits for ever.

    After a server has not answered on an event loop, connections that are asked for there fail at once for some seconds.
    """

    def __init__(self, limit: float | None) -> None:
        self._limit = limit
        self._silent_until = float("-inf")

    def open(self, arguments: Sequence[str], options: Mapping[str, Any]) -> LimitedConnection:
        """A new connection."""
        hurried = _is_on_event_loop()
        if hurried:
            if monotonic() < self._silent_until:
                raise OperationalError("the server did not answer a moment ago")
            options = {**options, "connect_timeout": _SHORTEST}
            self._silent_until = monotonic() + _SILENCE + _SHORTEST
        connection = LimitedConnection.connect(*arguments, **options)
        connection.limit = self._limit
        if hurried:
            self._silent_until = float("-inf")
        return connection


def _is_on_event_loop() -> bool:
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return False
    return True

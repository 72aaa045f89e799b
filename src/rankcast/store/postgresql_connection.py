"""A PostgreSQL connection with a time limit on the client side.

The server's own `statement_timeout` does not help if the server itself hangs: a stopped process, a frozen machine, or
a network that drops packets.
"""

import asyncio
from collections.abc import Generator, Mapping, Sequence
from time import monotonic
from typing import Any, TypeVar

from psycopg import Connection, OperationalError

_Result = TypeVar("_Result")

_SHORTEST = 2
"""Shortest connection timeout that the driver accepts, in seconds."""
_SILENCE = 5.0
ON_EVENT_LOOP = 1.0
"""How many seconds a statement may block an event loop, and with it everything else that runs there."""


class LimitedConnection(Connection[Any]):
    """A connection that closes itself if the server does not answer within `limit` seconds."""

    limit: float | None = None

    def wait(self, gen: Generator[Any, Any, _Result], *args: Any, **options: Any) -> _Result:
        """Wait for the result of one statement."""
        limit = self.limit
        if _is_on_event_loop():
            limit = ON_EVENT_LOOP if limit is None else min(limit, ON_EVENT_LOOP)
        if limit is None:
            return super().wait(gen, *args, **options)
        return super().wait(self._limited(gen, limit), *args, **options)

    def _limited(self, gen: Generator[Any, Any, _Result], limit: float) -> Generator[Any, Any, _Result]:
        """Run the generator until the time is up. The driver polls at least ten times per second."""
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
    """Opens connections with a time limit per statement, in seconds. None means no limit.

    After a server has failed to answer on an event loop, new connections requested there fail at once for some
    seconds.
    """

    def __init__(self, limit: float | None) -> None:
        self._limit = limit
        self._silent_until = float("-inf")

    def open(self, arguments: Sequence[str], options: Mapping[str, Any]) -> LimitedConnection:
        """Open a new connection."""
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

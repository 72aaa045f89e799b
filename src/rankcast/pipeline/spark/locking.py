"""The lock of a store that a streaming query serves: taken before the query starts, released after it ends."""

from collections.abc import Callable
from contextlib import suppress
from threading import Thread
from typing import Protocol, TypeVar

from rankcast.store import Store
from rankcast.store.store_lock import StoreLock

_PATIENCE = 5.0
"""Seconds to wait for a query that has just ended and is about to release the lock."""


class _Query(Protocol):
    def awaitTermination(self) -> object:  # noqa: N802  Spark's name
        """Wait until the query ends. Raises its error if it failed."""


_Started = TypeVar("_Started", bound=_Query)


def start_locked(place: str, start: Callable[[], _Started]) -> _Started:
    """Start a query as the only pipeline of a store.

    Raises StoreError if another process, or another query of this process, serves the store.
    """
    store = Store.open(place)
    lock = StoreLock(store)
    try:
        lock.take(_PATIENCE)
        query = start()
    except BaseException:
        lock.give_back()
        store.close()
        raise

    def give_back() -> None:
        with suppress(Exception):  # the code that started it reports the failure
            query.awaitTermination()
        lock.give_back()
        store.close()

    Thread(target=give_back, name="rankcast-store-lock", daemon=True).start()
    return query

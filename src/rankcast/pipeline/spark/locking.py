"""The lock of a store that a streaming query serves: taken before it starts, given back when it has ended."""

from collections.abc import Callable
from contextlib import suppress
from threading import Thread
from typing import Protocol, TypeVar

from rankcast.store import Store
from rankcast.store.store_lock import StoreLock

__all__ = ["start_locked"]

_PATIENCE = 5.0
"""How many seconds to wait for a query that has just ended and is about to give the lock back."""


class _Query(Protocol):
    def awaitTermination(self) -> object:  # noqa: N802  Spark's name
        """Wait until the query has ended; raises what it failed with."""


_Started = TypeVar("_Started", bound=_Query)


def start_locked(place: str, start: Callable[[], _Started]) -> _Started:
    """Start a query as the only pipeline of the store at a place; StoreError if another process, or another query of this one,
    serves it."""
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
        with suppress(Exception):  # whoever started it is told why it failed
            query.awaitTermination()
        lock.give_back()
        store.close()

    Thread(target=give_back, name="rankcast-store-lock", daemon=True).start()
    return query

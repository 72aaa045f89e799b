"""One embedded pipeline per store: a lock that lasts as long as the process does."""

import os
from contextlib import suppress
from pathlib import Path
from time import monotonic, sleep

from rankcast.errors import StoreError
from rankcast.store import Store

__all__ = ["Alone"]

_POLL = 0.05


class Alone:
    """The right to serve a store from this process.

    Beside a store in a file, an empty file `-serving` is locked; the system lets go of it when the process ends, however
    it ends. For other databases, and beside `rankcast run`, the store itself refuses the second (`Store.commit`), though
    only when it commits.
    """

    def __init__(self, store: Store) -> None:
        self._store = store
        self._held: int | None = None

    def take(self, patience: float = 0.0) -> None:
        """Take the right, or say who has it; `patience` is for how many seconds to wait for one who is about to end."""
        served = self._store.pipeline()
        place = self._store.database.place
        if served is not None and served.engine != "process" and served.last_batch >= 0:
            raise StoreError(
                f"the store {place!r} is served by a pipeline on Spark, with the checkpoint {served.place!r}; "
                "start with --no-pipeline beside it"
            )
        if self._held is not None or not Path(place).is_file():
            return
        try:
            import fcntl
        except ImportError:  # no such locks on this system
            return
        file = os.open(f"{place}-serving", os.O_RDWR | os.O_CREAT, 0o600)
        until = monotonic() + patience
        while True:
            try:
                fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except OSError:
                if monotonic() < until:
                    sleep(_POLL)
                    continue
                os.close(file)
                raise StoreError(
                    f"the store {place!r} is served by another process already; end that one, or start with --no-pipeline"
                ) from None
            self._held = file
            return

    def give_back(self) -> None:
        """Let another serve the store."""
        if self._held is not None:
            with suppress(OSError):
                os.close(self._held)
            self._held = None

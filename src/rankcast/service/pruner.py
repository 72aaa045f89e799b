"""The service forgets old rows by itself, by its rules of retention."""

import logging
from threading import Event as Flag
from threading import Thread

from rankcast.errors import RankcastError
from rankcast.store import Store
from rankcast.store.pruning import Pruned, prune, shrink
from rankcast.store.retention_rules import Rules

__all__ = ["Pruner"]

_log = logging.getLogger("rankcast.service.retention")
_EVERY = 60.0


class Pruner:
    """A thread that prunes the store once a minute, in short transactions; `error` is why the last round failed, or None."""

    def __init__(self, store: Store, rules: Rules) -> None:
        self.error: str | None = None
        self._store = store
        self._rules = rules
        self._stopping = Flag()
        self._thread: Thread | None = None

    def start(self) -> None:
        """Begin; the first round is in a minute."""
        if self._thread is None:
            self._stopping.clear()
            self._thread = Thread(target=self._run, name="rankcast-retention", daemon=True)
            self._thread.start()

    def stop(self) -> None:
        """End after the transaction at hand."""
        self._stopping.set()
        if self._thread is not None:
            self._thread.join()
            self._thread = None

    def round(self) -> list[Pruned]:
        """Prune now; what went."""
        done = prune(self._store.database, self._rules, stopped=self._stopping.is_set)
        if any(one.rows for one in done):
            shrink(self._store.database, stopped=self._stopping.is_set)
            _log.info("pruned %s", ", ".join(f"{one.rows:,} {one.kind}" for one in done if one.rows))
        return done

    def _run(self) -> None:
        while not self._stopping.wait(_EVERY):
            try:
                self.round()
                self.error = None
            except RankcastError as error:  # such as another service that prunes the same store
                self.error = str(error)
                _log.warning("nothing was pruned: %s", error)

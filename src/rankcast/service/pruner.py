"""Deletes old rows of the store according to the retention rules."""

import logging

from rankcast.errors import RankcastError
from rankcast.service.background import BackgroundLoop
from rankcast.store import Store
from rankcast.store.retention.pruning import Pruned, prune, shrink
from rankcast.store.retention.rules import Rules

__all__ = ["Pruner"]

_log = logging.getLogger("rankcast.service.retention")
_EVERY = 60.0


class Pruner:
    """Prunes the store once a minute, in short transactions. `error` is why the last round failed, or None."""

    def __init__(self, store: Store, rules: Rules) -> None:
        self.error: str | None = None
        self._store = store
        self._rules = rules
        self._loop = BackgroundLoop("rankcast-retention", self.round, self._failed, lambda: _EVERY, first=_EVERY)

    def start(self) -> None:
        """Start; the first round follows after a minute."""
        self._loop.start()

    def stop(self) -> None:
        """Stop after the current transaction."""
        self._loop.stop()

    def round(self) -> list[Pruned]:
        """Prune now, and return what was deleted."""
        done = prune(self._store.database, self._rules, stopped=self._loop.is_stopping)
        if any(one.rows for one in done):
            shrink(self._store.database, stopped=self._loop.is_stopping)
            _log.info("pruned %s", ", ".join(f"{one.rows:,} {one.kind}" for one in done if one.rows))
        self.error = None
        return done

    def _failed(self, error: RankcastError) -> None:
        """Record a failure, for example because another service is pruning the same store."""
        self.error = str(error)
        _log.warning("nothing was pruned: %s", error)

"""Deletes old rows of the store according to the retention rules."""

import logging

from rankcast.service.background import BackgroundTask
from rankcast.store import Store
from rankcast.store.retention.pruning import Pruned, prune, shrink
from rankcast.store.retention.rules import Rules

_log = logging.getLogger("rankcast.service.retention")
_EVERY = 60.0


class Pruner(BackgroundTask):
    """Prunes the store once a minute, in short transactions. A round fails while another service prunes the store."""

    def __init__(self, store: Store, rules: Rules) -> None:
        super().__init__("retention", "nothing was pruned", first=_EVERY)
        self._store = store
        self._rules = rules

    def pause(self) -> float:
        """A minute."""
        return _EVERY

    def round(self) -> list[Pruned]:
        """Prune now, and return what was deleted."""
        done = prune(self._store.database, self._rules, stopped=self.is_stopping)
        if any(one.rows for one in done):
            shrink(self._store.database, stopped=self.is_stopping)
            _log.info("pruned %s", ", ".join(f"{one.rows:,} {one.kind}" for one in done if one.rows))
        return done

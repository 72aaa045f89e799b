"""Samples how much the store is used, for the monitor."""

import logging
from datetime import timedelta

from rankcast.errors import RankcastError
from rankcast.service.background import BackgroundLoop
from rankcast.store import Store
from rankcast.store.samples import SAMPLE, ActivityLog
from rankcast.store.status import status

__all__ = ["Sampler"]

_log = logging.getLogger("rankcast.service.sampler")
_THIN = timedelta(minutes=10) // SAMPLE


class Sampler:
    """Writes one sample every five seconds, whether somebody looks or not. A failed sample is a gap."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._rounds = 0
        self.log = ActivityLog(store.database)
        self._loop = BackgroundLoop("rankcast-sampler", self.round, self._failed, SAMPLE.total_seconds)

    def start(self) -> None:
        """Start with a sample."""
        self._loop.start()

    def stop(self) -> None:
        """Stop after the current sample."""
        self._loop.stop()

    def round(self) -> None:
        """Make one sample. Old samples are thinned out from time to time."""
        self.log.sample(status(self._store.database))
        if self._rounds % _THIN == 0:
            self.log.thin()
        self._rounds += 1

    def _failed(self, error: RankcastError) -> None:
        _log.warning("no sample: %s", error)

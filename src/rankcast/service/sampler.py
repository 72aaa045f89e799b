"""Samples how much the store is used, for the monitor."""

from datetime import timedelta

from rankcast.service.background import BackgroundTask
from rankcast.store import Store
from rankcast.store.samples import SAMPLE, ActivityLog
from rankcast.store.status import status

_THIN = timedelta(minutes=10) // SAMPLE


class Sampler(BackgroundTask):
    """Writes one sample every five seconds, whether somebody looks or not. A failed sample is a gap."""

    def __init__(self, store: Store) -> None:
        super().__init__("sampler", "no sample")
        self._store = store
        self._rounds = 0
        self.log = ActivityLog(store.database)

    def pause(self) -> float:
        """Five seconds."""
        return SAMPLE.total_seconds()

    def round(self) -> None:
        """Make one sample. Old samples are thinned out from time to time."""
        self.log.sample(status(self._store.database))
        if self._rounds % _THIN == 0:
            self.log.thin()
        self._rounds += 1

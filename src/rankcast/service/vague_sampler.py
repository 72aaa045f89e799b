"""Compares vague subscriptions with their crisp counterparts on what was just published, for the monitor."""

import logging

from rankcast.errors import RankcastError
from rankcast.lab.vague_comparison import compare_vague, vague_subscriptions
from rankcast.model import Subscription
from rankcast.service.background import BackgroundLoop
from rankcast.store import Store
from rankcast.store.vague_log import VAGUE_SAMPLE, VagueLog

__all__ = ["VagueSampler"]

MOST_EVENTS = 50
"""The most events of a comparison, the newest ones."""

MOST_SUBSCRIPTIONS = 100
_EXAMINED = 5_000
_log = logging.getLogger("rankcast.service.sampler")


class VagueSampler:
    """Compares every 30 seconds, if something was published. That costs at most some tenths of a second."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._seen = 0
        self._known: tuple[int, list[Subscription]] = (-1, [])
        self.log = VagueLog(store.database)
        self._loop = BackgroundLoop("rankcast-vague", self.round, self._failed, VAGUE_SAMPLE.total_seconds)

    def start(self) -> None:
        """Start; what was published before does not count."""
        self._seen = self._store.last_offset()
        self._loop.start()

    def stop(self) -> None:
        """Stop after the current comparison."""
        self._loop.stop()

    def round(self) -> None:
        """Compare the events since the last round. Nothing is recorded if there is nothing to compare."""
        last = self._store.last_offset()
        after, self._seen = max(self._seen, last - MOST_EVENTS), last
        subscriptions = self._subscriptions() if last > after else []
        if subscriptions:
            events = [logged.event for logged in self._store.events(after=after, limit=last - after)]
            self.log.add(*compare_vague(self._store.catalog(), subscriptions, events))

    def _subscriptions(self) -> list[Subscription]:
        version = self._store.version()
        if self._known[0] != version:
            self._known = version, vague_subscriptions(self._store.catalog(), MOST_SUBSCRIPTIONS, _EXAMINED)
        return self._known[1]

    def _failed(self, error: RankcastError) -> None:
        _log.warning("no comparison of vague and crisp: %s", error)

"""Compares vague subscriptions with their crisp counterparts on what was just published, for the monitor."""

from collections.abc import Sequence

from rankcast.lab.vague_comparison import compare_vague, vague_subscriptions
from rankcast.model import Catalog, Subscription
from rankcast.service.background import BackgroundTask
from rankcast.store import Store
from rankcast.store.samples import VAGUE_SAMPLE, VagueLog

MOST_EVENTS = 50
"""The most events of a comparison, the newest ones."""

MOST_SUBSCRIPTIONS = 100
_EXAMINED = 5_000
_USERS = 500
"""Of larger catalogs, only the subscriptions of so many users are read: to read all of a million takes half a minute."""


class VagueSampler(BackgroundTask):
    """Compares every 30 seconds, if something was published. That costs at most some tenths of a second."""

    def __init__(self, store: Store) -> None:
        super().__init__("vague", "no comparison of vague and crisp")
        self._store = store
        self._seen = 0
        self._known: tuple[int, Catalog, list[Subscription]] = (-1, Catalog(), [])
        self.log = VagueLog(store.database)

    def start(self) -> None:
        """Start; what was published before does not count."""
        self._seen = self._store.last_offset()
        super().start()

    def pause(self) -> float:
        """Half a minute."""
        return VAGUE_SAMPLE.total_seconds()

    def round(self) -> None:
        """Compare the events since the last round. Nothing is recorded if there is nothing to compare."""
        last = self._store.last_offset()
        after, self._seen = max(self._seen, last - MOST_EVENTS), last
        if last > after:
            self._read()
        _, catalog, subscriptions = self._known
        if last > after and subscriptions:
            events = [logged.event for logged in self._store.events(after=after, limit=last - after)]
            self.log.add(*compare_vague(catalog, subscriptions, events))

    def _read(self) -> None:
        version, users = self._store.version(), set[str]()
        if self._known[0] == version:
            return

        def some(owners: Sequence[str]) -> Sequence[str]:
            users.update(owners[:_USERS])
            return owners[:_USERS]

        catalog = self._store.catalog_part(users.__contains__, None, some)
        self._known = version, catalog, vague_subscriptions(catalog, MOST_SUBSCRIPTIONS, _EXAMINED)

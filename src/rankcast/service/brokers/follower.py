"""Follows the catalog and the log of a broker, and chooses the recipients of what is published here."""

import logging
from collections.abc import Callable
from threading import Event as Flag
from threading import Thread

from rankcast.service.brokers.shared_knowledge import SharedKnowledge, advertised_event
from rankcast.store import BrokerLog, EventRoute, Store

_log = logging.getLogger("rankcast.service.brokers")
_BATCH = 500


class LogFollower:
    """Keeps the knowledge up to date with the catalog, in a thread. `error` says what fails; None if all is well.

    A publication under an advertisement goes to the recipients that the catalog had when it was logged, as in a single
    service. So the knowledge follows the versions of the log. The pipeline waits for the choice.
    """

    def __init__(self, knowledge: SharedKnowledge, log: BrokerLog, store: Store, poll: float, routed: int) -> None:
        self.error: str | None = None
        self.chosen: Callable[[], None] = lambda: None
        """Called when recipients were chosen."""
        self.followed: Callable[[], None] = lambda: None
        """Called when there may be something to tell to neighbours."""
        self._knowledge = knowledge
        self._log = log
        self._store = store
        self._poll = poll
        self._version = -1
        self._routed = routed
        self._woken, self._stopping = Flag(), Flag()
        self._thread = Thread(target=self._run, name="rankcast-broker", daemon=True)

    def start(self) -> None:
        """Catch up, then follow."""
        self._follow()
        self._thread.start()

    def stop(self) -> None:
        """End the thread."""
        self._stopping.set()
        self._woken.set()
        if self._thread.is_alive():
            self._thread.join()

    def wake(self) -> None:
        """Report that the catalog or the log may have changed. Returns at once."""
        self._woken.set()

    def has_followed(self, last: int) -> bool:
        """Whether everything up to the end of the log was considered, with the newest catalog."""
        return self._version == self._store.version() and self._routed >= last

    def _run(self) -> None:
        while not self._stopping.is_set():
            self._woken.wait(self._poll)
            self._woken.clear()
            if self._stopping.is_set():
                return
            try:
                self._follow()
                self.error = None
            except Exception as error:  # the thread must survive any failure, such as of the store
                self.error = str(error) or type(error).__name__
                _log.warning("the broker failed, and tries again: %s", self.error)
                self._stopping.wait(self._poll)

    def _follow(self) -> None:
        newest = self._store.version()  # read first: whatever was logged with an earlier one is visible now
        if self._route():
            self.chosen()
        self._know(max(newest, self._version))
        self.followed()

    def _know(self, version: int) -> None:
        if version != self._version:
            self._knowledge.own(self._store.catalog(version))
            self._version = version

    def _route(self) -> bool:
        """Choose the recipients of the publications that were made here. Returns whether there were any."""
        is_any = False
        while rows := self._log.routed(self._routed, _BATCH):
            routes: dict[int, EventRoute] = {}
            for row in rows:
                event = advertised_event(row) if row.route is None else None
                if event is not None:
                    self._know(row.catalog_version)
                    routes[row.offset] = self._knowledge.choose(event)
            self._log.put_routes(routes)
            self._routed = rows[-1].offset
            is_any = is_any or bool(routes)
        return is_any

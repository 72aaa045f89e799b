"""A service as a broker of a tree: its links, its knowledge, and the threads that keep both going."""

from collections.abc import Collection, Mapping, Sequence
from datetime import datetime
from secrets import token_hex
from threading import Event as Flag
from threading import RLock
from typing import TYPE_CHECKING

from rankcast.errors import ModelError
from rankcast.model import Event, Reject
from rankcast.overlay import Knowledge
from rankcast.plain import JsonObject
from rankcast.service.brokers.follower import LogFollower
from rankcast.service.brokers.joining import Introductions
from rankcast.service.brokers.link import Link
from rankcast.service.brokers.messages import check_broker_name
from rankcast.service.brokers.shared_knowledge import SharedKnowledge, advertised_event
from rankcast.service.brokers.tree_view import TreeView
from rankcast.service.brokers.upstream import UpstreamConnection
from rankcast.service.problems import Problem
from rankcast.store import BrokerLog, BrokerSelf, NeighbourRow, RoutedText

if TYPE_CHECKING:
    from rankcast.service.service import Service


class BrokerNode:
    """The part of a service that speaks with other brokers. Thread-safe.

    Whoever holds a lock of a link may take the lock of the node, and then that of the knowledge, never the other way
    round.

    A service becomes a broker when it is started with an upstream or when the first edge joins. Until then this costs
    nothing.
    """

    def __init__(self, service: "Service") -> None:
        self.log = BrokerLog(service.store.database)
        self.run = token_hex(4)
        """Identifies this run of the service, so that nobody takes versions of an earlier run for its own."""
        self.settings = service.settings
        self.lock = RLock()
        self.knowledge = SharedKnowledge(Knowledge(""), service.settings.limits)
        self.view = TreeView(self)
        self.introductions = Introductions(self)
        self._service = service
        self._store = service.store
        self._me: BrokerSelf | None = None
        self._links: dict[str, Link] = {}
        self._stopping = Flag()
        self._follower: LogFollower | None = None
        self._upstream: UpstreamConnection | None = None

    # life

    def start(self) -> None:
        """Start to be a broker, if the settings or the store say so. A second call does nothing."""
        if self._me is not None or self._upstream is not None:
            return
        me = self.log.self()
        name = self.settings.broker
        if name is not None:
            check_broker_name(name)
        if me is not None and name is not None and me.name != name:
            self.log.become(name)  # refused, with the reason
        if me is not None or name is not None:
            self._become(me.name if me is not None else str(name))
        if self.settings.upstream is not None:
            self._upstream = UpstreamConnection(self, self.settings.upstream, self.settings.upstream_token)
            self._upstream.start()

    def stop(self) -> None:
        """End the threads."""
        self._stopping.set()
        if self._upstream is not None:
            self._upstream.stop()
        for link in self.links():
            link.end()
        if self._follower is not None:
            self._follower.stop()

    def end_sessions(self) -> None:
        """End the streams of edges, so that the server can stop. They connect again to the next one."""
        self._stopping.set()
        for link in self.links():
            link.wake()

    @property
    def is_stopping(self) -> bool:
        """Whether sessions have to end."""
        return self._stopping.is_set()

    @property
    def me(self) -> BrokerSelf | None:
        """The broker; None if the service is none."""
        return self._me

    def ensure(self, name: str | None = None) -> BrokerSelf:
        """The broker; the service becomes one if it is none."""
        with self.lock:
            me = self._me or self._become(name or self.settings.broker or "root")
            if name is not None and me.name != name:
                raise ModelError(f"the upstream knows this broker as {name!r}, and its store as {me.name!r}")
            return me

    def _become(self, name: str) -> BrokerSelf:
        with self.lock:
            me = self.log.become(name)
            self.knowledge = SharedKnowledge(Knowledge(me.name, self.settings.strategy_of), self.settings.limits)
            self._me = me
            for row in self.log.neighbours():
                if not row.is_upstream or self.settings.upstream is not None:  # else it needs nothing from there
                    self.add(row)
            self._learn_all()
            routed = max(me.since, self._store.reached())
            self._follower = LogFollower(self.knowledge, self.log, self._store, self.settings.poll, routed)
            self._follower.chosen = self._service.runner.wake
            self._follower.followed = self._wake_links
            self._follower.start()
            return me

    # what happens

    def wake(self) -> None:
        """Report that the catalog or the log may have changed. Returns at once."""
        if self._follower is not None:
            self._follower.wake()

    def logged(self) -> None:
        """Report that events of a neighbour were logged: they have to be served and passed on."""
        self._service.runner.wake()
        self.wake()

    def learn(
        self,
        link: Link,
        forms: Mapping[str, JsonObject],
        removed: Sequence[str],
        whole: bool,
        keep: Collection[str] = (),
    ) -> None:
        """Take what a neighbour said, and tell the others."""
        with self.lock:
            if self._links.get(link.name) is link:  # else it was removed meanwhile
                self.knowledge.learn(link.name, forms, removed, whole, keep, self.view.foreign(link))
        self.wake()

    def reject(self, rejects: Sequence[Reject]) -> None:
        """Keep what a neighbour sent and nobody here can use."""
        if rejects:
            self._store.reject(rejects)

    def check_event(self, event: Event) -> None:
        """Refuse an event of an edge that a publisher could not publish here either."""
        self.settings.limits.event.check(event, self._store.database.clock())

    def is_waiting(self, row: RoutedText) -> bool:
        """Whether recipients have to be chosen before an event may go on."""
        return row.route is None and row.offset > self.ensure().since and advertised_event(row) is not None

    # neighbours

    def links(self) -> list[Link]:
        """All links."""
        with self.lock:
            return list(self._links.values())

    def link(self, name: str) -> Link | None:
        """The link to a neighbour; None if there is none."""
        with self.lock:
            return self._links.get(name)

    def upstream_link(self) -> Link | None:
        """The link to the upstream; None if there is none."""
        return next((link for link in self.links() if link.is_upstream), None)

    def add(self, row: NeighbourRow) -> Link:
        """Add a neighbour that is in the store."""
        with self.lock:
            link = self._links[row.name] = Link(self, row)
            return link

    def drop(self, link: Link) -> None:
        """Drop a neighbour and what it said, except from the store."""
        with self.lock:
            del self._links[link.name]
            self.knowledge.forget(link.name)
        link.end()

    def forget(self, name: str) -> bool:
        """Remove an edge and all that it said. Returns whether there was one."""
        with self.lock:
            link = self.link(name)
            if link is None:
                return False
            if link.is_upstream:
                raise Problem(409, "upstream", f"{name!r} is the upstream; start this service without it")
            self.log.forget(name)
            self.drop(link)
            self._learn_all()  # another neighbour may speak for it now
        self.wake()
        return True

    def _learn_all(self) -> None:
        """Take all that neighbours said, from the store."""
        for link in self.links():
            self.knowledge.learn(link.name, self.log.items(link.name), whole=True, foreign=self.view.foreign(link))
        self.knowledge.order_claims(self.log.contested())

    def _wake_links(self) -> None:
        for link in self.links():
            link.wake()

    # how it is

    def last_offset(self) -> int:
        """The end of the own log."""
        return self._store.last_offset()

    def offset_before(self, time: datetime) -> int:
        """The offset before the first event published at or after a time."""
        return self._store.offset_before(time)

    def count_users(self) -> tuple[int, int]:
        """The numbers of own users and of their subscriptions."""
        catalog = self._service.catalog()
        return len(catalog.users()), len(catalog.subscriptions)

    def is_settled(self) -> bool:
        """Whether all neighbours have all that this broker has to say, and its own users are served."""
        if self._follower is None:
            return True
        last = self.last_offset()
        return (
            self._follower.has_followed(last)
            and (not self.settings.pipeline or self._store.reached() >= last)
            and all(link.is_settled for link in self.links())
        )

    def connection_error(self) -> str | None:
        """Why there is no connection to the upstream, or what else fails; None if all is well."""
        failed = None if self._follower is None else self._follower.error
        return failed or (None if self._upstream is None else self._upstream.error)
